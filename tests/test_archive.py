"""An archive holds what was committed, the same bytes each time, and the site comes out of it."""

import gzip
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from scorer import board as boards
from scorer.archive import bundle
from scorer.archive.contents import Member, refusals
from scorer.cli import main
from scorer.errors import DataError, UsageError
from scorer.hidden import envelope
from scorer.website.reading.revision import day_of_commit
from tests.ci_world import git

pytestmark = pytest.mark.whole

ROOT = Path(__file__).resolve().parent.parent
PARTS = ("boards", "docs", "locks", "results", "scorer", "site", "submissions", "templates")
FILES = ("CHANGELOG.md", "LICENSE", "Makefile", "README.md", "mkdocs.yml", "pyproject.toml")
AGE_KEY = "AGE-SECRET-KEY-1" + "QPZRY9X8" * 7 + "GF"
OFFICIAL = "explagraphs"


@pytest.fixture(scope="module")
def committed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with this program and its rows; to be copied."""
    folder = tmp_path_factory.mktemp("committed")
    for part in PARTS:
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    for name in FILES:
        shutil.copy(ROOT / name, folder)
    git(folder, "init", "--quiet", "--initial-branch=main")
    commit(folder)
    return folder


@pytest.fixture
def checkout(committed: Path, tmp_path: Path) -> Path:
    """The same repository, to be changed."""
    return shutil.copytree(committed, tmp_path / "checkout")


def commit(folder: Path) -> None:
    git(folder, "add", "--all", "--force")
    git(folder, "commit", "--quiet", "--message=Change")


def archive(folder: Path, out: Path, *words: str) -> int:
    return main(["archive", str(out), "--root", str(folder), *words])


def unpacked(path: Path, folder: Path) -> Path:
    with tarfile.open(path) as file:
        file.extractall(folder, filter="data")
    return folder / bundle.TOP


def digests(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(folder.rglob("*")) if path.is_file()}


# ---- what is in it -------------------------------------------------------------------------


def test_an_archive_holds_every_committed_file_and_nothing_else(
    checkout: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    (checkout / "left-out.txt").write_text("not committed")
    assert archive(checkout, tmp_path / "a.tar.gz") == 0
    top = unpacked(tmp_path / "a.tar.gz", tmp_path / "new")
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
    assert main(["archive", "--verify", str(tmp_path / "a.tar.gz")]) == 0
    assert told.splitlines()[1] == capsys.readouterr().out.splitlines()[1]


def test_what_is_not_in_it_is_named_with_its_digest(checkout: Path, tmp_path: Path) -> None:
    archive(checkout, tmp_path / "a.tar.gz")
    top = unpacked(tmp_path / "a.tar.gz", tmp_path / "new")
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
    assert {card["judge"] for card in about["judges"].values()} == {"seca", "ea"}
    assert "--status" not in readme


@pytest.mark.claim("The same commit and site give an archive of the same bytes.")
def test_the_same_input_gives_the_same_bytes_whatever_the_clock_and_the_files_times(
    checkout: Path, tmp_path: Path,
) -> None:
    again = tmp_path / "again"
    git(tmp_path, "clone", "--quiet", str(checkout), str(again))
    for path in again.rglob("*.md"):
        os.utime(path, (1, 1))
    assert archive(checkout, tmp_path / "a.tar.gz") == archive(again, tmp_path / "b.tar.gz") == 0
    content = (tmp_path / "a.tar.gz").read_bytes()
    assert content == (tmp_path / "b.tar.gz").read_bytes()
    with tarfile.open(fileobj=io.BytesIO(content)) as file:
        heads = file.getmembers()
    assert {(head.mtime, head.uid, head.gid, head.uname) for head in heads} == {
        (bundle._TIME, 0, 0, "")}
    assert [head.name for head in heads] == sorted(head.name for head in heads)


@pytest.mark.site
@pytest.mark.claim("The site built from an unpacked archive is the site built from the checkout, "
                   "byte for byte.")
def test_the_site_comes_out_of_an_archive_as_it_went_in(checkout: Path, tmp_path: Path) -> None:
    status = tmp_path / "status.json"
    status.write_text(json.dumps({"schema": 1, "commit": "0" * 40, "submissions": []}))
    empty = str(tmp_path / "empty")
    build(checkout, tmp_path / "site", "--home", empty, "--status", str(status))
    assert archive(checkout, tmp_path / "a.tar.gz", "--site", str(tmp_path / "site")) == 0
    top = unpacked(tmp_path / "a.tar.gz", tmp_path / "new")
    assert "--home ../empty --status ../site/data/status.json" in (top / "README.md").read_text()
    build(top / "checkout", tmp_path / "rebuilt", "--home", "../empty",
          "--status", "../site/data/status.json")
    wanted = digests(tmp_path / "site")
    assert len(wanted) > 100
    assert digests(tmp_path / "rebuilt") == wanted == digests(top / "site")
    page = (tmp_path / "rebuilt" / "index.html").read_text("utf-8")
    assert git(checkout, "rev-parse", "HEAD")[:12] in page


def build(root: Path, out: Path, *words: str) -> None:
    """Build a site by the program that lies in ``root``, without any installed one."""
    ran = subprocess.run(
        [sys.executable, "-m", "scorer", "site", "build", "--out", str(out), *words], cwd=root,
        capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(root)})
    assert ran.returncode == 0, ran.stderr


# ---- what may not be in it -----------------------------------------------------------------


ENVELOPE = envelope.new("a-board", "test", b"support\n").to_bytes().decode()
PEM = "-----BEGIN OPENSSH PRIVATE KEY-----\n" + "b3BlbnNzaC1rZXktdjEA" * 3 + "\n"
REFUSED = {
    "an identity": ("notes/key.txt", f"# mine\n{AGE_KEY}\n", "holds a secret key"),
    "a deploy key": ("notes/deploy", PEM, "holds a secret key"),
    "opened gold": ("gold/a-board.test.gold", ENVELOPE, "opened gold; seal it"),
    "fetched data": (".whyboard/answers.txt", "x", "of a folder that never leaves this machine"),
    "data beside their board": (f"boards/{OFFICIAL}/data/dev.tsv", "x",
                                f"data of {OFFICIAL}, which may not be passed on"),
    "a batch for annotators": ("annotations/batches/b-1.json", f'{{"board": "{OFFICIAL}"}}',
                               f"items of {OFFICIAL}, whose data may not be passed on"),
    "a batch of items that each user imports": (
        "annotations/batches/b-1.json", '{"board": "anli"}',
        "items of anli, whose data may not be passed on"),
}


@pytest.mark.claim("An archive never holds a secret key, opened gold, or data that may not be "
                   "passed on.")
@pytest.mark.parametrize("case", REFUSED)
def test_what_may_not_be_passed_on_stops_the_archive(
    case: str, checkout: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    path, content, words = REFUSED[case]
    (checkout / path).parent.mkdir(parents=True, exist_ok=True)
    (checkout / path).write_text(content)
    commit(checkout)
    assert archive(checkout, tmp_path / "a.tar.gz") == 3
    told = capsys.readouterr().err
    assert told.startswith(f"nothing is archived:\ncheckout/{path}: {words}")
    assert AGE_KEY not in told
    assert not (tmp_path / "a.tar.gz").exists()


def test_scores_of_items_may_leave_unless_their_gold_is_hidden() -> None:
    board = boards.load(OFFICIAL)
    test = replace(board.splits["test"], gold="hidden")
    found = refusals([Member(f"checkout/results/{OFFICIAL}/a/b/{split}.items.tsv", b"row\n")
                      for split in ("dev", "test")],
                     [replace(board, splits={**board.splits, "test": test})])
    assert [*found] == [f"checkout/results/{OFFICIAL}/a/b/test.items.tsv: scores of items of "
                        f"{OFFICIAL}, whose gold is hidden; remove it"]


def test_official_data_are_known_by_their_digest_under_any_name(
    checkout: Path, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    shutil.copy(data / OFFICIAL / "dev.tsv", checkout / "docs" / "notes.txt")
    commit(checkout)
    assert archive(checkout, tmp_path / "a.tar.gz") == 3
    assert "checkout/docs/notes.txt: data of explagraphs" in capsys.readouterr().err


@pytest.mark.parametrize("page", [f"boards/{OFFICIAL}/dev/17/index.html",
                                  f"data/{OFFICIAL}/dev/index.json"])
def test_a_site_that_shows_such_data_is_refused_with_what_to_do(
    page: str, checkout: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    site = tmp_path / "site"
    (site / page).parent.mkdir(parents=True)
    for name in ("index.html", page):
        (site / name).write_text("x")
    assert archive(checkout, tmp_path / "a.tar.gz", "--site", str(site)) == 3
    assert "build the site without them: scorer site build --home" in capsys.readouterr().err


def test_a_link_leads_nowhere_and_is_refused(
    checkout: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (site / "index.html").write_text("x")
    (site / "a").symlink_to("index.html")
    assert archive(checkout, tmp_path / "a.tar.gz", "--site", str(site)) == 2
    assert "a link; build the site again" in capsys.readouterr().err
    (checkout / "outside").symlink_to("/etc/hostname")
    commit(checkout)
    assert archive(checkout, tmp_path / "a.tar.gz") == 3
    assert "outside: a link or a submodule" in capsys.readouterr().err


@pytest.mark.parametrize(("words", "said"), [
    ((), "name an archive to write, or one to verify"),
    (("a.tar.gz", "--verify", "b"), "name an archive to write, or one to verify"),
    (("a.tar.gz", "--site", "no-site"), "no built site; make it with")])
def test_what_cannot_be_used_is_told(
    words: tuple[str, ...], said: str, checkout: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["archive", "--root", str(checkout), *words]) == 2
    assert said in capsys.readouterr().err


def test_without_git_there_is_nothing_to_archive(
    tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    assert archive(tmp_path, tmp_path / "a.tar.gz") == 3
    assert "no commit" in capsys.readouterr().err


# ---- verifying -----------------------------------------------------------------------------


MEMBERS = [Member("a.txt", b"one"), Member("b/run", b"two", True)]


def tar(files: dict[str, bytes | None]) -> bytes:
    """A tar.gz of some files; None is a link."""
    return tar_of(files.items())


def tar_of(files: Iterable[tuple[str, bytes | None]], kind: int = tarfile.PAX_FORMAT) -> bytes:
    """The same of names that need not differ."""
    packed = io.BytesIO()
    with gzip.GzipFile("", "wb", 1, packed) as file, tarfile.open(
            fileobj=file, mode="w", format=kind) as archive:
        for name, content in files:
            head = tarfile.TarInfo(name)
            head.size = len(content or b"")
            if content is None:
                head.type, head.linkname = tarfile.SYMTYPE, "/etc/hostname"
            archive.addfile(head, io.BytesIO(content or b""))
    return packed.getvalue()


LISTED = bundle.manifest(MEMBERS)
DAMAGED: dict[str, tuple[bytes, str]] = {
    "a changed file": (tar({"whyboard-archive/a.txt": b"ONE", "whyboard-archive/b/run": b"two",
                            "whyboard-archive/MANIFEST": LISTED}), "a.txt: another SHA-256"),
    "a missing file": (tar({"whyboard-archive/a.txt": b"one",
                            "whyboard-archive/MANIFEST": LISTED}), "b/run: missing"),
    "a file too many": (tar({"whyboard-archive/a.txt": b"one", "whyboard-archive/b/run": b"two",
                             "whyboard-archive/c": b"", "whyboard-archive/MANIFEST": LISTED}),
                        "c: not in the MANIFEST"),
    "no manifest": (tar({"whyboard-archive/a.txt": b"one"}), "no MANIFEST that can be read"),
    "a broken manifest": (tar({"whyboard-archive/MANIFEST": b"x  a.txt\n"}),
                          "no MANIFEST that can be read"),
    "a link": (tar({"whyboard-archive/a.txt": None, "whyboard-archive/MANIFEST": LISTED}),
               "'whyboard-archive/a.txt': no plain file"),
    "a file elsewhere": (tar({"a.txt": b"one"}), "'a.txt': a name that leads elsewhere"),
    "two manifests": (tar_of([("whyboard-archive/MANIFEST", LISTED)] * 2), "'MANIFEST': twice"),
    "a file twice": (tar_of([("whyboard-archive/a.txt", b"one")] * 2), "'a.txt': twice"),
    "names that other programs read otherwise": (
        tar_of([("whyboard-archive/a.txt", b"one")], tarfile.GNU_FORMAT),
        "not an archive that can be read"),
    "more after the end": (
        bundle.pack(MEMBERS) + tar({"whyboard-archive/c": b"three"}), "more after the end"),
    "words about all files": (
        gzip.compress(tarfile.TarInfo.create_pax_global_header({"path": "whyboard-archive/b"})),
        "no plain file"),
    "words about a file": (
        gzip.compress(tarfile.TarInfo("whyboard-archive/a").create_pax_header(
            {"name": "whyboard-archive/a", "size": 10**12, "linkname": "", "mtime": 0, "uid": 0,
             "gid": 0, "mode": 0o644, "type": tarfile.REGTYPE, "uname": "", "gname": ""}, "utf-8")),
        "said of a file; expected its name alone"),
    "half of it": (bundle.pack(MEMBERS)[:-30], "not an archive that can be read"),
    "something else": (b"PK", "not an archive that can be read"),
    "nothing": (b"", "not an archive that can be read"),
}


@pytest.mark.parametrize("case", DAMAGED)
def test_damage_is_found_and_named(case: str, tmp_path: Path) -> None:
    content, words = DAMAGED[case]
    (tmp_path / "a.tar.gz").write_bytes(content)
    with pytest.raises(DataError) as told:
        bundle.verify(tmp_path / "a.tar.gz")
    assert words in str(told.value)
    assert "take another copy" in str(told.value)


@pytest.mark.parametrize("name", [
    "/etc/x", "./x", "a//x", "a/", "C:x", "a/C:/x", "..\\x", "a\\x", "../a.txt", "a/../../x",
    "a\nb", "x" * 1001, "a?b", "a*", "<a>", "a|b", 'a"', "a.", "a ", "a./b", "CON", "b/nul.txt",
    "Com1", "aux .c"])
def test_a_name_that_means_another_file_somewhere_is_refused_by_name(
    name: str, tmp_path: Path,
) -> None:
    (tmp_path / "a.tar.gz").write_bytes(tar({f"whyboard-archive/{name}": b"one"}))
    with pytest.raises(DataError, match="a name that leads elsewhere; expected a file below"):
        bundle.verify(tmp_path / "a.tar.gz")


@pytest.mark.parametrize("names", [
    ("a", "a/b"), ("a", "A"), ("A/x", "a/y"), ("a", "A/b"), ("é", "e\u0301"),
    ("a/b/c/d", "a/b/c-", "a/b/C"), ("straße", "STRASSE"), ("MANIFEST/x",), ("manifest",)])
def test_names_that_are_one_on_some_system_are_refused(
    names: tuple[str, ...], tmp_path: Path,
) -> None:
    members = [Member(name, b"1") for name in names]
    with pytest.raises(UsageError, match="the same name, or a file and a folder, on some systems"):
        bundle.pack(members)
    (tmp_path / "a.tar.gz").write_bytes(tar_of(
        [*((f"whyboard-archive/{name}", b"1") for name in names),
         ("whyboard-archive/MANIFEST", bundle.manifest(members))]))
    with pytest.raises(DataError, match="the same name, or a file and a folder, on some systems"):
        bundle.verify(tmp_path / "a.tar.gz")


def test_names_that_only_look_alike_are_sound(tmp_path: Path) -> None:
    names = ["a/b", "a-b", "a.b", "ab", "a b", "b/a", "a/bb", "console", "con-1", ".a", "-rf",
             "com", "lpt10"]
    (tmp_path / "a.tar.gz").write_bytes(bundle.pack([Member(name, b"1") for name in names]))
    assert bundle.verify(tmp_path / "a.tar.gz").files == len(names)


@pytest.mark.parametrize(("field", "value"), [
    ("mode", 0o6777), ("mode", 0o666), ("mode", 0o4755), ("uid", 7), ("gid", 7), ("uname", "root"),
    ("gname", "root")])
def test_rights_and_owners_that_we_never_write_are_refused(
    field: str, value: object, tmp_path: Path,
) -> None:
    found = tarfile.TarInfo("whyboard-archive/a.txt")
    setattr(found, field, value)
    (tmp_path / "a.tar.gz").write_bytes(gzip.compress(found.tobuf(tarfile.USTAR_FORMAT)))
    with pytest.raises(DataError, match=r"'whyboard-archive/a\.txt': of mode .*; expected 644"):
        bundle.verify(tmp_path / "a.tar.gz")


def test_long_names_and_names_of_any_language_are_sound(tmp_path: Path) -> None:
    names = ["x" * 99, "y/" * 150 + "z", "naïve/日本", "w/" * 499 + "ww"]
    (tmp_path / "a.tar.gz").write_bytes(bundle.pack([Member(name, b"1") for name in names]))
    assert bundle.verify(tmp_path / "a.tar.gz").files == 4
    assert digests(unpacked(tmp_path / "a.tar.gz", tmp_path)).keys() == {*names, "MANIFEST"}


def repeated(first: bytes, block: bytes, times: int) -> bytes:
    """The same block, over and over, compressed."""
    packed = io.BytesIO()
    with gzip.GzipFile("", "wb", 1, packed) as file:
        file.write(first)
        for _ in range(times):
            file.write(block)
    return packed.getvalue()


def head(name: str, size: int, kind: bytes = tarfile.REGTYPE) -> bytes:
    found = tarfile.TarInfo(name)
    found.size, found.type = size, kind
    return found.tobuf(tarfile.USTAR_FORMAT)


def many_files() -> Iterator[tuple[str, bytes]]:
    yield from ((f"whyboard-archive/{number:07}{'/x' * 450}", b"") for number in range(20_000))


MEBIBYTE = 1024 * 1024
BOMBS: dict[str, tuple[Callable[[], bytes], str]] = {
    "a large MANIFEST": (
        lambda: repeated(head("whyboard-archive/MANIFEST", 256 * MEBIBYTE), bytes(MEBIBYTE), 256),
        "'whyboard-archive/MANIFEST': of 268435456 bytes; expected at most 16777216"),
    "a MANIFEST of many lines": (
        lambda: tar({"whyboard-archive/MANIFEST": b"\n" * 16 * MEBIBYTE}),
        "no MANIFEST that can be read"),
    "a long name": (
        lambda: repeated(head("x", 256 * MEBIBYTE, tarfile.XHDTYPE), bytes(MEBIBYTE), 256),
        "'x': of 268435456 bytes; expected at most 2000"),
    "a long name as GNU writes it": (
        lambda: repeated(head("x", 256 * MEBIBYTE, tarfile.GNUTYPE_LONGNAME),
                         bytes(MEBIBYTE), 256), "'x': no plain file"),
    "a file larger than all may be": (
        lambda: gzip.compress(head("whyboard-archive/x", 4 * 1024 * MEBIBYTE + 1)),
        "'whyboard-archive/x': of 4294967297 bytes; expected at most 4294967296"),
    "files without end": (
        lambda: tar_of(many_files()), "...: too large or one too many; expected at most 4 GiB"),
    "zeros after the end": (
        lambda: repeated(b"", bytes(MEBIBYTE), 256), "more after the end"),
}
VERIFY = """
import resource, sys
from pathlib import Path
from scorer.archive import bundle
from scorer.errors import DataError
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    bundle.verify(Path(sys.argv[1]))
except DataError as fault:
    print(fault)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.parametrize("case", BOMBS)
def test_a_small_file_that_unpacks_to_much_takes_little_memory_and_is_refused(
    case: str, tmp_path: Path,
) -> None:
    make, words = BOMBS[case]
    (tmp_path / "a.tar.gz").write_bytes(make())
    assert (tmp_path / "a.tar.gz").stat().st_size < 8 * MEBIBYTE
    ran = subprocess.run([sys.executable, "-c", VERIFY, str(tmp_path / "a.tar.gz")], cwd=ROOT,
                         capture_output=True, text=True, check=True)
    *told, kibibytes = ran.stdout.splitlines()
    assert words in "\n".join(told)
    assert int(kibibytes) < 128 * 1024


@pytest.mark.parametrize(("limit", "size"), [
    ("MOST_LISTED", len(LISTED)), ("MOST_BYTES", len(LISTED) + len(b"onetwo"))])
def test_what_would_not_verify_is_not_packed(
    limit: str, size: int, monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bundle, limit, size)
    assert bundle.pack(MEMBERS)
    monkeypatch.setattr(bundle, limit, size - 1)
    with pytest.raises(UsageError, match="an archive takes at most 4 GiB"):
        bundle.pack(MEMBERS)


def test_any_flipped_byte_of_a_file_or_its_manifest_is_found(tmp_path: Path) -> None:
    plain = gzip.decompress(bundle.pack(MEMBERS))
    for wanted in (b"one", b"two", LISTED):
        place = plain.index(wanted)
        for offset in range(0, len(wanted), 7):
            broken = bytearray(plain)
            broken[place + offset] ^= 1
            (tmp_path / "a.tar.gz").write_bytes(gzip.compress(bytes(broken)))
            with pytest.raises(DataError):
                bundle.verify(tmp_path / "a.tar.gz")


def test_a_sound_archive_is_told_by_its_files_and_the_digest_of_its_manifest(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.tar.gz").write_bytes(bundle.pack(MEMBERS))
    assert bundle.verify(tmp_path / "a.tar.gz") == (2, hashlib.sha256(LISTED).hexdigest())
    top = unpacked(tmp_path / "a.tar.gz", tmp_path)
    assert [os.access(top / name, os.X_OK) for name in ("a.txt", "b/run")] == [False, True]


@pytest.mark.parametrize("name", ["a\nb", "a\\b", "a\x1b[31m", "C:a", "./a", "a/"])
def test_a_name_that_no_manifest_can_hold_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="no name for an archive; rename the file"):
        bundle.pack([Member(name, b"")])
