"""The program as a person meets it: help, words, exit codes; files fetched from a bad network."""

import contextlib
import io
import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import jsonschema
import pytest

from scorer import boards
from scorer.boards.fetching import from_url
from scorer.cli import main
from scorer.commands import VERBS, load
from scorer.core.files import sha256
from tests import case_files
from tests.fuzz_helpers import RUNNER_COMMAND
from tests.loopback import Reply, serving
from tests.run_helpers import tree

UNUSABLE: dict[int, list[str]] = case_files.read("commands.yaml")
PRACTICE = boards.boards_folder() / "explagraphs-practice"
DEV = PRACTICE / "data" / "dev.tsv"
COMMANDS = [*VERBS, *(f"{verb} {action.name}" for verb in VERBS
                  for action in getattr(load(verb), "actions", ()))]
"""Every verb, and every action of one."""


class Ran(NamedTuple):
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str


def run(*words: str | Path) -> Ran:
    """Run a command here."""
    with contextlib.redirect_stdout(io.StringIO()) as out, (
            contextlib.redirect_stderr(io.StringIO())) as err:
        try:
            code = main([str(word) for word in words])
        except SystemExit as stop:
            code = int(stop.code or 0)
    for line in f"{out.getvalue()}\n{err.getvalue()}".split("\n"):
        assert not RUNNER_COMMAND.search(line), line
    return Ran(code, out.getvalue(), err.getvalue())


@pytest.fixture
def scorer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run a command in an empty folder, with nothing fetched."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WHYBOARD_HOME", str(tmp_path / "home"))
    return run


def predictions(path: Path, rows: int = 40) -> Path:
    """The gold of the practice board's dev split as predictions."""
    lines = DEV.read_text("utf-8").split("\n")[:rows]
    path.write_text("".join("\t".join(line.split("\t")[2:4]) + "\n" for line in lines), "utf-8")
    return path


def submission_of(tmp_path: Path, *, board: str = "explagraphs-practice",
                  system: str = "system") -> Path:
    folder = tmp_path / "submissions" / board / "team" / system
    folder.mkdir(parents=True)
    (folder / "submission.yaml").write_text(
        "system: S\nteam: T\ndate: 2026-01\ndescription: D\ntraining_data: N\nsaw_dev_gold: no\n")
    return folder


def copied_board(tmp_path: Path, name: str, old: str, new: str) -> Path:
    """The practice board under another name, with some text of its board.yaml changed."""
    folder = tmp_path / "boards" / name
    shutil.copytree(PRACTICE, folder)
    text = (folder / "board.yaml").read_text("utf-8")
    assert text.count(old) == 1
    text = text.replace(old, new).replace("id: explagraphs-practice", f"id: {name}")
    (folder / "board.yaml").write_text(text, "utf-8")
    return folder


def one_line(ran: Ran) -> str:
    """The one line of an error. Fails if there are more, or anything beside it."""
    assert ran.out == ""
    [line] = ran.err.removesuffix("\n").split("\n")
    return line


# ---- help ----------------------------------------------------------------------------------


@pytest.mark.parametrize("words", COMMANDS)
def test_help_has_an_example_and_explains_every_option(words: str, scorer: Any) -> None:
    ran = scorer(*words.split(), "--help")
    assert ran.code == 0
    assert re.search(rf"^examples?:\n  scorer {words}", ran.out, re.M)
    options = ran.out.partition("options:\n")[2].partition("\nexample")[0]
    for option in re.split(r"\n  (?=-)", options):
        assert re.search(r"\S(?:  +|\n +)\S", option), f"{option!r} is not explained"


def test_the_program_names_its_verbs_and_its_version(scorer: Any) -> None:
    ran = scorer("--help")
    assert ran.code == 0
    assert all(re.search(rf"\n    {name}[ \n]", ran.out) for name in VERBS)
    assert re.fullmatch(r"whyboard \d+\.\d+\.\d+\n", scorer("--version").out)


@pytest.mark.parametrize("words", [
    "", "nonsense", "check", "score --models x", "data status b --split=\x1b"])
def test_a_wrong_command_line_is_exit_2_and_shows_the_usage(words: str, scorer: Any) -> None:
    ran = scorer(*words.split())
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("usage: scorer")
    if "data" in words:  # the usage of the action, and nothing that moves a terminal
        assert ran.err.startswith("usage: scorer data status [-h]")
        assert "unrecognized arguments: --split=\\x1b; choose from those above" in ran.err


def folder_of_commands(folder: Path) -> Path:
    """Where the commands of the cases run."""
    predictions(folder / "p.tsv")
    predictions(submission_of(folder) / "predictions.dev.tsv")
    other = submission_of(folder, board="explagraphs") / "predictions.test.tsv"
    other.write_text("support\tx\n" * 400)
    copied_board(folder, "hidden", "rows: 40, gold: public", "rows: 40, gold: hidden")
    (folder / "boards" / "hidden").rename(folder / "hidden")
    (folder / "boards").rmdir()
    return folder


@pytest.fixture(scope="module")
def unusable(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return folder_of_commands(tmp_path_factory.mktemp("unusable"))


@pytest.mark.parametrize(("code", "words"), [
    (code, words) for code, commands in UNUSABLE.items() for words in commands])
def test_what_cannot_be_used_is_told_by_an_exit_code_and_writes_nothing(
    code: int, words: str, unusable: Path, scorer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = tree(unusable)
    monkeypatch.chdir(unusable)
    ran = scorer(*shlex.split(words))
    assert (ran.code, ran.out) == (code, "")
    assert ran.err
    assert tree(unusable) == before


# ---- check ---------------------------------------------------------------------------------


def test_a_file_is_checked_without_split_and_data(scorer: Any, tmp_path: Path) -> None:
    path = predictions(tmp_path / "p.tsv", 3)
    assert scorer("check", path, "--board", "explagraphs").code == 0
    assert scorer("check", path, "--board", "explagraphs", "--split", "dev").code == 2
    path.write_text("support\t(a; is a; b)\n" * 400)
    ran = scorer("check", path, "--board", "explagraphs", "--split", "test")
    assert ran.code == 0
    assert "concepts in the texts were not checked; run: scorer data fetch explagraphs" in ran.out
    assert "CONCEPTS" not in ran.out


def test_every_fault_of_every_target_is_told_and_the_exit_is_2(scorer: Any, tmp_path: Path) -> None:
    good, bad = predictions(tmp_path / "good.tsv"), tmp_path / "bad.tsv"
    bad.write_bytes(b"\xef\xbb\xbfSupport\tx\r\nsupport\n")
    ran = scorer("check", bad, "none.tsv", good, "--board", "explagraphs-practice")
    assert ran.code == 2
    assert re.findall(r"bad\.tsv:(\d:\d \S+)", ran.err) == [
        "1:1 TSV-BOM", "1:1 TSV-CRLF", "1:1 TSV-LABEL", "2:1 TSV-COLUMNS"]
    assert ran.err.endswith("\nnone.tsv: no such file or folder; name predictions or a submission\n"
                            "NOT accepted: 2 errors\n")
    assert "good.tsv: can be scored" in ran.out


def test_faults_of_metadata_do_not_hide_those_of_predictions(scorer: Any, tmp_path: Path) -> None:
    folder = submission_of(tmp_path)
    (folder / "submission.yaml").write_text("team: x\n")
    (folder / "predictions.dev.tsv").write_text("yes\tx\n")
    checked = scorer("check", folder)
    assert checked.code == 2
    rules = re.findall(r" ((?:META|TSV)-[A-Z]+) ", checked.err)
    assert rules == ["META-FIELD"] * 5 + ["TSV-LABEL", "TSV-ROWS"]
    assert checked.err.endswith("\nNOT accepted: 7 errors\n")
    for words in (["score", folder, "--models", "no"],
                  ["score", "--all", "--submissions", folder.parents[2], "--results", "out"]):
        ran = scorer(*words)
        assert ran.code == 2
        assert re.findall(r" ((?:META|TSV)-[A-Z]+) ", ran.err) == ["META-FIELD"] * 5
        assert ran.err.endswith("\nNOT accepted: 5 errors\n"
                                f"scorer check {folder} lists the faults of its predictions, too\n")


# ---- score ---------------------------------------------------------------------------------


def test_scoring_all_names_predictions_without_metadata(scorer: Any) -> None:
    folder = Path("submissions", "explagraphs-practice", "team", "system")
    folder.mkdir(parents=True)
    predictions(folder / "predictions.dev.tsv")
    (folder.parent / "empty").mkdir()
    ran = scorer("score", "--all", "--results", "out")
    assert (ran.code, ran.err) == (
        2, f"{folder} has predictions and no submission.yaml; scorer new makes one\n")
    assert scorer("score", "--all", "--results", "out", "--board", "explagraphs").code == 0
    parts = [scorer("score", "--all", "--results", "out", "--shard", part).code
             for part in ("1/2", "2/2")]
    assert sorted(parts) == [0, 2]


def test_any_gold_scores_and_json_goes_to_standard_output(scorer: Any, tmp_path: Path) -> None:
    gold = tmp_path / "gold.tsv"
    gold.write_text("".join(DEV.read_text("utf-8").splitlines(keepends=True)[:5]), "utf-8")
    ran = scorer("score", predictions(tmp_path / "p.tsv", 5), "--task", "explagraphs",
                 "--gold", gold, "--metrics", "SA, StCA", "--json", "-")
    assert ran.code == 0
    metrics = json.loads(ran.out)["metrics"]
    assert {name: value["value"] for name, value in metrics.items()} == {"SA": 1.0, "StCA": 1.0}


def test_a_baseline_without_scikit_learn_says_what_to_install(
    scorer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in [name for name in sys.modules if name.startswith("sklearn.")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "sklearn", None)
    ran = scorer("baseline", "nearest-neighbour", "--board", "explagraphs-practice")
    words = ("nearest-neighbour: scikit-learn is missing; "
             "run: pip install 'whyboard[baselines]'")
    assert (ran.code, one_line(ran)) == (3, words)
    ran = scorer("baseline", "--board", "explagraphs-practice")
    assert ran.code == 0
    assert ran.out.splitlines().count(words) == 1
    written = [Path(line).name for line in ran.out.splitlines() if line != words]
    assert {"majority-template", "null", "gold", "edited-gold"} < {*written}
    assert "nearest-neighbour" not in written


# ---- board ---------------------------------------------------------------------------------


def test_boards_are_listed_documented_and_checked(scorer: Any) -> None:
    assert scorer("board", "list").out.split() == boards.known_boards(boards.boards_folder())
    assert "| `settings.graph.relations` | required |" in scorer("board", "docs").out
    form = scorer("board", "docs", "--file", "form.yaml").out
    assert "| `questions[].when.because` | required |" in form
    schema = json.loads(scorer("board", "schema", "--file", "form.yaml").out)
    assert "questions" in schema["required"]
    schema = json.loads(scorer("board", "schema").out)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$defs"]["GraphRules"]["required"]
    ran = scorer("board", "check")
    assert ran.code == 0
    assert "explagraphs-practice dev: 40 items, gold reads\n" in ran.out
    assert "explagraphs dev: dev.tsv, not at hand\n" in ran.out
    assert "\nexplagraphs-practice: fine\n" in ran.out


# ---- data ----------------------------------------------------------------------------------

FILES = {"one.tsv": b"one\n" * 1000, "more/two.tsv": b"two\n"}


@pytest.fixture
def fetching(scorer: Any, tmp_path: Path) -> Any:
    """Fetch the two files of a board called remote; returns what was printed."""
    downloads = "downloads:\n" + "".join(
        f"  - {{path: {name}, title: {name}, url: 'https://example.invalid/{name}', "
        f"sha256: {sha256(content)}}}\n" for name, content in FILES.items())
    copied_board(tmp_path, "remote", "# The practice board", f"{downloads}# The practice board")

    def fetch(*options: str | Path) -> Ran:
        return run("data", "fetch", "remote", "--boards", tmp_path / "boards",
                   "--home", tmp_path / "home", *options)

    return fetch


def source_folder(tmp_path: Path, files: dict[str, bytes]) -> Path:
    folder = tmp_path / "source"
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def test_files_are_fetched_once_and_again_if_changed(fetching: Any, tmp_path: Path) -> None:
    source = source_folder(tmp_path, FILES)
    ran = fetching("--from", source)
    assert (ran.code, tree(tmp_path / "home/data/remote")) == (0, FILES)
    assert "remote: 2 files fetched" in ran.out
    assert "remote: 2 of 2 files fetched\n" in ran.out
    assert "licence: CC0" in ran.out
    assert "remote: 0 files fetched" in fetching("--from", tmp_path / "no-longer-needed").out
    (tmp_path / "home" / "data" / "remote" / "one.tsv").write_text("tampered")
    assert "remote: 1 file fetched" in fetching("--from", source).out
    assert tree(tmp_path / "home/data/remote") == FILES


def test_a_file_of_another_digest_alone_is_not_kept(fetching: Any, tmp_path: Path) -> None:
    ran = fetching("--from", source_folder(
        tmp_path, {"one.tsv": b"other", "two.tsv": FILES["more/two.tsv"]}))
    assert ran.code == 3
    assert re.match(r"data of remote not complete: one\.tsv: SHA-256 is [0-9a-f]{12}\.\.\., "
                    r"expected [0-9a-f]{12}\.\.\.\. Try again, or: scorer data fetch remote "
                    r"--from FOLDER$", one_line(ran))
    assert tree(tmp_path / "home/data/remote") == {
        "more/two.tsv": FILES["more/two.tsv"]}, "found beside the other"


ANSWERS: dict[str, Callable[[bytes], Reply]] = {
    "good": Reply,
    "truncated": lambda content: Reply(content[: len(content) // 2], promised=len(content)),
    "missing": lambda _: Reply(b"", 404),
    "hanging": lambda content: Reply(content, pause=2),
    "chunked": lambda content: Reply(b"fa0\r\n" + content[:10],
                                     headers={"Transfer-Encoding": "chunked"}),
}
"""How a server may answer who asks for a file."""


@pytest.mark.parametrize(("how", "words"), [
    ("good", ""), ("truncated", "one.tsv: SHA-256 is"),
    ("missing", "one.tsv: Not Found; more/two.tsv: Not Found"),
    ("hanging", "one.tsv: timed out"), ("chunked", "one.tsv: "),
])
def test_a_bad_server_is_exit_3_and_leaves_nothing_behind(
    how: str, words: str, fetching: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    with serving(lambda request, _: ANSWERS[how](
            FILES.get(request.path.removeprefix("/v1/"), b""))) as server:
        monkeypatch.setattr("scorer.boards.fetching.from_url", lambda url, *more: from_url(
            url.replace("https://example.invalid", server.url), *more))
        monkeypatch.setattr("scorer.boards.fetching.TIMEOUT", 0.3 if how == "hanging" else 60)
        ran = fetching()
    assert ran.code == (3 if words else 0)
    assert f"data of remote not complete: {words}" in ran.err or not words
    assert tree(tmp_path / "home/data/remote") == ({} if words else FILES)


# ---- as a process --------------------------------------------------------------------------


def test_a_reader_who_leaves_early_is_no_error() -> None:
    program = [sys.executable, "-c", "import sys; from scorer.cli import main\n"
               "for _ in range(20): code = main(['board', 'docs'])\nsys.exit(code)"]
    pipe = subprocess.PIPE
    with subprocess.Popen(program, stdout=pipe, stderr=pipe, text=True) as ran:
        assert ran.stdout is not None
        assert ran.stderr is not None
        ran.stdout.readline()
        ran.stdout.close()
        assert "Traceback" not in ran.stderr.read()
    assert ran.returncode == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device here")
@pytest.mark.parametrize("words", [["board", "list"], ["handbook", "judges"]])
def test_a_full_output_is_an_error_of_one_line(words: Sequence[str]) -> None:
    with Path("/dev/full").open("w") as full:
        ran = subprocess.run([sys.executable, "-m", "scorer", *words], stdout=full,
                             stderr=subprocess.PIPE, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (
        3, "the output cannot be written (No space left on device); make room\n")
