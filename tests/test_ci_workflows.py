"""The workflows are what the program says, keep the policy, and every breach of it is caught."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from scorer.ci import doctor, policy, runner, workflows
from scorer.ci.definition import dump, load
from scorer.cli import main
from scorer.errors import DataError, Problem
from tests.ci_world import git
from tests.fuzz_helpers import RUNNER_COMMAND

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / workflows.FOLDER
FILES = sorted(FOLDER.glob("*"))
NEW = "f" * 40


def read(name: str) -> Any:
    return load((FOLDER / name).read_text("utf-8"))


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A checkout's workflows that a test may change."""
    shutil.copytree(ROOT / ".github", tmp_path / ".github")
    return tmp_path


# ---- generated -----------------------------------------------------------------------------


def test_the_committed_workflows_are_what_the_program_says() -> None:
    assert [path.name for path in FILES] == sorted(workflows.WORKFLOWS)
    assert workflows.stale(ROOT) == []  # else: scorer ci workflows --write


def test_writing_again_changes_no_byte(copied: Path) -> None:
    before = {path.name: path.read_bytes() for path in FILES}
    workflows.write(copied)
    assert {p.name: p.read_bytes() for p in (copied / workflows.FOLDER).glob("*")} == before


def test_on_stays_a_key_and_every_pin_has_its_tag() -> None:
    for path in FILES:
        text = path.read_text("utf-8")
        assert text.startswith("# Generated from scorer/ci/workflows.py;")
        assert re.search(r"^on:$", text, re.M)
        assert "on" in load(text)
        assert "&id" not in text
        for line in re.findall(r"uses: actions/.*", text):
            assert re.fullmatch(r"uses: actions/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line)


def test_words_that_old_yaml_takes_for_booleans_come_back_as_words() -> None:
    document = {"on": {"push": {}}, "x": ["yes", "no", "off", "y", True, False, "3.10"]}
    assert load(dump(document, {})) == document


def test_a_bump_by_dependabot_is_no_drift_and_survives_writing(copied: Path) -> None:
    path = copied / workflows.FOLDER / "site.yml"
    old = workflows.FIRST_PINS[workflows.CHECKOUT]
    bumped = path.read_text("utf-8").replace(f"{old.commit} # {old.tag}", f"{NEW} # v9.9.9")
    assert NEW in bumped
    path.write_text(bumped, "utf-8")
    assert workflows.stale(copied) == []
    workflows.write(copied)
    assert path.read_text("utf-8") == bumped


def test_one_action_at_two_commits_in_a_file_is_refused(copied: Path) -> None:
    path = copied / workflows.FOLDER / "score.yml"
    old = workflows.FIRST_PINS[workflows.CHECKOUT]
    path.write_text(path.read_text("utf-8").replace(old.commit, NEW, 1), "utf-8")
    with pytest.raises(DataError, match="actions/checkout is pinned to two commits; keep one"):
        workflows.stale(copied)


def test_a_file_changed_by_hand_and_a_file_of_nobody_are_named(
    copied: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    path = copied / workflows.FOLDER / "site.yml"
    path.write_text(path.read_text("utf-8").replace("pages: write", "pages: none"), "utf-8")
    (path.parent / "extra.yaml").write_text("on: push\n")
    assert main(["ci", "workflows", "--check", "--root", str(copied)]) == 3
    assert "not what the program says: extra.yaml, site.yml; run: " in capsys.readouterr().err


def test_every_line_that_is_run_is_a_literal_or_a_verb_there_is() -> None:
    from scorer.commands.ci import VERB

    lines = [step["run"] for path in FILES for job in read(path.name)["jobs"].values()
             for step in job.get("steps", ()) if "run" in step]
    assert set(workflows.LITERAL) <= set(lines)
    assert workflows.INSTALL == (
        "python -m pip install --require-hashes --only-binary :all: --no-deps -r locks/ci.txt")
    for line in set(lines) - set(workflows.LITERAL):
        found = re.fullmatch(r"(?:exec )?python -m scorer ci ([a-z]+)(?: --check)?", line)
        assert found is not None
        assert found[1] in {action.name for action in VERB.actions}


# ---- policy --------------------------------------------------------------------------------


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_workflow_keeps_the_policy(path: Path) -> None:
    assert list(policy.findings(load(path.read_text("utf-8")), path.name)) == []


def test_one_job_alone_may_write_to_pull_requests_and_none_to_the_repository() -> None:
    writers = {(path.name, name, scope) for path in FILES
               for name, job in read(path.name)["jobs"].items()
               for scope, level in job["permissions"].items() if level == "write"}
    assert writers == {
        ("score.yml", "publish", "pull-requests"), ("score.yml", "site", "pages"),
        ("score.yml", "site", "id-token"), ("site.yml", "deploy", "pages"),
        ("site.yml", "deploy", "id-token")}


Change = Callable[[dict[str, Any]], object]


def step(job: str, number: int) -> Callable[[dict[str, Any]], dict[str, Any]]:
    def find(document: dict[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = document["jobs"][job]["steps"][number]
        return found

    return find


def job(document: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = document["jobs"][name]
    return found


BREACHES: dict[str, tuple[str, Change, str]] = {
    "pull_request_target": ("validate.yml", lambda d: d["on"].update(pull_request_target={}),
                            "the event pull_request_target is banned"),
    "workflow_run": ("site.yml", lambda d: d["on"].update(workflow_run={}),
                     "the event workflow_run is banned"),
    "issue_comment": ("score.yml", lambda d: d.update(on="issue_comment"),
                      "the event issue_comment is banned"),
    "permissions for all": ("ci.yml", lambda d: d.update(permissions="write-all"),
                            "permissions at the top must be {}"),
    "no permissions of a job": ("ci.yml", lambda d: job(d, "test").pop("permissions"),
                                "permissions must be named one by one"),
    "no time-out": ("ci.yml", lambda d: job(d, "test").pop("timeout-minutes"),
                    "timeout-minutes must be 1 to 120"),
    "no concurrency": ("site.yml", lambda d: d.pop("concurrency"), "no concurrency group"),
    "a cancelled deployment": ("site.yml",
                               lambda d: d["concurrency"].update({"cancel-in-progress": True}),
                               "what scores or publishes is never cancelled"),
    "an expression in a line": ("validate.yml", lambda d: step("validate", 3)(d).update(
        run="python -m scorer ci validate --out ${{ github.head_ref }}"),
        "an expression inside run"),
    "two lines": ("validate.yml", lambda d: step("validate", 3)(d).update(
        run="python -m scorer ci validate\nrm -rf x"),
        "run is neither one line of scorer ci nor a known literal"),
    "a tag instead of a commit": ("ci.yml", lambda d: step("test", 0)(d).update(
        uses="actions/checkout@v7"), "is not an action of GitHub's own at a 40-digit commit"),
    "somebody's action": ("ci.yml", lambda d: step("test", 0)(d).update(
        uses=f"tj-actions/changed-files@{NEW}"),
        "is not an action of GitHub's own at a 40-digit commit"),
    "credentials that stay": ("validate.yml", lambda d: step("validate", 0)(d)["with"].pop(
        "persist-credentials"), "persist-credentials must be false"),
    "an unsafe checkout": ("validate.yml", lambda d: step("validate", 0)(d)["with"].update(
        {"allow-unsafe-pr-checkout": True}), "allow-unsafe-pr-checkout"),
    "a stranger's files": ("validate.yml", lambda d: step("validate", 0)(d)["with"].update(
        ref="${{ github.event.pull_request.head.sha }}"),
        "a pull request is never checked out by its own reference"),
    "a stranger's repository": ("validate.yml", lambda d: step("validate", 0)(d)[
        "with"].update(repository="x/y"), "nothing but this repository is checked out"),
    "a write for a pull request": ("validate.yml", lambda d: job(d, "validate").update(
        permissions={"pull-requests": "write"}), "a pull request may not write: pull-requests"),
    "a secret for a pull request": ("validate.yml", lambda d: step("validate", 3)(d).update(
        env={"X": "${{ secrets.X }}"}), "a pull request sees no secret and no environment"),
    "a machine of ours for a pull request": ("validate.yml", lambda d: job(d, "validate").update(
        {"runs-on": ["self-hosted", "gpu"]}), "a pull request runs on hosted machines only"),
    "a secret without an environment": ("score.yml", lambda d: job(d, "publish").pop(
        "environment"), "a secret needs an environment"),
    "a machine of ours that writes": ("score.yml", lambda d: job(d, "score").update(
        permissions={"contents": "write"}), "a machine of our own may not write"),
    "a cache": ("score.yml", lambda d: step("plan", 1)(d)["with"].update(cache="pip"),
                "no cache is used"),
    "a secret for the whole workflow": ("score.yml", lambda d: d.update(
        env={"X": "${{ secrets.X }}"}), "env and defaults belong to a step"),
    "secrets for a called workflow": ("score.yml", lambda d: job(d, "site").update(
        secrets="inherit"), "a called workflow gets no secrets"),
    "a container": ("ci.yml", lambda d: job(d, "test").update(container="x"),
                    "no container, service or matrix is used"),
    "a failure that is passed over": ("score.yml", lambda d: step("plan", 2)(d).update(
        {"continue-on-error": True}), "no shell, working-directory or continue-on-error"),
}


@pytest.mark.claim("Every breach of the workflow policy is caught by a negative example.")
@pytest.mark.parametrize("case", BREACHES)
def test_every_breach_of_the_policy_is_caught(case: str) -> None:
    name, breach, wanted = BREACHES[case]
    document = deepcopy(read(name))
    breach(document)
    assert wanted in "\n".join(policy.findings(document, name))


@pytest.mark.parametrize("document", [None, [], "x", {}, {"jobs": []}])
def test_what_is_no_workflow_is_said_to_be_none(document: Any) -> None:
    assert list(policy.findings(document, "x.yml")) == ["x.yml: no workflow"]


# ---- other people's tools ------------------------------------------------------------------


def tool(name: str, *words: str | Path) -> subprocess.CompletedProcess[str]:
    place = Path(sys.executable).with_name(name)
    if not place.is_file():
        pytest.skip(f"not installed: {name} (make test has it)")
    return subprocess.run([place, *words], capture_output=True, text=True, check=False,
                          cwd=ROOT)


@pytest.mark.slow
def test_zizmor_finds_nothing_but_what_has_a_reason() -> None:
    ran = tool("zizmor", "--offline", "--no-progress", "--persona=auditor", "--format=json",
               "--config", ROOT / ".github" / "zizmor.yml", ROOT / ".github")
    assert [found["ident"] for found in json.loads(ran.stdout)] == [], ran.stderr


@pytest.mark.slow
def test_zizmor_still_finds_what_is_bad(tmp_path: Path) -> None:
    document = deepcopy(read("validate.yml"))
    document["on"] = {"pull_request_target": {}}
    step("validate", 3)(document)["run"] = "echo ${{ github.event.pull_request.title }}"
    place = tmp_path / ".github" / "workflows"
    place.mkdir(parents=True)
    (place / "bad.yml").write_text(dump(document, {}))
    ran = tool("zizmor", "--offline", "--no-progress", "--format=json", tmp_path)
    found = {one["ident"] for one in json.loads(ran.stdout)}
    assert {"dangerous-triggers", "template-injection"} <= found


@pytest.mark.slow
@pytest.mark.parametrize(("schema", "files"), [
    ("vendor.github-workflows", FILES), ("custom.github-workflows-require-timeout", FILES),
    ("vendor.dependabot", [ROOT / ".github" / "dependabot.yml"]),
])
def test_the_files_fit_the_schemas_of_github(schema: str, files: list[Path]) -> None:
    ran = tool("check-jsonschema", "--builtin-schema", schema, *files)
    assert ran.returncode == 0, ran.stdout


@pytest.mark.slow
def test_the_schema_of_github_finds_a_misspelt_key(tmp_path: Path) -> None:
    document = deepcopy(read("ci.yml"))
    job(document, "test")["timeout-minute"] = 3
    (tmp_path / "bad.yml").write_text(dump(document, {}))
    ran = tool("check-jsonschema", "--builtin-schema", "vendor.github-workflows",
               tmp_path / "bad.yml")
    assert ran.returncode == 1


# ---- what is said to a runner --------------------------------------------------------------


HOSTILE = ["a\nb", "EOF", "x<<EOF\nadmin=true\nEOF", "ghadelimiter_1", "key=value", "\udc80",
           "\r\nplan=[]", "%0Aplan=1", "\u2028x=1", "::set-output name=n::0", "##[command]x",
           " ::error::x", "\x1b[31m", "\x85::error::x"]


@pytest.mark.parametrize("evil", HOSTILE)
def test_an_output_is_one_line_of_ascii_whatever_is_in_it(
    evil: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GITHUB_OUTPUT", str(tmp_path / "output"))
    runner.output("plan", {"x": evil})
    [line, end] = (tmp_path / "output").read_text().split("\n")
    assert end == ""
    assert line.isascii()
    assert json.loads(line.removeprefix("plan=")) == {"x": evil}


@pytest.mark.parametrize("evil", HOSTILE)
def test_no_text_of_a_stranger_commands_a_runner(
    evil: str, capsys: pytest.CaptureFixture[str],
) -> None:
    runner.say(evil)
    told = capsys.readouterr().out
    assert told.isascii()
    assert not [line for line in told.splitlines() if RUNNER_COMMAND.search(line)]
    runner.annotate([Problem(evil, 1, 1, "PR-FILE", evil, evil, evil)])
    [line] = capsys.readouterr().out.splitlines()
    assert line.startswith("::error file=")
    assert "##[" not in line


def test_only_known_outputs_of_a_fitting_size_are_set() -> None:
    with pytest.raises(ValueError, match="no output 'path'"):
        runner.output("path", "x")
    with pytest.raises(DataError, match="plan fewer submissions"):
        runner.output("plan", "x" * 130_000)


def test_a_summary_is_cut_before_github_refuses_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary"))
    runner.summary("line\n" * 50_000)
    text = (tmp_path / "summary").read_text()
    assert len(text) < 65_536
    assert text.endswith("line\n\nThe rest is left out.\n")


@pytest.mark.parametrize("content", [b"", b"[]", b"[" * 100_000, b"\xff", b'{"n": NaN'])
def test_an_event_that_cannot_be_read_is_our_fault_and_told(
    content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "event.json").write_bytes(content)
    monkeypatch.setenv("GITHUB_EVENT_PATH", str(tmp_path / "event.json"))
    with pytest.raises(DataError, match="GITHUB_EVENT_PATH: "):
        runner.event()


# ---- what a maintainer has -----------------------------------------------------------------


def test_the_doctor_names_what_is_missing(tmp_path: Path, copied: Path) -> None:
    git(copied, "init", "--quiet")
    (copied / ".github" / "CODEOWNERS").unlink()
    (copied / workflows.FOLDER / "site.yml").unlink()
    said = "\n".join(doctor.findings(copied))
    assert ".github/CODEOWNERS is missing; take it from the original repository" in said
    assert "site.yml is not what the program says; run: scorer ci workflows --write" in said
    assert "there is no remote origin; add it" in said


def test_the_doctor_names_what_a_new_maintainer_must_write(copied: Path) -> None:
    git(copied, "init", "--quiet")
    git(copied, "remote", "add", "origin", "https://example.org/me/board.git")
    said = "\n".join(doctor.findings(copied))
    assert ".github/CODEOWNERS still says @maintainers in 2 lines" in said
    owners = copied / ".github" / "CODEOWNERS"
    owners.write_text("# as @maintainers was before\n* @me\n/submissions/ @me\n")
    assert "CODEOWNERS" not in "\n".join(doctor.findings(copied))
    owners.write_text("* @me\n")
    assert "no owner for /submissions/" in "\n".join(doctor.findings(copied))


@pytest.mark.slow
def test_the_attacks_are_printed_as_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ci", "simulate-attack", "--items", "40", "--runs", "1"]) == 0
    assert capsys.readouterr().out.startswith("| policy | flip one |")
    assert main(["ci", "simulate-attack", "--items", "39"]) == 2


def test_the_handbook_names_every_setting_secret_and_environment() -> None:
    handbook = "".join((ROOT / "docs" / f"{name}.md").read_text("utf-8")
                       for name in ("set-up", "scoring-machine"))
    for path in FILES:
        text = path.read_text("utf-8")
        named = {*re.findall(r"(?:secrets|vars)\.(\w+)", text),
                 *re.findall(r"environment: (\S+)", text), *re.findall(r"group: (scoring)$", text)}
        for name in named:
            assert f"`{name}`" in handbook, name
    for event in policy.EVENTS:
        assert f"`{event}`" in handbook


def test_issue_forms_and_owners_are_there() -> None:
    forms = {path.name for path in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml")}
    assert forms == {"config.yml", "gold-dispute.yml", "submission-problem.yml", "withdrawal.yml"}
    owners = (ROOT / ".github" / "CODEOWNERS").read_text("utf-8")
    lines = [line.split()[0] for line in owners.splitlines() if line and line[0] != "#"]
    assert lines == ["*", "/submissions/"]


@pytest.mark.slow
def test_issue_forms_are_read_by_github() -> None:
    forms = [path for path in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml")
             if path.name != "config.yml"]
    ran = tool("check-jsonschema", "--builtin-schema", "vendor.github-issue-forms", *forms)
    if "Invalid value for '--builtin-schema'" in ran.stderr:
        for path in forms:
            assert {"name", "description", "body"} <= set(load(path.read_text("utf-8")))
    else:
        assert ran.returncode == 0, ran.stdout
