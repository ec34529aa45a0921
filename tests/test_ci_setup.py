"""The script that sets up GitHub, run in a shell with a ``gh`` that writes down what it is told."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from scorer.adopting import repository
from scorer.ci import policy, settings, workflows
from scorer.ci.definition import load
from scorer.cli import main
from scorer.errors import DataError, UsageError
from tests.ci_world import BOARD, Runner, World, git, good

ROOT = Path(__file__).resolve().parent.parent
NAME = "octo-lab/board"
KEY = "-----BEGIN OPENSSH PRIVATE KEY-----\nkey\n"
GH = f"""#!{sys.executable}
import json, os, sys
words = sys.argv[1:]
given = sys.stdin.read() if "--input" in words or words[:2] == ["secret", "set"] else ""
with open(os.environ["TOLD"], "a") as file:
    file.write(json.dumps([words, given]) + "\\n")
answers = json.loads(os.environ["ANSWERS"])
for part, answer in answers.items():
    if part in " ".join(words):
        print(answer)
"""
KEYGEN = """#!/bin/sh
while [ $# -gt 1 ]; do shift; done
printf -- '-----BEGIN OPENSSH PRIVATE KEY-----\\nkey\\n' > "$1"
printf 'ssh-ed25519 AAAA publisher\\n' > "$1.pub"
"""


class Call(NamedTuple):
    """One call of gh."""

    words: list[str]
    given: str

    @property
    def text(self) -> str:
        """The words as one line."""
        return " ".join(self.words)


Play = Callable[..., list[Call]]


@pytest.fixture
def play(tmp_path: Path) -> Play:
    """Runs a script; returns what gh was told."""
    programs = tmp_path / "programs"
    programs.mkdir()
    scorer = f"#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m scorer \"$@\"\n"
    for name, text in (("gh", GH), ("ssh-keygen", KEYGEN), ("scorer", scorer)):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)

    def run(script: str, **answers: str) -> list[Call]:
        told = tmp_path / "told"
        told.unlink(missing_ok=True)
        ran = subprocess.run(
            ["bash", "-c", script], capture_output=True, text=True, check=False, cwd=tmp_path,
            env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "TOLD": str(told),
                 "HOME": str(tmp_path), "ANSWERS": json.dumps(answers)})
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return [Call(*json.loads(line)) for line in told.read_text().splitlines()]

    return run


@pytest.fixture
def adopted(tmp_path: Path) -> Path:
    """A repository of boards alone."""
    folder = tmp_path / "root"
    folder.mkdir()
    repository.apply(repository.plan(folder))
    workflows.write(folder)
    return folder


def hide(root: Path) -> None:
    """Give the repository a board with hidden gold."""
    data = root / "data"
    data.mkdir()
    (data / "test.tsv").write_text("cats are pets\tcats purr\n")
    assert main(["board", "new", "secret", "--data", str(data), "--boards",
                 str(root / "boards")]) == 0


def body(calls: list[Call], place: str) -> Any:
    """What was sent to an address."""
    [call] = [call for call in calls if call.given and place in call.words]
    return json.loads(call.given)


def test_the_script_sets_every_secret_variable_and_environment_of_the_workflows(
    adopted: Path, play: Play,
) -> None:
    hide(adopted)
    calls = play(settings.script(adopted, NAME), **{".html_url": "https://octo-lab.github.io/b/"})
    texts = [call.text for call in calls]
    used = set()
    for file in (adopted / workflows.FOLDER).iterdir():
        document = load(file.read_text("utf-8"))
        for job in document["jobs"].values():
            used |= set(re.findall(r"(?:secrets|vars)\.(\w+)", json.dumps(job)))
            if "environment" in job:
                assert any(f"environments/{job['environment']} " in f"{text} " for text in texts)
    assert used == {"PUBLISH_KEY", "WHYBOARD_GOLD_IDENTITY", "WHYBOARD_GOLD_SOURCE",
                    "WHYBOARD_MEMORY", "WHYBOARD_SITE_URL"}
    for name, where in (("PUBLISH_KEY", " --env publishing"),
                        ("WHYBOARD_GOLD_IDENTITY", " --env scoring"),
                        ("WHYBOARD_GOLD_SOURCE", " --env scoring --body age:gold"),
                        ("WHYBOARD_SITE_URL", " --body https://octo-lab.github.io/b/")):
        assert any(text.endswith(f"set {name} --repo {NAME}{where}") for text in texts), name
    [key] = [call.given for call in calls if "PUBLISH_KEY" in call.words and call.given]
    assert key == KEY
    [identity] = [call.given for call in calls if "WHYBOARD_GOLD_IDENTITY" in call.words]
    assert identity.startswith("AGE-SECRET-KEY-1")


def test_a_pull_request_must_pass_the_jobs_that_check_it(adopted: Path, play: Play) -> None:
    rules = body(play(settings.script(adopted, NAME)), f"repos/{NAME}/rulesets")
    kinds = {rule["type"]: rule.get("parameters") for rule in rules["rules"]}
    assert [check["context"] for check in
            kinds["required_status_checks"]["required_status_checks"]] == [
                "test", "validate", "annotations"]
    for name in ("ci", "validate", "annotations"):
        jobs = load((adopted / workflows.FOLDER / f"{name}.yml").read_text())["jobs"]
        assert list(jobs) == [{"ci": "test"}.get(name, name)]
    assert kinds["pull_request"]["require_code_owner_review"] is True
    assert {"deletion", "non_fast_forward"} <= set(kinds)
    assert [actor["actor_type"] for actor in rules["bypass_actors"]] == ["DeployKey"]


def test_a_lone_maintainer_may_merge_but_not_push(adopted: Path) -> None:
    actors = settings.ruleset(["test"], alone=True)["bypass_actors"]
    assert [(actor["actor_type"], actor["bypass_mode"]) for actor in actors] == [
        ("DeployKey", "always"), ("RepositoryRole", "pull_request")]


def test_without_hidden_gold_no_key_of_it_is_made(adopted: Path, play: Play) -> None:
    assert not [call for call in play(settings.script(adopted, NAME)) if "GOLD" in call.text]


def test_a_second_run_keeps_the_key_and_changes_the_same_ruleset(
    adopted: Path, play: Play,
) -> None:
    calls = play(settings.script(adopted, NAME), **{
        "secret list": "PUBLISH_KEY", "branch_policies": "main", "select(.name": "31"})
    assert not [call for call in calls if "deploy-key" in call.words
                or call.words[:2] == ["secret", "set"]]
    assert [call.words[3] for call in calls if call.text.endswith(
        f"repos/{NAME}/rulesets/31 --input -")] == ["PUT"]
    assert not [call for call in calls if call.text.endswith("type=branch")]


def on_machines_of(root: Path, group: str) -> None:
    """Let a group of machines score."""
    path = root / workflows.FOLDER / "score.yml"
    head, job, rest = path.read_text("utf-8").partition("\n  score:\n")
    rest = rest.replace("runs-on: ubuntu-24.04",
                        f"runs-on: {{group: {json.dumps(group)}, labels: [gpu]}}", 1)
    path.write_text(head + job + rest, "utf-8")


@pytest.mark.parametrize("name", ["scoring", "GPU machines v1.2"])
def test_a_group_of_machines_serves_one_workflow_of_one_branch(
    name: str, adopted: Path, play: Play,
) -> None:
    on_machines_of(adopted, name)
    calls = play(settings.script(adopted, NAME), **{"--jq .id": "7"})
    group = body(calls, "orgs/octo-lab/actions/runner-groups")
    assert group["name"] == name
    assert group["selected_workflows"] == [
        f"{NAME}/.github/workflows/score.yml@refs/heads/main"]
    assert group["restricted_to_workflows"] is True
    assert calls[-1].words[0] == "api"
    assert any("runner-groups/7/repositories/7" in call.text for call in calls)


@pytest.mark.parametrize("name", [
    "x; touch here", "$(touch here)", "x'; touch here; '", "x\nJSON\ntouch here", "-q", "x" * 101])
def test_a_group_whose_name_a_shell_could_run_is_refused(name: str, adopted: Path) -> None:
    on_machines_of(adopted, name)
    with pytest.raises(DataError, match="is no name for the runner group; expected 1 to 100"):
        settings.script(adopted, NAME)


@pytest.mark.parametrize(("origin", "name"), [
    ("https://github.com/octo-lab/board.git", NAME), ("git@github.com:octo-lab/board.git", NAME),
    ("https://github.com/octo-lab/board", NAME), ("https://example.org/a/b", None),
    ("https://github.com/octo$(x)/board", None),
])
def test_the_repository_is_that_of_the_remote(
    tmp_path: Path, origin: str, name: str | None,
) -> None:
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "remote", "add", "origin", origin)
    if name is None:
        with pytest.raises(UsageError, match="name yours with --repository OWNER/NAME"):
            settings.repository_of(tmp_path, None)
    else:
        assert settings.repository_of(tmp_path, None) == name


def test_setting_up_prints_and_runs_nothing(
    adopted: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
) -> None:
    git(adopted, "init", "--quiet")
    monkeypatch.setenv("PATH", "")
    assert main(["ci", "setup", "--print", "--root", str(adopted), "--repository", NAME]) == 0
    assert capsys.readouterr().out == settings.script(adopted, NAME)


# ---- scoring in a private repository -----------------------------------------------------------


def test_a_private_repository_scores_and_pushes_and_the_public_one_keeps_no_key(
    adopted: Path, play: Play,
) -> None:
    workflows.write(adopted, elsewhere=True)
    assert workflows.stale(adopted) == []
    workflows.write(adopted)  # stays so
    public = load((adopted / workflows.FOLDER / "score.yml").read_text())
    assert set(public["jobs"]) == {"comment", "site"}
    assert public["on"]["push"]["paths"] == ["results/**", "ledger/**"]
    assert list(policy.findings(public, "score.yml")) == []
    assert "secrets" not in json.dumps(public)
    made = load(workflows.private_text(adopted, NAME))
    assert set(made["jobs"]) == {"plan", "score", "publish"}
    assert made["jobs"]["score"]["runs-on"] == ["self-hosted", "gpu"]
    calls = play(settings.script(adopted, NAME, scoring="octo-lab/private"))
    set_there = [call.text for call in calls if "set" in call.words[1:2]]
    assert "secret set PUBLISH_KEY --repo octo-lab/private" in set_there
    assert any(call.text.endswith(f"--repo {NAME} --allow-write --title publisher")
               for call in calls)
    (adopted / workflows.FOLDER / "score.yml").unlink()
    workflows.write(adopted)
    assert "score" in load((adopted / workflows.FOLDER / "score.yml").read_text())["jobs"]


def test_the_private_workflow_has_the_steps_of_the_public_one_on_its_files(adopted: Path) -> None:
    made = load(workflows.private_text(adopted, NAME))
    usual = load((adopted / workflows.FOLDER / "score.yml").read_text())
    for name, job in made["jobs"].items():
        theirs = usual["jobs"][name]["steps"]
        assert [step.get("run") for step in job["steps"]] == [step.get("run") for step in theirs]
        assert "environment" not in job
        for step in job["steps"]:
            if "checkout" in step.get("uses", ""):
                assert step["with"]["repository"] == NAME
            if "scorer ci" in step.get("run", ""):
                assert step["env"]["WHYBOARD_REPOSITORY"] == NAME
    assert "GITHUB_TOKEN" not in json.dumps(made["jobs"]["publish"])
    assert {line.partition(": ")[2] for line in policy.findings(made, "score.yml")} <= {
        "nothing but this repository is checked out", "a secret needs an environment",
        "step 1: nothing but this repository is checked out",
        "step 1: persist-credentials must be false, but where a deploy key pushes"}


@pytest.mark.slow
@pytest.mark.claim("A private repository can score for a public one, which comments and builds.")
def test_by_these_lines_a_submission_becomes_a_row_and_the_public_repository_comments(
    seed: Path, tmp_path: Path,
) -> None:
    world = World.of(seed, tmp_path)
    with world.github():
        number = world.open(good("alice"))
        world.merge(number)
        private = Runner(world, repository="o/private",
                         documents={"score.yml": workflows.private(ROOT, "o/r")})
        ran = private.score()
        assert all(job.ok for job in ran.values()), [job.log for job in ran.values()]
        assert json.loads(world.file(f"results/{BOARD}/alice/a-system/dev.json"))["key"] == (
            world.outcomes()[0]["result"])
        assert world.comments == []
        elsewhere = workflows.ELSEWHERE.document(workflows.FIRST_PINS)
        told = Runner(world, documents={"score.yml": elsewhere}).job("score.yml", "comment")
    assert told.ok, told.log
    assert [comment["on"] for comment in world.comments] == [number]


def test_a_run_serves_the_repository_that_it_names(monkeypatch: pytest.MonkeyPatch) -> None:
    from scorer.ci.runner import repository_name

    monkeypatch.setenv("GITHUB_REPOSITORY", "octo-lab/private")
    assert repository_name() == "octo-lab/private"
    monkeypatch.setenv("WHYBOARD_REPOSITORY", NAME)
    assert repository_name() == NAME


# ---- can the program be installed? -------------------------------------------------------------


def test_doctor_says_when_pip_does_not_find_the_pinned_version(
    adopted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    from scorer.ci import doctor

    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    found = doctor.installable(adopted)
    assert found.measured
    assert "No matching distribution found for whyboard" in found.said
    assert doctor.installable(ROOT) == doctor.Installable(True)  # it holds the program itself


def test_doctor_measures_nothing_where_no_index_answers(
    adopted: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:
    for name in ("PIP_NO_INDEX", "PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL", "PIP_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    git(adopted, "init", "--quiet")
    main(["ci", "doctor", "--root", str(adopted)])
    said = capsys.readouterr().out
    assert "not measured: whether the program can be installed; the package index gave no" in said
