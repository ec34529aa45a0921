"""The one place that holds messages word by word; see ``expected.py``."""

from pathlib import Path

from tests import expected


def test_every_case_is_told_in_the_words_of_its_file() -> None:
    other = [str(path.relative_to(Path(__file__).parent.parent)) for path, text in expected.texts()
             if not path.is_file() or path.read_text("utf-8") != text]
    assert not other, "other words; if they are meant, run: python -m tests.expected"
