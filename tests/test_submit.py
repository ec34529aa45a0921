"""``scorer submit`` in real clones: the branch, its bytes, its check, and what stays untouched."""

import hashlib
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from scorer.ci.owners import first_file
from scorer.cli import main
from scorer.sending.remotes import Remote, Roles, pull_request_page, roles
from tests.ci_world import BOARD, GOLD, IDENTITY, META, ROOT, git

FOLDER = f"submissions/{BOARD}/my-team/my-system"
OWNERS = "submissions/teams/my-team.yaml"
BRANCH = f"submit/{BOARD}/my-team/my-system"
LAB = "https://github.com/some-lab/board.git"
ME = "git@github.com:me/board.git"
SIGN = """\
#!/bin/sh
cat >/dev/null
printf '\\n[GNUPG:] SIG_CREATED ' >&2
printf '%s\\n' '-----BEGIN PGP SIGNATURE-----' made '-----END PGP SIGNATURE-----'
"""


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The benchmark's repository and a fork of it, both bare, for copies."""
    top = tmp_path_factory.mktemp("hosted")
    seed = top / "seed"
    shutil.copytree(ROOT / "boards" / BOARD, seed / "boards" / BOARD)
    (seed / "submissions").mkdir()
    (seed / "submissions" / "README.md").write_text("Submitting\n")
    (seed / OWNERS).parent.mkdir()
    (seed / OWNERS).write_text("owners: [me#1]\n")
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
    for name in ("GH_HOST", "GITHUB_SERVER_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return cloned(tmp_path / "clone", monkeypatch)


def cloned(place: Path, monkeypatch: pytest.MonkeyPatch, *how: str) -> Path:
    asked(place.parent, "clone", "--quiet", *how, LAB, str(place))
    asked(place, "remote", "add", "fork", ME)
    submission(place / FOLDER)
    monkeypatch.chdir(place)
    return place


def submission(folder: Path, rows: bytes = b"") -> Path:
    folder.mkdir(parents=True)
    (folder / "submission.yaml").write_text(META)
    (folder / "predictions.dev.tsv").write_bytes(rows or GOLD.read_bytes())
    return folder


def asked(folder: Path, *words: str) -> str:
    """Git as the user of the clone runs it."""
    ran = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, check=False)
    assert ran.returncode == 0, ran.stderr.decode()
    return ran.stdout.decode().strip()


def submit(*words: str) -> int:
    return main(["submit", *words])


def told(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    """What it says, all of it."""
    assert submit(*words) == code
    out, err = capsys.readouterr()
    return out + err


def everything(clone: Path) -> dict[str, str]:
    """Every file of a clone with its digest, .git included."""
    return {str(path.relative_to(clone)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(clone.rglob("*")) if path.is_file()}


def files_of(clone: Path, commit: str) -> list[str]:
    return asked(clone, "diff", "--name-status", "--no-renames", f"{commit}^", commit).split("\n")


NEW = [f"A\t{FOLDER}/predictions.dev.tsv", f"A\t{FOLDER}/submission.yaml"]


@pytest.mark.claim("Sent by `scorer submit`, a submission's files alone are committed, byte by "
                   "byte; work tree, index and other branches stay as they were.")
def test_one_commit_on_the_base_has_the_folder_s_bytes_and_nothing_else_changes(
    clone: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    (clone / "boards" / "notes.txt").write_text("untracked\n")
    (clone / "submissions" / "README.md").write_text("changed\n")
    (clone / "staged.txt").write_text("staged\n")
    asked(clone, "add", "staged.txt")
    (clone / ".git" / "info" / "exclude").write_text("*.tsv\n")
    for name, value in (("core.autocrlf", "true"), ("core.safecrlf", "true")):
        asked(clone, "config", name, value)
    (clone / ".gitattributes").write_text("*.tsv filter=lfs text eol=crlf\n*.yaml ident\n")
    (clone / FOLDER / "predictions.dev.tsv").chmod(0o755)
    rows = GOLD.read_bytes().replace(b"\n", b"\r\n")
    (clone / FOLDER / "predictions.dev.tsv").write_bytes(rows)
    before, head = everything(clone), asked(clone, "rev-parse", "HEAD")
    said = told(capsys, FOLDER)
    after = everything(clone)
    new = {name for name in after if name not in before}
    assert before.items() <= after.items()
    assert {re.sub("objects/.*", "objects", name) for name in new} == {
        ".git/objects", f".git/refs/heads/{BRANCH}", f".git/logs/refs/heads/{BRANCH}"}
    assert files_of(clone, BRANCH) == NEW
    assert asked(clone, "rev-parse", f"{BRANCH}^") == asked(clone, "rev-parse", "origin/main")
    assert asked(clone, "rev-parse", "HEAD") == head
    held = subprocess.run(["git", "-C", clone, "cat-file", "blob",
                           f"{BRANCH}:{FOLDER}/predictions.dev.tsv"], capture_output=True,
                          check=True).stdout
    assert held == rows
    assert asked(clone, "ls-tree", BRANCH, f"{FOLDER}/predictions.dev.tsv").startswith("100644 ")
    assert asked(clone, "show", "--no-patch", "--format=%an <%ae> %s", BRANCH) == (
        f"Me <me@example.org> Add my-system of my-team on {BOARD}")
    assert hashlib.sha256(rows).hexdigest()[:16] in said
    assert "4 other changes of your work tree left as they are" in said
    assert f"  git push fork {BRANCH}\n" in said
    assert ("https://github.com/some-lab/board/compare/main..."
            f"me:{BRANCH}?expand=1\n") in said


def test_a_dry_run_leaves_every_file_as_it_was_and_nothing_is_pushed_without_push(
    clone: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    before = everything(tmp_path)
    said = told(capsys, FOLDER, "--dry-run")
    assert everything(tmp_path) == before
    assert "not made: dry run" in said
    assert f"git push fork {BRANCH}" in said
    assert "new, 40 lines" in said
    assert told(capsys, FOLDER)
    assert asked(tmp_path / "me.git", "branch", "--list", "submit/*") == ""
    assert submit(FOLDER, "--dry-run", "--push") == 2


def test_push_sends_that_branch_alone_to_the_fork(
    clone: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    told(capsys, FOLDER, "--push")
    fork = tmp_path / "me.git"
    assert asked(fork, "rev-parse", BRANCH) == asked(clone, "rev-parse", BRANCH)
    assert asked(fork, "for-each-ref", "--format=%(refname)").split() == [
        "refs/heads/main", f"refs/heads/{BRANCH}"]
    assert asked(tmp_path / "lab.git", "branch", "--list", "submit/*") == ""


def test_a_push_that_is_refused_says_why_without_the_token_of_the_address(
    clone: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    asked(clone, "remote", "set-url", "fork", "https://me:x@s3cret@127.0.0.1:1/me/board.git")
    said = told(capsys, FOLDER, "--push", code=3)
    assert "git could not push" in said
    assert "s3cret" not in said
    assert asked(clone, "rev-parse", BRANCH)


# ---- the user's faults ---------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "content"), [
    ("gold.dev.tsv", b"gold\n"), ("identity.txt", b"AGE-SECRET-KEY-1"), (".DS_Store", b"\0"),
    ("predictions.test.tsv.gz", b"\x1f\x8b"), ("a\nb\x1b[31m", b""), ("--force", b""),
])
def test_a_file_that_is_no_part_of_a_submission_is_refused_and_nothing_is_touched(
    name: str, content: bytes, clone: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    (clone / FOLDER / name).write_bytes(content)
    before = everything(clone)
    said = told(capsys, FOLDER, code=2)
    assert "META-FILE" in said
    assert "\x1b" not in said
    assert everything(clone) == before


def test_a_submission_that_cannot_be_scored_is_refused_with_the_words_of_the_check(
    clone: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    (clone / FOLDER / "predictions.dev.tsv").write_bytes(b"perhaps\t(a; is a; b)\n" * 3)
    (clone / FOLDER / "submission.yaml").unlink()
    (clone / FOLDER / "submission.yaml").symlink_to(ROOT / "pyproject.toml")
    before = everything(clone)
    said = told(capsys, FOLDER, code=2)
    assert main(["check", FOLDER]) == 2
    assert said == "".join(capsys.readouterr())
    assert all(rule in said for rule in ("TSV-ROWS", "TSV-LABEL", "META-FILE", "NOT accepted"))
    assert everything(clone) == before


def test_a_file_that_is_too_large_is_refused(
    clone: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    with (clone / FOLDER / "predictions.dev.tsv").open("ab") as file:
        file.truncate(2**33)
    assert "TSV-SIZE" in told(capsys, FOLDER, code=2)


def test_a_secret_key_inside_of_predictions_is_refused_by_the_pull_request_s_own_check(
    clone: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    key = "AGE-SECRET-KEY-1" + "Q" * 58
    (clone / FOLDER / "submission.yaml").write_text(META.replace("Answers.", key))
    before = everything(clone)
    said = told(capsys, FOLDER, code=2)
    assert "PR-GOLD" in said
    assert key not in said
    assert everything(clone) == before


def test_a_new_team_is_shown_the_file_that_names_its_owners_and_sends_it_too(
    clone: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    folder, path = f"submissions/{BOARD}/new-team/a-system", "submissions/teams/new-team.yaml"
    submission(clone / folder)
    said = told(capsys, folder, code=2)
    assert f"{path}:1:1 PR-OWNER a new team without its file of owners; expected owners: " in said
    (clone / path).parent.mkdir(exist_ok=True)
    (clone / path).write_bytes(first_file("new-team", "me", 1))
    told(capsys, folder)
    assert files_of(clone, f"submit/{BOARD}/new-team/a-system") == [
        f"A\t{folder}/predictions.dev.tsv", f"A\t{folder}/submission.yaml", f"A\t{path}"]


def test_who_commits_is_never_guessed(
    clone: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    asked(clone, "config", "--global", "--remove-section", "user")
    assert "git config user.name NAME" in told(capsys, FOLDER, code=2)


# ---- clones of every kind ------------------------------------------------------------------------


def test_detached_heads_and_linked_work_trees_have_the_same_branch(
    clone: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked(clone, "checkout", "--quiet", "--detach")
    told(capsys, FOLDER)
    first = asked(clone, "rev-parse", f"{BRANCH}^{{tree}}")
    asked(clone, "worktree", "add", "--quiet", str(tmp_path / "linked"), "origin/main")
    submission(tmp_path / "linked" / FOLDER)
    monkeypatch.chdir(tmp_path / "linked" / "boards")
    said = told(capsys, f"../{FOLDER}", "--branch", "another")
    assert asked(clone, "rev-parse", "another^{tree}") == first
    assert "\n  git push fork another\n" in said
    monkeypatch.chdir(tmp_path)
    assert f"\n  git -C {clone} push fork" in told(capsys, str(clone / FOLDER))


@pytest.mark.parametrize("how", [
    ["--depth=1"], ["--filter=blob:none"], ["--filter=tree:0", "--sparse"], ["--single-branch"]])
def test_a_clone_that_lacks_objects_is_enough(
    how: Sequence[str], clone: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    place = tmp_path / "part"
    asked(tmp_path, "clone", "--quiet", *how, f"file://{tmp_path}/lab.git", str(place))
    submission(place / FOLDER)
    monkeypatch.chdir(place)
    asked(place, "remote", "add", "fork", ME)
    told(capsys, FOLDER, "--push")
    fork = tmp_path / "me.git"
    assert asked(fork, "diff", "--name-status", "main", BRANCH).split("\n") == NEW


def test_a_folder_outside_of_the_clone_is_named_by_its_last_three_parts(
    clone: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    shutil.rmtree(clone / "submissions" / BOARD)
    place = submission(tmp_path / "runs" / BOARD / "my-team" / "my-system")
    (clone / "link").symlink_to(place)
    said = told(capsys, "link")
    assert f"the files lie in {place}; the branch is made in {clone}\n" in said
    assert files_of(clone, BRANCH) == NEW
    place.rename(place.parent / "-x")
    assert "META-SLUG" in told(capsys, str(place.parent / "-x"), code=2)


def test_another_repository_than_the_benchmark_s_is_refused(
    clone: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = tmp_path / "other"
    asked(tmp_path, "init", "--quiet", "--initial-branch=main", str(other))
    asked(other, "commit", "--quiet", "--allow-empty", "--message=Mine")
    monkeypatch.chdir(other)
    words = [str(clone / FOLDER), "--boards", str(clone / "boards")]
    assert f"main has no board '{BOARD}'" in told(capsys, *words, code=2)
    told(capsys, *words, "--root", str(clone))
    (tmp_path / "no").mkdir()
    monkeypatch.chdir(tmp_path / "no")
    told(capsys, str(clone / FOLDER))
    place = submission(tmp_path / "no" / BOARD / "t" / "s")
    assert "is no checkout" in told(capsys, str(place), code=2)


def test_without_a_remote_the_branch_is_made_and_the_next_steps_are_named(
    clone: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    for name in ("fork", "origin"):
        asked(clone, "remote", "remove", name)
    said = told(capsys, FOLDER)
    assert "git remote add fork ADDRESS-OF-YOUR-FORK" in said
    assert f"git push fork {BRANCH}" in said
    assert "no remote; add your fork" in told(capsys, FOLDER, "--push", code=2)
    asked(clone, "branch", "--move", "main", "other")
    assert "neither a remote nor a branch main" in told(capsys, FOLDER, code=2)


def test_a_clone_of_the_fork_alone_pushes_there_and_is_told_how_to_fork(
    clone: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    asked(clone, "remote", "remove", "fork")
    said = told(capsys, FOLDER)
    assert f"  git push origin {BRANCH}\n" in said
    assert "git remote add fork https://github.com/YOUR-ACCOUNT/board.git" in said
    assert f"https://github.com/some-lab/board/pull/new/{BRANCH}\n" in said


def test_several_remotes_are_asked_for(clone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked(clone, "remote", "rename", "fork", "one")
    asked(clone, "remote", "add", "two", "git@example.org:me/board.git")
    assert "several remotes to push to: 'one', 'origin', 'two'; name yours with --remote" in told(
        capsys, FOLDER, code=2)
    said = told(capsys, FOLDER, "--remote", "two")
    assert f"git push two {BRANCH}" in said
    assert "where the repository is hosted" in said
    assert "choose from" in told(capsys, FOLDER, "--remote", "three", code=2)
    asked(clone, "config", "remote.pushDefault", "one")
    assert f"git push one {BRANCH}" in told(capsys, FOLDER)


# ---- a branch that is there ----------------------------------------------------------------------


def test_a_branch_of_ours_grows_by_one_commit_that_can_be_pushed_as_it_is(
    clone: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    told(capsys, FOLDER, "--push")
    first = asked(clone, "rev-parse", BRANCH)
    assert "nothing changed since" in told(capsys, FOLDER)
    assert asked(clone, "rev-parse", BRANCH) == first
    (clone / FOLDER / "submission.yaml").write_text(META.replace("Answers.", "More."))
    said = told(capsys, FOLDER, "--push")
    assert asked(clone, "rev-parse", f"{BRANCH}^") == first
    assert "2 commits of origin/main" in said
    assert f"Update my-system of my-team on {BOARD}" in said
    assert asked(tmp_path / "me.git", "rev-parse", BRANCH) == asked(clone, "rev-parse", BRANCH)
    asked(clone, "branch", "--delete", "--force", BRANCH)  # as in a new clone
    (clone / FOLDER / "submission.yaml").write_text(META.replace("Answers.", "Most."))
    assert "3 commits" in told(capsys, FOLDER, "--push")


def test_a_branch_with_anything_else_is_refused(
    clone: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    asked(clone, "switch", "--quiet", "--create", BRANCH)
    assert f"is checked out in {clone}" in told(capsys, FOLDER, code=2)
    (clone / "mine.txt").write_text("mine\n")
    asked(clone, "add", "mine.txt")
    asked(clone, "commit", "--quiet", "--message=Mine")
    asked(clone, "switch", "--quiet", "main")
    mine = asked(clone, "rev-parse", BRANCH)
    assert "holds something else than" in told(capsys, FOLDER, code=2)
    assert asked(clone, "rev-parse", BRANCH) == mine
    for name in ("main", "-x", "a..b", "HEAD", "+main", "@", "tag", "heads/main",
                 "refs/heads/main", "tags/v1"):
        assert "choose another" in told(capsys, FOLDER, f"--branch={name}", code=2)
    asked(clone, "branch", "taken")
    assert "git update-ref failed" in told(capsys, FOLDER, "--branch", "taken/further", code=2)


def test_commits_that_were_pushed_from_elsewhere_are_built_upon_and_never_thrown_away(
    clone: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    told(capsys, FOLDER, "--push")
    first = asked(clone, "rev-parse", BRANCH)
    (clone / FOLDER / "submission.yaml").write_text(META.replace("Answers.", "More."))
    told(capsys, FOLDER, "--push")
    second = asked(clone, "rev-parse", BRANCH)
    asked(clone, "update-ref", f"refs/heads/{BRANCH}", first)  # the clone is behind its fork
    (clone / FOLDER / "submission.yaml").write_text(META.replace("Answers.", "Most."))
    said = told(capsys, FOLDER)
    assert asked(clone, "rev-parse", f"{BRANCH}^") == second
    assert "--force" not in said
    (clone / "x").write_text("x")
    tree = git(clone, "mktree", given=f"100644 blob {asked(clone, 'hash-object', '-w', 'x')}\tx\n"
               .encode())
    other = asked(clone, "commit-tree", tree, "-p", second, "-m", "Other")
    asked(clone, "update-ref", f"refs/remotes/fork/{BRANCH}", other)
    assert "holds something else than" in told(capsys, FOLDER, code=2)


def test_a_branch_without_a_commit_in_common_says_how_to_bring_it(
    clone: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    orphan = asked(clone, "commit-tree", "HEAD^{tree}", "-m", "Alone")
    asked(clone, "branch", BRANCH, orphan)
    assert "git fetch --unshallow" in told(capsys, FOLDER, code=2)


def test_what_a_submitter_should_know_is_noted(
    clone: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    (clone / FOLDER / "submission.yaml").write_text(META + "anonymous_until: 2030-01\n")
    with (clone / "boards" / BOARD / "board.yaml").open("a") as file:
        file.write("# of my own\n")
    said = told(capsys, FOLDER)
    assert "anonymous until 2030-01 on the site, but anybody can read in git who made" in said
    assert f"origin/main describes the board {BOARD} in other words than those checked" in said


def merged(clone: Path, tmp_path: Path) -> None:
    """The fork's branch, squashed into the benchmark's main branch; the clone knows of it."""
    lab = tmp_path / "lab.git"
    asked(lab, "fetch", "--quiet", str(tmp_path / "me.git"), f"{BRANCH}:pulled")
    tree = asked(lab, "rev-parse", "pulled^{tree}")
    asked(lab, "update-ref", "refs/heads/main",
          asked(lab, "commit-tree", tree, "-p", "main", "-m", "Squashed"))
    asked(clone, "fetch", "--quiet", "origin")


def test_what_the_benchmark_has_already_is_an_update_of_its_description_alone(
    clone: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    told(capsys, FOLDER, "--push")
    merged(clone, tmp_path)
    assert "has exactly these files" in told(capsys, FOLDER)
    (clone / FOLDER / "submission.yaml").write_text(META + "withdrawn: A fault.\n")
    said = told(capsys, FOLDER, "--push")
    assert "the team my-team is there already" in said
    assert f"--force-with-lease={BRANCH}:" in said
    assert files_of(clone, BRANCH) == [f"M\t{FOLDER}/submission.yaml"]
    assert asked(clone, "rev-parse", f"{BRANCH}^") == asked(clone, "rev-parse", "origin/main")
    with (clone / FOLDER / "predictions.dev.tsv").open("ab") as file:
        file.write(b"\n")
    (clone / FOLDER / "predictions.dev.tsv").write_bytes(
        GOLD.read_bytes().replace(b"support", b"counter"))
    before = everything(clone)
    assert "PR-IMMUTABLE" in told(capsys, FOLDER, code=2)
    assert everything(clone) == before


# ---- hooks and signatures ------------------------------------------------------------------------


def test_hooks_of_committing_do_not_run_and_that_of_pushing_does(
    clone: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    hooks = clone / ".git" / "hooks"
    for name in ("pre-commit", "commit-msg", "pre-push"):
        (hooks / name).write_text("#!/bin/sh\necho stopped by hook >&2\nexit 1\n")
        (hooks / name).chmod(0o755)
    said = told(capsys, FOLDER)
    assert "not run, as the work tree is not committed: pre-commit, commit-msg" in said
    assert "stopped by hook" in told(capsys, FOLDER, "--push", code=3)


def test_commits_are_signed_where_git_is_set_up_to_sign_them(
    clone: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "gpg").write_text(SIGN)
    (tmp_path / "gpg").chmod(0o755)
    asked(clone, "config", "commit.gpgSign", "true")
    asked(clone, "config", "gpg.program", str(tmp_path / "gpg"))
    told(capsys, FOLDER)
    assert "gpgsig -----BEGIN PGP SIGNATURE-----" in asked(clone, "cat-file", "commit", BRANCH)
    asked(clone, "config", "gpg.program", "false")
    assert "git config commit.gpgSign false" in told(capsys, FOLDER, "--branch=b", code=2)


# ---- addresses -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("lab", "me", "page"), [
    ("https://github.com/lab/b", "https://github.com/me/b",
     "https://github.com/lab/b/compare/main...me:x?expand=1"),
    ("https://github.com/lab/b", "https://ssh.github.com/me/c",
     "https://github.com/lab/b/compare/main...me:c:x?expand=1"),
    ("https://github.com/Lab/b", "https://github.com/lab/b",
     "https://github.com/Lab/b/pull/new/x"),
    ("https://github.example.org/lab/b", "https://github.example.org/me/b",
     "https://github.example.org/lab/b/compare/main...me:x?expand=1"),
    ("https://lab.ghe.com/lab/b", "https://lab.ghe.com/me/b",
     "https://lab.ghe.com/lab/b/compare/main...me:x?expand=1"),
    ("https://code.example.org/lab/b", "https://code.example.org/me/b",
     "https://code.example.org/lab/b/compare/main...me:x?expand=1"),
    ("https://gitlab.com/lab/b", "https://gitlab.com/me/b", ""),
    ("https://github.com-work/lab/b", "https://github.com-work/me/b", ""),
    ("https://github.com/lab/b", "https://gitlab.com/me/b", ""),
    ("https://notgithub.com/lab/b", "https://notgithub.com/me/b", ""),
    ("https://github.com/lab/b/c", "https://github.com/me/b", ""), ("", "", ""),
])
def test_the_page_of_a_pull_request_is_known_where_the_host_is_github_s(
    lab: str, me: str, page: str, monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GH_HOST", "code.example.org")
    found = Roles(Remote("origin", lab, lab), Remote("fork", me, me))
    assert pull_request_page(found, "main", "x") == page


@pytest.mark.parametrize(("names", "upstream", "own"), [
    ("origin", "origin", "origin"), ("lab", "lab", "lab"), ("origin fork", "origin", "fork"),
    ("origin me", "origin", "me"), ("origin upstream", "upstream", "origin"),
    ("origin fork me", "origin", "fork"), ("", None, None),
])
def test_remotes_are_known_by_their_usual_names(
    names: str, upstream: str | None, own: str | None,
) -> None:
    found = roles([Remote(name, "", "") for name in names.split()])
    assert [one and one.name for one in found] == [upstream, own]
