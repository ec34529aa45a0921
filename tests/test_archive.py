"""An archive holds what was committed, the same bytes each time, and the site comes out of it."""

import hashlib
import io
import os
import random
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_LZMA, ZipFile, ZipInfo

import pytest

from scorer import boards
from scorer.cli import main
from scorer.core.errors import DataError
from scorer.pipeline.archive import TOP, verify
from scorer.pipeline.hidden import sealed
from scorer.site.reading.repository import day_of_commit
from tests.ci_world import git

pytestmark = pytest.mark.whole

ROOT = Path(__file__).resolve().parent.parent
AGE_KEY = "AGE-SECRET-KEY-1" + "QPZRY9X8" * 7 + "GF"
OFFICIAL = "explagraphs"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository with three boards, to be changed."""
    folder = tmp_path / "checkout"
    for name in (OFFICIAL, "explagraphs-practice", "anli"):
        shutil.copytree(ROOT / "boards" / name, folder / "boards" / name)
    git(folder, "init", "--quiet", "--initial-branch=main")
    commit(folder)
    return folder


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A built site, as far as an archive looks at it."""
    (tmp_path / "site" / "data").mkdir(parents=True)
    for name in ("index.html", "data/status.json"):
        (tmp_path / "site" / name).write_text("{}")
    return tmp_path / "site"


def commit(folder: Path) -> None:
    git(folder, "add", "--all", "--force")
    git(folder, "commit", "--quiet", "--message=Change")


Archive = Callable[..., str]


@pytest.fixture
def archive(checkout: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Archive:
    """Archives the checkout as ``a.zip``, or another; returns what is printed."""
    def run(*words: str | Path, code: int = 0, out: str = "a.zip", root: Path = checkout) -> str:
        ended = main(["archive", str(tmp_path / out), "--root", str(root), *map(str, words)])
        assert ended == code
        return "".join(capsys.readouterr())

    return run


def unpacked(path: Path, folder: Path) -> Path:
    with ZipFile(path) as archive:
        archive.extractall(folder)
    return folder / TOP


def digests(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(folder.rglob("*")) if path.is_file()}


# ---- what is in it -------------------------------------------------------------------------


def test_an_archive_holds_every_committed_file_and_nothing_else(
    checkout: Path, archive: Archive, tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    (checkout / "left-out.txt").write_text("not committed")
    report = archive()
    top = unpacked(tmp_path / "a.zip", tmp_path / "new")
    held, tracked = digests(top), git(checkout, "ls-files").split("\n")
    assert set(held) == {f"checkout/{path}" for path in (*tracked, "COMMIT")} | {
        "MANIFEST", "README.md"}
    assert all(held[f"checkout/{path}"] == digest for path, digest in digests(checkout).items()
               if path in tracked)
    listed = dict(reversed(line.split("  ")) for line in
                  (top / "MANIFEST").read_text().splitlines())
    assert listed == {path: digest for path, digest in held.items() if path != "MANIFEST"}
    assert f"{len(listed)} files; SHA-256 of the MANIFEST: {held['MANIFEST']}" in report
    assert main(["archive", "--verify", str(tmp_path / "a.zip")]) == 0
    assert report.splitlines()[1] == capsys.readouterr().out.splitlines()[1]


def test_what_is_not_in_it_is_named_with_its_digest(
    checkout: Path, archive: Archive, site: Path, tmp_path: Path,
) -> None:
    archive()
    top = unpacked(tmp_path / "a.zip", tmp_path / "new")
    head, day = git(checkout, "rev-parse", "HEAD"), day_of_commit(checkout)
    assert (top / "checkout" / "COMMIT").read_text() == f"{head}\n{day}\n"
    assert day_of_commit(top / "checkout") == day, "so the same rows are anonymous"
    readme = (top / "README.md").read_text("utf-8")
    for download in boards.load(OFFICIAL).downloads:
        assert (download.sha256 in readme) == (not download.by_others)
    assert "--status" not in readme
    archive("--site", site, out="b.zip")
    readme = (unpacked(tmp_path / "b.zip", tmp_path / "second") / "README.md").read_text("utf-8")
    assert "--home ../empty --status ../site/data/status.json" in readme


@pytest.mark.claim("The same commit and site give an archive of the same bytes.")
def test_the_same_input_gives_the_same_bytes_whatever_the_clock_and_the_files_times(
    checkout: Path, archive: Archive, site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    again = tmp_path / "again"
    git(tmp_path, "clone", "--quiet", str(checkout), str(again))
    for path in again.rglob("*.md"):
        os.utime(path, (1, 1))
    archive("--site", site)
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    os.utime(site / "index.html", (1, 1))
    archive("--site", site, out="b.zip", root=again)
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()


# ---- what may not be in it -----------------------------------------------------------------


ENVELOPE = sealed.new("a-board", "test", b"support\n").to_bytes().decode()
PEM = "-----BEGIN OPENSSH PRIVATE KEY-----\n" + "b3BlbnNzaC1rZXktdjEA" * 3 + "\n"
REFUSED = (
    ("notes/key.txt", f"# mine\n{AGE_KEY}\n", "holds a secret key"),
    ("notes/deploy", PEM, "holds a secret key"),
    ("gold/a-board.test.gold", ENVELOPE, "holds opened gold of a-board test"),
)
"""Paths, what stands there, and what is said of it."""


@pytest.mark.claim("An archive never holds a secret key or opened gold.")
def test_what_is_secret_stops_the_archive(
    checkout: Path, archive: Archive, tmp_path: Path,
) -> None:
    for path, content, _ in REFUSED:
        (checkout / path).parent.mkdir(parents=True, exist_ok=True)
        (checkout / path).write_text(content)
    commit(checkout)
    head, *lines = archive(code=3).strip().split("\n")
    assert head == "nothing is archived:"
    for path, _, words in REFUSED:
        [line] = [line for line in lines if line.startswith(f"checkout/{path}: ")]
        assert words in line
        lines.remove(line)
        assert AGE_KEY not in line
    assert lines == []
    assert not (tmp_path / "a.zip").exists()


@pytest.mark.claim("An archive never holds official data that users must fetch, whatever the name.")
def test_official_data_are_known_by_their_digest_under_any_name(
    checkout: Path, data: Path, archive: Archive,
) -> None:
    shutil.copy(data / OFFICIAL / "dev.tsv", checkout / "notes.txt")
    commit(checkout)
    assert "checkout/notes.txt: data of explagraphs" in archive(code=3)


@pytest.mark.parametrize("page", [f"boards/{OFFICIAL}/dev/17/index.html",
                                  f"data/{OFFICIAL}/dev/index.json"])
def test_a_site_that_shows_such_data_is_refused_with_what_to_do(
    page: str, archive: Archive, site: Path,
) -> None:
    (site / page).parent.mkdir(parents=True)
    (site / page).write_text("x")
    assert "build the site without them: scorer site build" in archive("--site", site, code=3)


def test_a_link_leads_nowhere_and_is_refused(checkout: Path, archive: Archive, site: Path) -> None:
    (site / "a").symlink_to("index.html")
    assert "a link; build the site again" in archive("--site", site, code=2)
    (checkout / "outside").symlink_to("/etc/hostname")
    commit(checkout)
    assert "outside: a link or a submodule" in archive(code=3)


def test_what_cannot_be_used_is_named(archive: Archive, tmp_path: Path) -> None:
    assert "no built site; make it with" in archive("--site", tmp_path / "no-site", code=2)
    assert "name an archive to write, or one to verify" in archive("--verify", "b", code=2)
    (tmp_path / "no-git").mkdir()
    assert "no commit" in archive(root=tmp_path / "no-git", code=3)


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


DAMAGED: dict[str, dict[str, bytes]] = {
    "'a.txt': another SHA-256": {"a changed file": packed({**SOUND, "a.txt": b"ONE"})},
    "'b/run': missing": {"a missing file": packed({"a.txt": b"one", "MANIFEST": LISTED})},
    "'c': not in the MANIFEST": {"a file too many": packed({**SOUND, "c": b""})},
    "no MANIFEST": {"no manifest": packed({"a.txt": b"one"})},
    "a MANIFEST that cannot be read": {"a broken manifest": packed({"MANIFEST": b"x  a.txt\n"})},
    "no plain file": {
        "a link": packed(SOUND, (link("c"), b"/etc/hostname")),
        "a folder with bytes": packed(SOUND, (f"{TOP}/c/", b"one"))},
    "a file and a folder": {
        "a folder of a file": packed(SOUND, (f"{TOP}/a.txt/c", b"")),
        "a file for the top": packed(SOUND, (TOP, b""))},
    "compressed in another way": {
        "memory without bound": packed(SOUND, how=ZIP_BZIP2),
        "a fault of its own": packed(SOUND, how=ZIP_LZMA)},
    "a name that leads elsewhere": {
        "a file elsewhere": packed(SOUND, ("../c", b"")),
        "a file above": packed(SOUND, (f"{TOP}/../c", b"")),
        "a long name": packed(SOUND, (f"{TOP}/{'c/' * 500}c", b"")),
        "a drive": packed(SOUND, (f"{TOP}/C:c", b"")),
        "an escape": packed(SOUND, (f"{TOP}/\x1b[31m", b"")),
        "another top": packed(SOUND, top="other/"),
        "a folder above": packed(SOUND, (f"{TOP}/../c/", b"")),
        "a folder of the system": packed(SOUND, ("/etc/c/", b""))},
    "not an archive that can be read": {
        "half of it": packed(SOUND)[:-30], "something else": b"PK", "nothing": b""},
}
"""By what is said of them."""


@pytest.mark.parametrize("message", DAMAGED)
def test_a_damaged_or_odd_archive_ends_in_a_message(
    message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    for name, content in DAMAGED[message].items():
        (tmp_path / "a.zip").write_bytes(content)
        assert main(["archive", "--verify", str(tmp_path / "a.zip")]) == 3, name
        report = capsys.readouterr().err
        assert message in report, name
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
    """A zip with three files that are said to have that many bytes."""
    content = bytearray(packed(dict.fromkeys("xyz", b"")))
    at = -1
    while (at := content.find(b"PK\x01\x02", at + 1)) >= 0:
        content[at + 24 : at + 28] = size.to_bytes(4, "little")
    return bytes(content)


BOMBS: dict[str, Callable[[], bytes]] = {
    "expected at most 16777216": lambda: zeros("MANIFEST", 160 * MEBIBYTE),
    "a MANIFEST that cannot be read": lambda: packed({"MANIFEST": b"\n" * 16 * MEBIBYTE}),
    "no MANIFEST": lambda: zeros("x", 160 * MEBIBYTE),
    "bytes in all; expected at most": lambda: claiming(2**31),
}
"""Small files that unpack to much, by what is said of them."""
VERIFY = """
import resource, sys
from pathlib import Path
from scorer.pipeline.archive import verify
from scorer.core.errors import DataError
for path in sys.argv[1:]:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        verify(Path(path))
    except DataError as fault:
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, repr(str(fault)))
"""


def test_a_small_file_that_unpacks_to_much_takes_little_memory_and_is_refused(
    tmp_path: Path,
) -> None:
    paths = [tmp_path / f"{number}.zip" for number in range(len(BOMBS))]
    for path, make in zip(paths, BOMBS.values(), strict=True):
        path.write_bytes(make())
        assert path.stat().st_size < 8 * MEBIBYTE
    ran = subprocess.run([sys.executable, "-c", VERIFY, *paths], cwd=ROOT, capture_output=True,
                         text=True, check=True)
    for line, words in zip(ran.stdout.splitlines(), BOMBS, strict=True):
        kibibytes, _, fault = line.partition(" ")
        assert words in fault
        assert int(kibibytes) < 128 * 1024
