"""An archive holds what was committed, the same bytes each time, and the site comes out of it."""

import hashlib
import io
import json
import os
import random
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZipFile, ZipInfo

import pytest

from scorer import boards
from scorer.cli import main
from scorer.core.errors import DataError
from scorer.pipeline.archive.make import Refusals
from scorer.pipeline.archive.verify import TOP, verify
from scorer.pipeline.hidden import sealed
from scorer.site.reading.repository import day_of_commit
from tests.ci_world import git

pytestmark = pytest.mark.whole

ROOT = Path(__file__).resolve().parent.parent
AGE_KEY = "AGE-SECRET-KEY-1" + "QPZRY9X8" * 7 + "GF"
OFFICIAL = "explagraphs"


def committed(folder: Path, *names: str) -> Path:
    """A repository with some files and folders of this one."""
    for name in names:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name,
                            ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, folder)
    git(folder, "init", "--quiet", "--initial-branch=main")
    commit(folder)
    return folder


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository with two boards, to be changed."""
    return committed(tmp_path / "checkout", *(f"boards/{name}" for name in (
        OFFICIAL, "explagraphs-practice", "anli")), "LICENSE", ".github")


def commit(folder: Path) -> None:
    git(folder, "add", "--all", "--force")
    git(folder, "commit", "--quiet", "--message=Change")


def archive(folder: Path, out: Path, *words: str) -> int:
    return main(["archive", str(out), "--root", str(folder), *words])


def unpacked(path: Path, folder: Path) -> Path:
    with ZipFile(path) as archive:
        archive.extractall(folder)
    return folder / TOP


def digests(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(folder.rglob("*")) if path.is_file()}


# ---- what is in it -------------------------------------------------------------------------


def test_an_archive_holds_every_committed_file_and_nothing_else(
    checkout: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    (checkout / "left-out.txt").write_text("not committed")
    assert archive(checkout, tmp_path / "a.zip") == 0
    top = unpacked(tmp_path / "a.zip", tmp_path / "new")
    found = digests(top)
    tracked = git(checkout, "ls-files").split("\n")
    assert set(found) == {f"checkout/{path}" for path in (*tracked, "COMMIT")} | {
        "MANIFEST", "README.md", "archive.json"}
    assert all(found[f"checkout/{path}"] == digest for path, digest in digests(checkout).items()
               if path in tracked)
    listed = dict(reversed(line.split("  ")) for line in
                  (top / "MANIFEST").read_text().splitlines())
    assert listed == {path: digest for path, digest in found.items() if path != "MANIFEST"}
    told = capsys.readouterr().out
    assert f"{len(listed)} files; SHA-256 of the MANIFEST: {found['MANIFEST']}" in told
    assert main(["archive", "--verify", str(tmp_path / "a.zip")]) == 0
    assert told.splitlines()[1] == capsys.readouterr().out.splitlines()[1]


def test_what_is_not_in_it_is_named_with_its_digest(checkout: Path, tmp_path: Path) -> None:
    archive(checkout, tmp_path / "a.zip")
    top = unpacked(tmp_path / "a.zip", tmp_path / "new")
    about = json.loads((top / "archive.json").read_bytes())
    assert about["commit"] == git(checkout, "rev-parse", "HEAD")
    day = day_of_commit(checkout)
    assert (top / "checkout" / "COMMIT").read_text() == f"{about['commit']}\n{day}\n"
    assert day_of_commit(top / "checkout") == day, "so the same rows are anonymous"
    official, practice = about["boards"][OFFICIAL], about["boards"]["explagraphs-practice"]
    assert {split["here"] for split in official["splits"].values()} == {False}
    assert {split["here"] for split in practice["splits"].values()} == {True}
    readme = (top / "README.md").read_text("utf-8")
    for download in official["downloads"]:
        assert download["sha256"] in readme
    assert "--status" not in readme
    (tmp_path / "site" / "data").mkdir(parents=True)
    for name in ("index.html", "data/status.json"):
        (tmp_path / "site" / name).write_text("{}")
    archive(checkout, tmp_path / "b.zip", "--site", str(tmp_path / "site"))
    readme = (unpacked(tmp_path / "b.zip", tmp_path / "second") / "README.md").read_text("utf-8")
    assert "--home ../empty --status ../site/data/status.json" in readme


@pytest.mark.claim("The same commit and site give an archive of the same bytes.")
def test_the_same_input_gives_the_same_bytes_whatever_the_clock_and_the_files_times(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    again = tmp_path / "again"
    git(tmp_path, "clone", "--quiet", str(checkout), str(again))
    for path in again.rglob("*.md"):
        os.utime(path, (1, 1))
    site = tmp_path / "site"
    site.mkdir()
    (site / "index.html").write_text("x")
    assert archive(checkout, tmp_path / "a.zip", "--site", str(site)) == 0
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    os.utime(site / "index.html", (1, 1))
    assert archive(again, tmp_path / "b.zip", "--site", str(site)) == 0
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()


# ---- what may not be in it -----------------------------------------------------------------


ENVELOPE = sealed.new("a-board", "test", b"support\n").to_bytes().decode()
PEM = "-----BEGIN OPENSSH PRIVATE KEY-----\n" + "b3BlbnNzaC1rZXktdjEA" * 3 + "\n"
REFUSED = (
    ("notes/key.txt", f"# mine\n{AGE_KEY}\n", "holds a secret key"),
    ("notes/deploy", PEM, "holds a secret key"),
    ("gold/a-board.test.gold", ENVELOPE, "holds opened gold of a-board test"),
    (".whyboard/answers.txt", "x", "of a folder that never leaves this machine"),
    (f"boards/{OFFICIAL}/data/dev.tsv", "x", f"data of {OFFICIAL}, which may not be passed on"),
    ("annotations/batches/b-1.json", f'{{"board": "{OFFICIAL}"}}',
     f"items of {OFFICIAL}, whose data may not be passed on"),
    ("annotations/batches/b-2.json", '{"board": "anli"}',
     "items of anli, whose data may not be passed on"),
)
"""Paths, what stands there, and what is said of it."""


@pytest.mark.claim("An archive never holds a secret key, opened gold, or data that may not be "
                   "passed on.")
def test_what_may_not_be_passed_on_stops_the_archive(
    checkout: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    for path, content, _ in REFUSED:
        (checkout / path).parent.mkdir(parents=True, exist_ok=True)
        (checkout / path).write_text(content)
    commit(checkout)
    assert archive(checkout, tmp_path / "a.zip") == 3
    head, *lines = capsys.readouterr().err.strip().split("\n")
    assert head == "nothing is archived:"
    for path, _, words in REFUSED:
        [line] = [line for line in lines if line.startswith(f"checkout/{path}: ")]
        assert words in line
        lines.remove(line)
        assert AGE_KEY not in line
    assert lines == []
    assert not (tmp_path / "a.zip").exists()


def test_scores_of_items_may_leave_unless_their_gold_is_hidden() -> None:
    board = boards.load(OFFICIAL)
    test = replace(board.splits["test"], gold="hidden")
    refusals = Refusals([replace(board, splits={**board.splits, "test": test})])
    path = f"checkout/results/{OFFICIAL}/a/b/{{}}.items.tsv".format
    assert [*refusals.of(path("dev"), b"row\n")] == []
    assert [*refusals.of(path("test"), b"row\n")] == [
        f"{path('test')}: scores of items of {OFFICIAL}, whose gold is hidden; remove it"]


def test_official_data_are_known_by_their_digest_under_any_name(
    checkout: Path, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    shutil.copy(data / OFFICIAL / "dev.tsv", checkout / "notes.txt")
    commit(checkout)
    assert archive(checkout, tmp_path / "a.zip") == 3
    assert "checkout/notes.txt: data of explagraphs" in capsys.readouterr().err


@pytest.mark.parametrize("page", [f"boards/{OFFICIAL}/dev/17/index.html",
                                  f"data/{OFFICIAL}/dev/index.json"])
def test_a_site_that_shows_such_data_is_refused_with_what_to_do(
    page: str, checkout: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    site = tmp_path / "site"
    (site / page).parent.mkdir(parents=True)
    for name in ("index.html", page):
        (site / name).write_text("x")
    assert archive(checkout, tmp_path / "a.zip", "--site", str(site)) == 3
    assert "build the site without them: scorer site build --home" in capsys.readouterr().err


def test_a_link_leads_nowhere_and_is_refused(
    checkout: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (site / "index.html").write_text("x")
    (site / "a").symlink_to("index.html")
    assert archive(checkout, tmp_path / "a.zip", "--site", str(site)) == 2
    assert "a link; build the site again" in capsys.readouterr().err
    (checkout / "outside").symlink_to("/etc/hostname")
    commit(checkout)
    assert archive(checkout, tmp_path / "a.zip") == 3
    assert "outside: a link or a submodule" in capsys.readouterr().err


@pytest.mark.parametrize(("words", "said"), [
    ((), "name an archive to write, or one to verify"),
    (("a.zip", "--verify", "b"), "name an archive to write, or one to verify"),
    (("a.zip", "--site", "no-site"), "no built site; make it with")])
def test_what_cannot_be_used_is_told(
    words: tuple[str, ...], said: str, checkout: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["archive", "--root", str(checkout), *words]) == 2
    assert said in capsys.readouterr().err


def test_without_git_there_is_nothing_to_archive(
    tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    assert archive(tmp_path, tmp_path / "a.zip") == 3
    assert "no commit" in capsys.readouterr().err


# ---- verifying -----------------------------------------------------------------------------


LISTED = b"".join(f"{hashlib.sha256(content).hexdigest()}  {name}\n".encode()
                  for name, content in (("a.txt", b"one"), ("b/run", b"two")))
SOUND = {"a.txt": b"one", "b/run": b"two", "MANIFEST": LISTED}


def packed(files: dict[str, bytes], *more: tuple[ZipInfo | str, bytes], top: str = f"{TOP}/",
           how: int = ZIP_DEFLATED) -> bytes:
    """A zip of files below the top folder, and more as they are."""
    content = io.BytesIO()
    with ZipFile(content, "w", how) as archive:
        for name, text in files.items():
            archive.writestr(f"{top}{name}", text)
        for info, text in more:
            archive.writestr(info, text)
    return content.getvalue()


def link(name: str) -> ZipInfo:
    info = ZipInfo(f"{TOP}/{name}")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


def encrypted() -> bytes:
    """The flag that says so, on the last file."""
    content = bytearray(packed(SOUND))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.rindex(mark) + offset] |= 1
    return bytes(content)


DAMAGED: dict[str, tuple[bytes, str]] = {
    "a changed file": (packed({**SOUND, "a.txt": b"ONE"}), "'a.txt': another SHA-256"),
    "a missing file": (packed({"a.txt": b"one", "MANIFEST": LISTED}), "'b/run': missing"),
    "a file too many": (packed({**SOUND, "c": b""}), "'c': not in the MANIFEST"),
    "no manifest": (packed({"a.txt": b"one"}), "no MANIFEST"),
    "a broken manifest": (packed({"MANIFEST": b"x  a.txt\n"}), "a MANIFEST that cannot be read"),
    "a link": (packed(SOUND, (link("c"), b"/etc/hostname")), "no plain file"),
    "a file elsewhere": (packed(SOUND, ("../c", b"")), "a name that leads elsewhere"),
    "a file above": (packed(SOUND, (f"{TOP}/../c", b"")), "a name that leads elsewhere"),
    "a folder above": (packed(SOUND, (f"{TOP}/../c/", b"")), "a folder that leads elsewhere"),
    "a folder of the system": (packed(SOUND, ("/etc/c/", b"")), "a folder that leads elsewhere"),
    "a folder of a file": (packed(SOUND, (f"{TOP}/a.txt/c", b"")), "a file and a folder"),
    "a long name": (packed(SOUND, (f"{TOP}/{'c/' * 500}c", b"")), "a name that leads elsewhere"),
    "a drive": (packed(SOUND, (f"{TOP}/C:c", b"")), "a name that leads elsewhere"),
    "an escape": (packed(SOUND, (f"{TOP}/\x1b[31m", b"")), "a name that leads elsewhere"),
    "another top": (packed(SOUND, top="other/"), "a name that leads elsewhere"),
    "an encrypted file": (encrypted(), "encrypted"),
    "another compression": (packed(SOUND, how=ZIP_BZIP2), "compressed in another way"),
    "half of it": (packed(SOUND)[:-30], "not an archive that can be read"),
    "something else": (b"PK", "not an archive that can be read"),
    "nothing": (b"", "not an archive that can be read"),
}


@pytest.mark.parametrize("case", DAMAGED)
def test_a_damaged_or_odd_archive_ends_in_a_message(
    case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    content, words = DAMAGED[case]
    (tmp_path / "a.zip").write_bytes(content)
    assert main(["archive", "--verify", str(tmp_path / "a.zip")]) == 3
    report = capsys.readouterr().err
    assert words in report
    assert "take another copy" in report
    assert "\x1b" not in report


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_file_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(packed(SOUND, (f"{TOP}/a.txt", b"one")))
    with pytest.raises(DataError, match=r"a\.txt': 2 times"):
        verify(tmp_path / "a.zip")


def test_no_change_of_a_byte_ends_in_a_traceback_or_passes_for_other_files(tmp_path: Path) -> None:
    sound = packed(SOUND)
    (tmp_path / "a.zip").write_bytes(sound)
    assert verify(tmp_path / "a.zip") == (2, hashlib.sha256(LISTED).hexdigest())
    chance = random.Random(1)
    for place in range(len(sound)):
        broken = bytearray(sound)
        broken[place] ^= 1 << chance.randrange(8)
        (tmp_path / "a.zip").write_bytes(bytes(broken[:chance.choice([None, place])]))
        try:
            found = verify(tmp_path / "a.zip")
        except DataError:
            continue
        assert found == (2, hashlib.sha256(LISTED).hexdigest())


MEBIBYTE = 1024 * 1024


def zeros(name: str, size: int) -> bytes:
    """A zip with a file of zeros."""
    content = io.BytesIO()
    with ZipFile(content, "w", ZIP_DEFLATED) as archive, \
            archive.open(f"{TOP}/{name}", "w", force_zip64=True) as file:
        for _ in range(size // MEBIBYTE):
            file.write(bytes(MEBIBYTE))
    return content.getvalue()


def claiming(size: int) -> bytes:
    """A zip of two files, each of which says that it unpacks to ``size`` bytes."""
    content = bytearray(packed({"x": b"1", "y": b"1"}))
    for head in (content.index(b"PK\x01\x02"), content.rindex(b"PK\x01\x02")):
        content[head + 24:head + 28] = size.to_bytes(4, "little")
    return bytes(content)


BOMBS: dict[str, tuple[Callable[[], bytes], str]] = {
    "a large MANIFEST": (lambda: zeros("MANIFEST", 160 * MEBIBYTE), "expected at most 16777216"),
    "a MANIFEST of many lines": (lambda: packed({"MANIFEST": b"\n" * 16 * MEBIBYTE}),
                                 "a MANIFEST that cannot be read"),
    "a large file": (lambda: zeros("x", 160 * MEBIBYTE), "no MANIFEST"),
    "more than all may be": (lambda: claiming(2**31 + 1), "bytes in all; expected at most"),
}
VERIFY = """
import resource, sys
from pathlib import Path
from scorer.pipeline.archive.verify import verify
from scorer.core.errors import DataError
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    verify(Path(sys.argv[1]))
except DataError as fault:
    print(fault)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.parametrize("case", BOMBS)
def test_a_small_file_that_unpacks_to_much_takes_little_memory_and_is_refused(
    case: str, tmp_path: Path,
) -> None:
    make, words = BOMBS[case]
    (tmp_path / "a.zip").write_bytes(make())
    assert (tmp_path / "a.zip").stat().st_size < 8 * MEBIBYTE
    ran = subprocess.run([sys.executable, "-c", VERIFY, str(tmp_path / "a.zip")], cwd=ROOT,
                         capture_output=True, text=True, check=True)
    *lines, kibibytes = ran.stdout.splitlines()
    assert words in "\n".join(lines)
    assert int(kibibytes) < 128 * 1024


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_standard_output_ends_in_a_message(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(packed(SOUND))
    with Path("/dev/full").open("w") as full:
        ran = subprocess.run(
            [sys.executable, "-m", "scorer", "archive", "--verify", str(tmp_path / "a.zip")],
            cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert ran.returncode == 3
    assert ran.stderr == "the output cannot be written (No space left on device); make room\n"
