"""``scorer submit`` in real clones: the branch, its bytes, its check, and what stays untouched."""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from scorer.cli import main
from tests.ci_world import BOARD, GOLD, IDENTITY, META, ROOT, git

OWNERS = "submissions/teams/my-team.yaml"
FOLDER = f"submissions/{BOARD}/my-team/my-system"
BRANCH = f"submit/{BOARD}/my-team/my-system"
LAB = "https://github.com/some-lab/board.git"
ME = "git@github.com:me/board.git"


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The benchmark's repository and a fork of it, both bare, for copies."""
    top = tmp_path_factory.mktemp("hosted")
    seed = top / "seed"
    shutil.copytree(ROOT / "boards" / BOARD, seed / "boards" / BOARD)
    (seed / "submissions").mkdir()
    (seed / "submissions" / "README.md").write_text("Submitting\n")
    git(top, "init", "--quiet", "--initial-branch=main", str(seed))
    git(seed, "add", "--all")
    git(seed, "commit", "--quiet", "--message=Start")
    for name in ("lab.git", "me.git"):
        git(top, "clone", "--quiet", "--bare", str(seed), str(top / name))
        git(top / name, "config", "uploadpack.allowFilter", "true")
    return top


@pytest.fixture
def clone(hosted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A clone with the remotes of the page on submitting, and a submission in its work tree."""
    for name in ("lab.git", "me.git"):
        shutil.copytree(hosted / name, tmp_path / name)
    settings = tmp_path / "gitconfig"
    settings.write_text(
        "[user]\nname = Me\nemail = me@example.org\n"
        f'[url "{tmp_path}/lab.git"]\ninsteadOf = {LAB}\n'
        f'[url "{tmp_path}/me.git"]\ninsteadOf = {ME}\n')
    for name in IDENTITY:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("PATH", f"{tmp_path}/programs:{os.environ['PATH']}")
    gh(tmp_path, "exit 1")
    folder = tmp_path / "clone"
    ask(tmp_path, "clone", "--quiet", LAB, str(folder))
    ask(folder, "remote", "add", "fork", ME)
    submission(folder / FOLDER)
    monkeypatch.chdir(folder)
    return folder


def gh(folder: Path, does: str) -> None:
    """The program gh, which does no more than this."""
    path = folder / "programs" / "gh"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{does}\n")
    path.chmod(0o755)


def submission(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "submission.yaml").write_text(META)
    (folder / "predictions.dev.tsv").write_bytes(GOLD.read_bytes())
    return folder


def ask(folder: Path, *words: str) -> str:
    """Git as the user of the clone runs it."""
    ran = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, check=False)
    assert ran.returncode == 0, ran.stderr.decode()
    return ran.stdout.decode().strip()


Submit = Callable[..., str]


@pytest.fixture
def submit(capsys: pytest.CaptureFixture[str]) -> Submit:
    """Runs the command; returns everything it prints."""
    def run(*words: str, code: int = 0, owner: str = "--owner=me#1001") -> str:
        assert main(["submit", *words, *filter(None, [owner])]) == code
        return "".join(capsys.readouterr())

    return run


def everything(clone: Path) -> dict[str, str]:
    """Every file of a clone with its digest, .git included but for objects that nothing names."""
    return {str(path.relative_to(clone)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(clone.rglob("*")) if path.is_file() and "objects" not in path.parts}


def files_of(clone: Path, commit: str) -> list[str]:
    return ask(clone, "diff", "--name-status", "--no-renames", f"{commit}^", commit).split("\n")


NEW = [f"A\t{FOLDER}/predictions.dev.tsv", f"A\t{FOLDER}/submission.yaml", f"A\t{OWNERS}"]


@pytest.mark.claim("Sent by `scorer submit`, a submission's files alone are committed, byte by "
                   "byte; work tree, index and other branches stay as they were.")
def test_one_commit_on_the_base_has_the_folder_s_bytes_and_nothing_else_changes(
    clone: Path, submit: Submit,
) -> None:
    (clone / "submissions" / "README.md").write_text("changed\n")
    (clone / "staged.txt").write_text("staged\n")
    ask(clone, "add", "staged.txt")
    (clone / ".git" / "info" / "exclude").write_text("*.tsv\n")
    for name, value in (("core.autocrlf", "true"), ("core.safecrlf", "true")):
        ask(clone, "config", name, value)
    (clone / ".gitattributes").write_text("*.tsv filter=lfs text eol=crlf\n*.yaml ident\n")
    (clone / FOLDER / "predictions.dev.tsv").chmod(0o755)
    rows = GOLD.read_bytes().replace(b"\n", b"\r\n")
    (clone / FOLDER / "predictions.dev.tsv").write_bytes(rows)
    before = everything(clone)
    report = submit(FOLDER)
    after = everything(clone)
    assert before.items() <= after.items()
    assert {name for name in after if name not in before} == {
        f".git/refs/heads/{BRANCH}", f".git/logs/refs/heads/{BRANCH}"}
    assert files_of(clone, BRANCH) == NEW
    assert ask(clone, "rev-parse", f"{BRANCH}^") == ask(clone, "rev-parse", "origin/main")
    blob = subprocess.run(["git", "-C", clone, "cat-file", "blob",
                           f"{BRANCH}:{FOLDER}/predictions.dev.tsv"], capture_output=True,
                          check=True).stdout
    assert blob == rows
    assert ask(clone, "ls-tree", BRANCH, f"{FOLDER}/predictions.dev.tsv").startswith("100644 ")
    assert ask(clone, "show", "--no-patch", "--format=%an <%ae> %s", BRANCH) == (
        f"Me <me@example.org> Add my-system of my-team on {BOARD}")
    assert hashlib.sha256(rows).hexdigest()[:16] in report
    assert f"  git push fork {BRANCH}\n" in report


def test_a_dry_run_changes_nothing_and_a_push_sends_that_branch_alone_to_the_fork(
    clone: Path, tmp_path: Path, submit: Submit,
) -> None:
    before = everything(tmp_path)
    assert "(not made: dry run)" in submit(FOLDER, "--dry-run")
    submit(FOLDER, "--dry-run", "--push", code=2)
    assert everything(tmp_path) == before
    submit(FOLDER)
    assert ask(tmp_path / "me.git", "branch", "--list", "submit/*") == ""
    submit(FOLDER, "--push")
    assert ask(tmp_path / "me.git", "rev-parse", BRANCH) == ask(clone, "rev-parse", BRANCH)
    assert ask(tmp_path / "me.git", "for-each-ref", "--format=%(refname)").split() == [
        "refs/heads/main", f"refs/heads/{BRANCH}"]
    assert ask(tmp_path / "lab.git", "branch", "--list", "submit/*") == ""


def test_a_push_that_is_refused_says_why_without_the_token_of_the_address(
    clone: Path, submit: Submit,
) -> None:
    ask(clone, "remote", "set-url", "fork", "https://me:x@s3cret@127.0.0.1:1/me/board.git")
    report = submit(FOLDER, "--push", code=3)
    assert "git could not push" in report
    assert "s3cret" not in report
    assert ask(clone, "rev-parse", BRANCH)


# ---- owners --------------------------------------------------------------------------------------


def test_a_team_s_first_submission_names_its_owner(
    clone: Path, tmp_path: Path, submit: Submit,
) -> None:
    report = submit(FOLDER, owner="", code=2)
    assert "--owner LOGIN#NUMBER" in report
    assert "https://api.github.com/users/LOGIN" in report
    submit(FOLDER, owner="--owner=me", code=2)
    submit(FOLDER, owner="--owner=me#1001")
    assert ask(clone, "show", f"{BRANCH}:{OWNERS}").endswith("\nowners: [me#1001]")
    gh(tmp_path, "echo 'gh-me#7'")
    submit(FOLDER, owner="")
    assert ask(clone, "show", f"{BRANCH}:{OWNERS}").endswith("\nowners: [gh-me#7]")
    (clone / OWNERS).parent.mkdir()
    (clone / OWNERS).write_text("owners: [me#1001, you#1002]\n")
    submit(FOLDER, owner="")
    assert ask(clone, "show", f"{BRANCH}:{OWNERS}") == "owners: [me#1001, you#1002]"


def test_what_the_benchmark_has_already_is_an_update_without_owners(
    clone: Path, tmp_path: Path, submit: Submit,
) -> None:
    submit(FOLDER, "--push")
    lab = tmp_path / "lab.git"
    ask(lab, "fetch", "--quiet", str(tmp_path / "me.git"), f"+{BRANCH}:pulled")
    ask(lab, "update-ref", "refs/heads/main",
        ask(lab, "commit-tree", "pulled^{tree}", "-p", "main", "-m", "Squashed"))
    ask(clone, "fetch", "--quiet", "origin")
    assert "has exactly these files" in submit(FOLDER, owner="")
    (clone / FOLDER / "submission.yaml").write_text(META + "withdrawn: A fault.\n")
    report = submit(FOLDER, "--push", owner="")
    assert f"--force-with-lease={BRANCH}:" in report
    assert files_of(clone, BRANCH) == [f"M\t{FOLDER}/submission.yaml"]
    assert ask(clone, "rev-parse", f"{BRANCH}^") == ask(clone, "rev-parse", "origin/main")
    (clone / FOLDER / "predictions.dev.tsv").write_bytes(
        GOLD.read_bytes().replace(b"support", b"counter"))
    before = everything(clone)
    assert "PR-IMMUTABLE" in submit(FOLDER, code=2, owner="")
    assert everything(clone) == before


# ---- the user's faults ---------------------------------------------------------------------------


def test_a_submission_that_cannot_be_scored_is_refused_with_the_words_of_the_check(
    clone: Path, submit: Submit, capsys: pytest.CaptureFixture[str],
) -> None:
    (clone / FOLDER / "predictions.dev.tsv").write_bytes(b"perhaps\t(a; is a; b)\n" * 3)
    (clone / FOLDER / "submission.yaml").unlink()
    (clone / FOLDER / "submission.yaml").symlink_to(ROOT / "pyproject.toml")
    (clone / FOLDER / "a\nb\x1b[31m").touch()
    before = everything(clone)
    report = submit(FOLDER, code=2)
    assert main(["check", FOLDER]) == 2
    assert report == "".join(capsys.readouterr())
    assert all(rule in report for rule in ("TSV-ROWS", "TSV-LABEL", "META-FILE", "NOT accepted"))
    assert "\x1b" not in report
    assert everything(clone) == before


def test_a_secret_key_is_refused_by_the_pull_request_s_own_check(
    clone: Path, submit: Submit,
) -> None:
    key = "AGE-SECRET-KEY-1" + "Q" * 58
    (clone / FOLDER / "submission.yaml").write_text(META.replace("Answers.", key))
    before = everything(clone)
    report = submit(FOLDER, code=2)
    assert ("PR-GOLD" in report, key in report) == (True, False)
    assert everything(clone) == before


def test_who_commits_is_never_guessed(clone: Path, submit: Submit) -> None:
    ask(clone, "config", "--global", "--remove-section", "user")
    assert "git config user.name NAME" in submit(FOLDER, code=2)


def test_an_anonymous_team_is_warned_that_git_names_it(clone: Path, submit: Submit) -> None:
    (clone / FOLDER / "submission.yaml").write_text(META + "anonymous_until: 2030-01\n")
    assert "anonymous until 2030-01 on the site, but anybody can" in submit(FOLDER)


# ---- a branch that is there ----------------------------------------------------------------------


def test_a_branch_of_ours_is_made_anew_and_replaced_unless_somebody_else_pushed(
    clone: Path, tmp_path: Path, submit: Submit,
) -> None:
    submit(FOLDER, "--push")
    (clone / FOLDER / "submission.yaml").write_text(META.replace("Answers.", "More."))
    submit(FOLDER, "--push")
    assert ask(tmp_path / "me.git", "rev-parse", BRANCH) == ask(clone, "rev-parse", BRANCH)
    assert files_of(clone, BRANCH) == NEW
    ask(tmp_path / "me.git", "update-ref", f"refs/heads/{BRANCH}", "main")
    (clone / FOLDER / "submission.yaml").write_text(META.replace("Answers.", "Most."))
    assert "stale info" in submit(FOLDER, "--push", code=3)


def test_a_branch_with_anything_else_is_refused(clone: Path, submit: Submit) -> None:
    ask(clone, "switch", "--quiet", "--create", BRANCH)
    assert "git branch failed" in submit(FOLDER, code=2)
    (clone / "mine.txt").write_text("mine\n")
    ask(clone, "add", "mine.txt")
    ask(clone, "commit", "--quiet", "--message=Mine")
    ask(clone, "switch", "--quiet", "main")
    mine = ask(clone, "rev-parse", BRANCH)
    assert "holds something else than" in submit(FOLDER, code=2)
    assert ask(clone, "rev-parse", BRANCH) == mine
    orphan = ask(clone, "commit-tree", "HEAD^{tree}", "-m", "Alone")
    ask(clone, "branch", "--force", BRANCH, orphan)
    assert "holds something else" in submit(FOLDER, code=2)


# ---- clones of every kind ------------------------------------------------------------------------


@pytest.mark.parametrize("how", [
    ["--depth=1"], ["--filter=tree:0", "--sparse"], ["--single-branch"]])
def test_a_clone_that_lacks_objects_is_enough(
    how: Sequence[str], clone: Path, tmp_path: Path, submit: Submit,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    part = tmp_path / "part"
    ask(tmp_path, "clone", "--quiet", *how, f"file://{tmp_path}/lab.git", str(part))
    submission(part / FOLDER)
    monkeypatch.chdir(part)
    ask(part, "remote", "add", "fork", ME)
    submit(FOLDER, "--push")
    fork = tmp_path / "me.git"
    assert ask(fork, "diff", "--name-status", "main", BRANCH).split("\n") == NEW


def test_a_folder_outside_of_the_clone_is_named_by_its_last_three_parts(
    clone: Path, tmp_path: Path, submit: Submit, monkeypatch: pytest.MonkeyPatch,
) -> None:
    shutil.rmtree(clone / "submissions" / BOARD)
    folder = submission(tmp_path / "runs" / BOARD / "my-team" / "my-system")
    (clone / "link").symlink_to(folder)
    submit("link")
    assert files_of(clone, BRANCH) == NEW
    monkeypatch.chdir(tmp_path)
    assert f"\n  git -C {clone} push fork" in submit(str(folder), "--root", str(clone))
    folder.rename(folder.parent / "-x")
    report = submit(str(folder.parent / "-x"), "--root", str(clone), code=2)
    assert "META-SLUG" in report


def test_another_repository_than_the_benchmark_s_is_refused(
    clone: Path, tmp_path: Path, submit: Submit, monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = tmp_path / "other"
    ask(tmp_path, "init", "--quiet", "--initial-branch=main", str(other))
    ask(other, "commit", "--quiet", "--allow-empty", "--message=Mine")
    monkeypatch.chdir(other)
    assert f"main has no board '{BOARD}'" in submit(str(clone / FOLDER), code=2)
    monkeypatch.chdir(tmp_path)
    assert "is no checkout" in submit(str(clone / FOLDER), code=2)


def test_without_a_remote_the_branch_is_made_and_the_next_steps_are_named(
    clone: Path, submit: Submit,
) -> None:
    ask(clone, "remote", "remove", "fork")
    report = submit(FOLDER)
    assert f"  git push origin {BRANCH}\n" in report
    assert "git remote add fork ADDRESS-OF-YOUR-FORK" in report
    ask(clone, "remote", "remove", "origin")
    report = submit(FOLDER)
    assert "git remote add fork ADDRESS-OF-YOUR-FORK" in report
    assert f"git push fork {BRANCH}" in report
    assert "no remote; add your fork" in submit(FOLDER, "--push", code=2)
    ask(clone, "branch", "--move", "main", "other")
    assert "neither a remote nor a branch main" in submit(FOLDER, code=2)


def test_a_remote_may_be_named_and_no_other_is_taken(clone: Path, submit: Submit) -> None:
    ask(clone, "remote", "add", "two", "git@example.org:me/board.git")
    report = submit(FOLDER, "--remote", "two")
    assert f"git push two {BRANCH}" in report
    assert "there are: " in submit(FOLDER, "--remote", "three", code=2)
    ask(clone, "remote", "rename", "origin", "lab")
    assert "git remote rename NAME upstream" in submit(FOLDER, code=2)
    ask(clone, "remote", "rename", "lab", "upstream")
    assert f"git push fork {BRANCH}" in submit(FOLDER)
