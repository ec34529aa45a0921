"""Silent workers: what a job says or raises reaches nobody."""

from __future__ import annotations

import pytest

from scorer.engines import local
from scorer.engines.answers import OUT_OF_MEMORY
from scorer.engines.quiet import Quiet
from tests.engine_targets import Loud, kind_of


@pytest.mark.parametrize(("recipe", "wanted"), [
    (Loud(), {"a": "a", "bug": "ValueError", "exit": "SystemExit", "memory": OUT_OF_MEMORY}),
    (Loud(broken=True), {"a": "ValueError", "bug": "ValueError"}),
])
def test_a_quiet_worker_gives_answers_and_classes_of_faults_and_no_word_more(
    recipe: Loud, wanted: dict[str, object], capfd: pytest.CaptureFixture[str],
) -> None:
    found = dict(local.run(Quiet(recipe, kind_of), list(wanted), seconds=60))
    assert found == wanted
    assert "purr" not in "".join(capfd.readouterr()) + repr(found)
