"""The script that sets up GitHub, run by a shell with a ``gh`` that writes down its calls."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from scorer.cli import main
from scorer.pipeline.adopting import repository
from tests.ci_world import git

ROOT = Path(__file__).resolve().parent.parent
CASES = ROOT / "tests" / "cases" / "settings"
GH = f"""#!{sys.executable} -IS
import json, os, sys
words = sys.argv[1:]
with open(os.environ["CALLS"], "a") as calls:
    print("gh", *(word.split("\\n")[0] for word in words), file=calls)
    if "--input" in words:
        print("   ", json.dumps(json.load(sys.stdin)), file=calls)
    elif words[:2] == ["secret", "set"]:
        print("   ", sys.stdin.read(20), file=calls)
for part, answer in json.loads(os.environ["ANSWERS"]).items():
    if part in " ".join(words):
        print(answer)
"""
KEYGEN = """#!/bin/sh
while [ $# -gt 1 ]; do shift; done
echo '-----BEGIN OPENSSH PRIVATE KEY-----' > "$1"
echo 'ssh-ed25519 AAAA publisher' > "$1.pub"
"""
FIRST = {"repo view": "octo-lab/board", ".html_url": "https://octo-lab.github.io/board/",
         "--jq .id": "7"}
AGAIN = {**FIRST, "secret list": "PUBLISH_KEY", ".branch_policies": "main",
         'select(.name == "main")': "31", ".runner_groups": "scoring"}
RULES = ("annotations deletion non_fast_forward pull_request required_status_checks squash "
         "validate")

Ran = subprocess.CompletedProcess[str]
Play = Callable[..., tuple[Ran, str]]


@pytest.fixture
def play(tmp_path: Path) -> Play:
    """Runs the script in a repository of boards; returns how it ended and the calls of gh."""
    programs, root, calls = tmp_path / "programs", tmp_path / "root", tmp_path / "calls"
    programs.mkdir()
    scorer = f"#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m scorer \"$@\"\n"
    for name, text in (("gh", GH), ("ssh-keygen", KEYGEN), ("scorer", scorer)):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    repository.init(root, "My benchmark")

    def run(word: str, answers: dict[str, str]) -> tuple[Ran, str]:
        calls.unlink(missing_ok=True)
        environment = {name: value for name, value in os.environ.items()
                       if name != "GITHUB_REPOSITORY"}
        ran = subprocess.run(
            ["sh", ".github/settings.sh", word], capture_output=True, text=True, check=False,
            cwd=root, env={**environment, "PATH": f"{programs}:{os.environ['PATH']}",
                           "CALLS": str(calls), "HOME": str(tmp_path),
                           "TMPDIR": str(tmp_path), "ANSWERS": json.dumps(answers)})
        text = calls.read_text() if calls.is_file() else ""
        return ran, re.sub(re.escape(str(tmp_path)) + r"/\w+\.\w+/publish", "KEYS/publish", text)

    return run


@pytest.mark.claim("One script sets up GitHub: its calls are those of a committed list.")
@pytest.mark.parametrize(("case", "word", "answers"), [
    ("hosted", "hosted", FIRST), ("gpu", "gpu", FIRST), ("again", "gpu", AGAIN)])
def test_the_calls_of_the_script_are_those_of_the_list(
    case: str, word: str, answers: dict[str, str], play: Play,
) -> None:
    ran, calls = play(word, answers)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "CODEOWNERS still says @maintainers" in ran.stdout
    assert calls == (CASES / f"{case}.txt").read_text("utf-8")


def test_the_script_sets_every_secret_variable_and_environment_of_the_workflows() -> None:
    script = (ROOT / ".github" / "settings.sh").read_text("utf-8")
    workflows = "".join(path.read_text("utf-8")
                        for path in (ROOT / ".github" / "workflows").iterdir())
    used = set(re.findall(r"(?:secrets|vars)\.(\w+)", workflows))
    by_hand = {"WHYBOARD_MEMORY"}  # only where three quarters of a machine are not right
    assert used - by_hand == set(re.findall(r"(?:secret|variable) set (\w+)", script))
    for name in set(re.findall(r"environment: ([\w-]+)", workflows)):
        assert re.search(rf"for name in .*\b{name}\b", script), name


def test_hidden_gold_gets_its_key(play: Play, tmp_path: Path) -> None:
    pytest.importorskip("pyrage")
    data = tmp_path / "data"
    data.mkdir()
    (data / "test.tsv").write_text("cats are pets\tcats purr\n")
    assert main(["board", "new", "secret", "--data", str(data), "--boards",
                 str(tmp_path / "root" / "boards")]) == 0
    ran, calls = play("hosted", FIRST)
    assert ran.returncode == 0, ran.stderr
    assert ("gh secret set WHYBOARD_GOLD_IDENTITY --repo octo-lab/board --env scoring\n"
            "    AGE-SECRET-KEY-1") in calls
    assert "WHYBOARD_GOLD_SOURCE --repo octo-lab/board --env scoring --body age:gold" in calls


@pytest.mark.parametrize(("rules", "code"), [
    (RULES, 0), (RULES.replace("squash", "merge squash"), 3), ("", 3)])
def test_the_audit_compares_the_rules_of_main_and_sets_nothing(
    rules: str, code: int, play: Play,
) -> None:
    ran, calls = play("check", {**FIRST, "rules/branches/main": rules})
    assert ran.returncode == code
    assert ("expected 'annotations deletion" in ran.stderr) == bool(code)
    assert "--method" not in calls


@pytest.mark.parametrize("word", ["", "push"])
def test_without_a_known_word_it_says_how_it_is_called(word: str, play: Play) -> None:
    ran, calls = play(word, FIRST)
    assert (ran.returncode, calls) == (2, "")
    assert ran.stderr.startswith("sh .github/settings.sh hosted")


# ---- what a checkout lacks -------------------------------------------------------------------


def test_the_doctor_names_what_waits_for_a_maintainer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    repository.init(tmp_path, "My benchmark")
    git(tmp_path, "init", "--quiet")
    (tmp_path / "notes.txt").write_text("AGE-SECRET-KEY-1" + "QPZRY9X8" * 7 + "GF")
    assert main(["ci", "doctor", "--root", str(tmp_path)]) == 3
    report = capsys.readouterr().out
    assert ".github/CODEOWNERS still says @maintainers; write your account or team" in report
    assert "site/about.md:6: a text is still to be filled in" in report
    assert "notes.txt holds a secret key; remove it from git" in report
    (tmp_path / ".github" / "CODEOWNERS").write_text("* @me\n")
    assert not [line for line in repository.lacking(tmp_path) if "CODEOWNERS" in line]


def test_locks_are_installed_by_digest_and_the_program_where_it_is_pinned(tmp_path: Path) -> None:
    shutil.copytree(ROOT / ".github", tmp_path / ".github")
    (tmp_path / "python").write_text('#!/bin/sh\necho "$@" >> calls\n')
    (tmp_path / "python").chmod(0o755)
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    command = ["sh", ".github/install.sh", "score", "model"]
    subprocess.run(command, cwd=tmp_path, env=environment, check=True)
    (tmp_path / "requirements.txt").touch()
    subprocess.run(command, cwd=tmp_path, env=environment, check=True)
    pip = "-m pip install --only-binary :all: --no-deps"
    locks = [f"{pip} --require-hashes -r locks/{name}.txt" for name in ("score", "model")]
    assert (tmp_path / "calls").read_text().splitlines() == [
        *locks, *locks, f"{pip} -r requirements.txt"]
