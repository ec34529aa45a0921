"""WordNet: from packages and archives to the synonyms that METEOR asks for."""

import io
import os
import shutil
import tarfile
import zipfile
from pathlib import Path

import pytest

from scorer.cli import main
from scorer.core.errors import DataError, NotMeasured
from scorer.models.registry import Models
from scorer.models.wordnet import DIGEST, FILE, INFO, WordNet, folder, make, read

LICENCE = b"  1 A licence in lines that begin with blanks.\n"
HOME = Path(os.environ.get("WHYBOARD_HOME") or Path(__file__).parent.parent / ".whyboard")


def index(part: str, **entries: list[int]) -> bytes:
    return LICENCE + "".join(
        f"{lemma} {part} {len(offsets)} 2 @ ~ {len(offsets)} 0 "
        f"{' '.join(f'{offset:08d}' for offset in offsets)}  \n"
        for lemma, offsets in entries.items()).encode()


def data(*synsets: str) -> tuple[bytes, list[int]]:
    """The file, and where each synset begins in it."""
    content, offsets = LICENCE, []
    for words in synsets:
        names = words.split()
        offsets.append(len(content))
        content += (f"{len(content):08d} 03 n {len(names):02x} "
                    f"{' '.join(f'{name} 0' for name in names)} 000 | a gloss\n").encode()
    return content, offsets


def files() -> dict[str, bytes]:
    """Twelve files in WordNet's form, of our own words."""
    nouns, (first, second) = data("car auto motor_car", "car railcar")
    adjectives, [awake] = data("awake(p) wide_awake waking")
    return {name: b"" if name.endswith(".exc") else LICENCE for name in make.WANTED} | {
        "index.noun": index("n", auto=[first], car=[first, second], motor_car=[first]),
        "data.noun": nouns, "index.adj": index("a", awake=[awake]), "data.adj": adjectives,
        "noun.exc": b"carz car\n"}


LINES = ["!n carz\tcar", "a awake\tawake waking", "n auto\tauto car", "n car\tauto car railcar",
         "n motor_car\tauto car"]


def never(url: str) -> bytes:
    raise AssertionError(url)


def tarred(mode: str = "gz") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=f"w:{mode}") as archive:  # type: ignore[call-overload]
        for name, content in {**files(), "../../../../etc/passwd": b""}.items():
            entry = tarfile.TarInfo(f"./usr/share/wordnet/{name}")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


def zipped() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files().items():
            archive.writestr(f"wordnet/{name}", content)
    return buffer.getvalue()


def package() -> bytes:
    """A .deb: an ar archive of three members, padded to even lengths."""
    members = {"debian-binary": b"2.0\n", "control.tar.xz": b"odd", "data.tar.xz": tarred("xz")}
    return b"!<arch>\n" + b"".join(
        f"{name:<16}{0:<12}{0:<6}{0:<6}{644:<8}{len(content):<10}`\n".encode() + content
        + b"\n" * (len(content) % 2) for name, content in members.items())


@pytest.mark.parametrize("content", [tarred, zipped, package])
def test_the_twelve_files_are_found_in_any_archive(content, tmp_path):
    path = tmp_path / "archive"
    path.write_bytes(content())
    assert make.find(path, never) == files()


def written(folder: Path, changed: dict[str, bytes]) -> Path:
    """A folder with the twelve files, some of them others."""
    (folder / "dict").mkdir()
    for name, content in {**files(), **changed}.items():
        (folder / "dict" / name).write_bytes(content)
    return folder


def test_the_twelve_files_of_a_folder_become_lines_without_blanks_and_markers(tmp_path):
    found = make.find(written(tmp_path, {"README": b"not wanted"}), never)
    assert found == files()
    assert make.compile_lines(found).decode().splitlines() == LINES
    (tmp_path / "dict" / "adj.exc").unlink()
    with pytest.raises(DataError, match=r"lack adj.exc; "):
        make.find(tmp_path, never)


@pytest.mark.parametrize(("changed", "words"), [
    ({"data.noun": LICENCE}, "damaged"),
    ({"index.noun": b"car n 2 0 2 0 00000046\n"}, "car has 1 senses, not 2"),
    ({"index.noun": index("n", car=[3])}, "no synset at 00000003"),
    ({}, "not WordNet 3.0")])
def test_other_files_are_refused_with_advice(changed, words, tmp_path):
    with pytest.raises(DataError, match=words) as fault:
        make.fetch(tmp_path / "home", source=written(tmp_path, changed), download=never)
    assert "scorer data fetch wordnet --from FILE" in str(fault.value)
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize("content", [b"", b"PK", b"!<arch>\n", b"no archive"])
def test_what_is_no_archive_is_refused(content, tmp_path):
    path = tmp_path / "x.deb"
    path.write_bytes(content)
    with pytest.raises(DataError, match="WordNet cannot be had"):
        make.find(path, never)


# Words -----------------------------------------------------------------------------------------

TINY = WordNet.of_lines([*LINES, "v bus\tbus", "n bus\tbus coach", "n box\tbox", "v boxe\tboxe",
                         "a fine\tfine good", "n knife\tknife", "n as\tas"])


@pytest.mark.parametrize(("word", "synonyms"), [
    ("car", {"auto", "car", "railcar"}),
    ("carz", {"auto", "car", "railcar"}),  # an exception
    ("cars", {"auto", "car", "railcar"}),  # -s
    ("finest", {"fine", "good"}),  # -est to -e
    ("boxes", {"box", "boxe"}),  # each part of speech by its own endings
    ("asses", {"as"}),  # nothing after one cut: asse, ass; -s once more
    ("motor_car", {"auto", "car"}),
    ("zzz", set()),
    ("bus.", set())])  # a full stop belongs to the word
def test_base_forms_are_found_by_exceptions_and_endings(word, synonyms):
    assert TINY.synonyms(word) == synonyms


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:The multilingual functions are not available")
def test_synonyms_are_those_of_nltk_which_now_cuts_endings_once(lexicon, tmp_path, monkeypatch):
    import nltk
    from nltk.corpus import LazyCorpusLoader, WordNetCorpusReader

    place, source = tmp_path / "corpora" / "wordnet", folder(HOME) / "corpora" / "wordnet"
    if not source.is_dir():
        pytest.skip("WordNet's own files are not at hand; run: scorer data fetch wordnet")
    shutil.copytree(source, place)
    (place / "index.sense").touch()  # nltk asks for it and does not need it
    (place / "lexnames").write_text("\n".join(f"{number:02d}\tname\t1" for number in range(45)))
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    reader = LazyCorpusLoader("wordnet", WordNetCorpusReader, None)
    stems = sorted({key.split(" ")[1] for key in lexicon.names})[::307]
    equal = 0
    for word in (stem + ending for stem in stems for ending in ("", "s", "ed", "ing", "er")):
        theirs = {name for synset in reader.synsets(word) for name in synset.lemma_names()
                  if "_" not in name}
        assert lexicon.synonyms(word) >= theirs, word
        equal += lexicon.synonyms(word) == theirs
    assert equal > .95 * 5 * len(stems)


# How a run has it ------------------------------------------------------------------------------


def test_without_wordnet_the_reason_says_what_to_do_and_a_damaged_one_is_not_used(tmp_path):
    reason = "WordNet 3.0 is not at hand; run: scorer data fetch wordnet"
    with pytest.raises(NotMeasured, match=f"^{reason}$"):
        Models(home=tmp_path)("wordnet")
    folder(tmp_path).mkdir(parents=True)
    (folder(tmp_path) / FILE).write_text("n car\tauto\n")
    with pytest.raises(NotMeasured, match=rf"expected {DIGEST[:12]}\.\.\.; run: scorer data fetch"):
        Models(home=tmp_path)("wordnet")


def test_wordnet_needs_no_permission_and_has_its_digest_in_signatures(lexicon):
    models = Models(allowed=False, home=HOME)
    assert models.tag("wordnet") == f"lexicon:wordnet-{DIGEST[:12]}"
    elsewhere = Models({"wordnet": str(folder(HOME))}, allowed=False, home=Path("nowhere"))
    assert models("wordnet").names == elsewhere("wordnet").names == lexicon.names


def test_the_program_says_whether_wordnet_is_there(tmp_path, capsys, fails):
    assert main(["data", "status", INFO.name, "--home", str(tmp_path)]) == 0
    assert "wordnet: WordNet 3.0 is not at hand" in capsys.readouterr().out
    path = tmp_path / "x.zip"
    path.write_bytes(zipped())
    fails(3, "not WordNet 3.0",
          "data", "fetch", "wordnet", "--from", str(path), "--home", str(tmp_path))


@pytest.mark.slow
def test_wordnet_is_made_again_from_its_own_files(lexicon, tmp_path):
    path = make.fetch(tmp_path, source=folder(HOME) / "corpora", download=never)
    assert read(path.parent).names == lexicon.names
    assert len(lexicon.names) == 155287
