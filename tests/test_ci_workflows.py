"""The workflows: what they may do, what linters see in bad ones, what a runner is told."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from scorer.core.errors import DataError, Problem
from scorer.pipeline.ci import runner
from tests.fuzz_helpers import RUNNER_COMMAND

ROOT = Path(__file__).resolve().parent.parent
GITHUB = ROOT / ".github"
FILES = sorted((GITHUB / "workflows").iterdir())
CASES = ROOT / "tests" / "cases" / "workflows"
WORKFLOWS: dict[str, Any] = {
    path.stem: yaml.load(path.read_text("utf-8"), Loader=yaml.BaseLoader)  # noqa: S506  # text
    for path in FILES}
"""BaseLoader: ``on`` is a word, not a truth value."""
JOBS = [(name, job) for name, workflow in WORKFLOWS.items() for job in workflow["jobs"].values()]


# ---- what they may do ------------------------------------------------------------------------


def test_every_line_that_is_run_is_one_command_without_an_expression() -> None:
    lines = {step["run"] for _, job in JOBS for step in job.get("steps", ()) if "run" in step}
    assert [line for line in lines if "${{" in line or "\n" in line] == []
    program = re.compile(r"(exec )?python -m scorer (ci [a-z]+|board check --boards boards)")
    assert {line for line in lines if not program.fullmatch(line)} == {
        "sh .github/install.sh ci", "sh .github/install.sh score-torch score model",
        "sh .github/settings.sh check", "make test"}


def test_every_verb_that_is_run_is_one_that_the_program_has() -> None:
    from scorer.commands.ci import CI

    text = "".join(path.read_text("utf-8") for path in FILES)
    named = set(re.findall(r"scorer ci ([a-z]+)", text))
    assert {"validate", "plan", "score", "publish", "site", "audit"} <= named
    assert named <= {action.name for action in CI.actions}


def test_every_change_has_an_owner() -> None:
    owners = (GITHUB / "CODEOWNERS").read_text("utf-8").splitlines()
    assert [line.split()[0] for line in owners if line and line[0] != "#"] == ["*"]


def test_a_pull_request_gets_no_write_permission_no_secret_and_no_machine_of_ours() -> None:
    for name, workflow in WORKFLOWS.items():
        assert workflow["permissions"] == {}, name
        assert not {"pull_request_target", "workflow_run"} & set(workflow["on"]), name
    for name in ("validate", "annotations", "ci"):
        assert "secrets." not in (GITHUB / "workflows" / f"{name}.yml").read_text("utf-8")
        for job in WORKFLOWS[name]["jobs"].values():
            assert job["permissions"] == {"contents": "read"}
            assert job["runs-on"] == "ubuntu-24.04"
            assert "environment" not in job


def test_the_branch_of_a_pull_request_is_not_checked_out_where_it_is_judged() -> None:
    for name in ("validate", "annotations"):
        [job] = WORKFLOWS[name]["jobs"].values()
        [checkout] = [step for step in job["steps"] if "checkout" in step.get("uses", "")]
        assert checkout["with"]["ref"] == "main"
        assert checkout["with"]["persist-credentials"] == "false"
        types = WORKFLOWS[name]["on"]["pull_request"]["types"]
        assert "edited" in types, "a pull request may be moved to main after it was opened"


def test_the_machine_that_scores_may_not_write() -> None:
    score, publish = (WORKFLOWS["score"]["jobs"][name] for name in ("score", "publish"))
    assert score["permissions"] == {"contents": "read"}
    assert "GITHUB_TOKEN" not in json.dumps(score)
    assert publish["runs-on"] == "ubuntu-24.04"
    assert {name for name, job in WORKFLOWS["score"]["jobs"].items()
            if "PUBLISH_KEY" in json.dumps(job)} == {"publish"}


def test_the_site_is_built_again_when_answers_are_merged() -> None:
    assert "annotations/**" in WORKFLOWS["site"]["on"]["push"]["paths"]


# ---- what linters see ------------------------------------------------------------------------


def tool(name: str, *words: str | Path) -> subprocess.CompletedProcess[str]:
    program = Path(sys.executable).with_name(name)
    if not program.is_file():
        pytest.skip(f"not installed: {name} (make test has it)")
    return subprocess.run([program, *words], capture_output=True, text=True, check=False, cwd=ROOT)


def zizmor(path: Path) -> set[str]:
    """What zizmor finds, by its names."""
    ran = tool("zizmor", "--offline", "--no-progress", "--persona=auditor", "--format=json",
               "--config", GITHUB / "zizmor.yml", path)
    return {finding["ident"] for finding in json.loads(ran.stdout)}


SEEN = {
    "actions-write": {"undocumented-permissions"}, "artifact-of-another-run": set(),
    "bash-env": set(), "default-shell": set(), "github-script": {"template-injection"},
    "head-in-capitals": set(), "letter-case": {"secrets-outside-env"}, "package-index": set(),
    "setup-installs": {"misfeature"}, "statuses-write": {"undocumented-permissions"},
    "two-lines": {"secrets-outside-env"}}
"""What zizmor sees of each bad workflow. It is blind to five of them; who merges must see those. Of
a permission too many it says only that no comment explains it."""


@pytest.mark.slow
@pytest.mark.claim("Of eleven bad workflows, linters see those that the test names.")
def test_linters_see_of_bad_workflows_what_the_table_says() -> None:
    assert {path.stem: zizmor(path) for path in sorted(CASES.iterdir())} == SEEN


@pytest.mark.slow
@pytest.mark.parametrize(("schema", "files"), [
    ("vendor.github-workflows", [*FILES, *CASES.iterdir()]),
    ("custom.github-workflows-require-timeout", FILES),
    ("vendor.dependabot", [GITHUB / "dependabot.yml"]),
])
def test_the_files_fit_the_schemas_of_github(schema: str, files: list[Path]) -> None:
    ran = tool("check-jsonschema", "--builtin-schema", schema, *files)
    assert ran.returncode == 0, ran.stdout


# ---- what a runner is told -------------------------------------------------------------------


HOSTILE = ["a\nb", "EOF", "x<<EOF\nadmin=true\nEOF", "ghadelimiter_1", "key=value", "\udc80",
           "\r\nplan=[]", "%0Aplan=1", "\u2028x=1", "::set-output name=n::0", "##[command]x",
           " ::error::x", "\x1b[31m", "\x85::error::x"]


@pytest.mark.parametrize("evil", HOSTILE)
def test_no_text_of_a_stranger_commands_a_runner(
    evil: str, capsys: pytest.CaptureFixture[str],
) -> None:
    runner.say(evil)
    log = capsys.readouterr().out
    assert log.isascii()
    assert not [line for line in log.splitlines() if RUNNER_COMMAND.search(line)]
    runner.annotate([Problem(evil, 1, 1, "PR-FILE", evil, evil, evil)])
    [line] = capsys.readouterr().out.splitlines()
    assert line.startswith("::error file=")
    assert "##[" not in line


@pytest.mark.parametrize("content", [b"", b"[" * 100_000, b"\xff", b'{"n": NaN'])
def test_an_event_that_cannot_be_read_is_our_fault_and_says_so(
    content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "event.json").write_bytes(content)
    monkeypatch.setenv("GITHUB_EVENT_PATH", str(tmp_path / "event.json"))
    with pytest.raises(DataError, match="GITHUB_EVENT_PATH: "):
        runner.event()
