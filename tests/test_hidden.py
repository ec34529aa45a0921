"""Hidden gold from end to end: what is published, and that nothing else gets out."""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from scorer import boards
from scorer.boards import Board
from scorer.boards.golds import GoldId, Golds
from scorer.boards.policy import Policy
from scorer.cli import main
from scorer.core.errors import DataError
from scorer.core.files import sha256
from scorer.core.graph import Graph
from scorer.core.records import Edge, ItemResult, ItemScore, Verdict
from scorer.core.results import Result
from scorer.metrics.catalogue import WHOLE_SPLIT, MetricInfo
from scorer.models.known import MACHINES
from scorer.models.registry import KNOWN, Models
from scorer.pipeline.hidden import scoring, sealed
from scorer.pipeline.hidden.handing import HANDED
from scorer.pipeline.hidden.scoring import HiddenScoring, released
from scorer.pipeline.hidden.sealed import GoldError, Identity
from scorer.scoring.engines.process import can_leave_network
from scorer.scoring.evaluate import Session
from scorer.scoring.submissions import Scorer
from scorer.tasks.graphs.graph_items import Prediction
from tests import canary
from tests.canary import Canary
from tests.values import made_result, metric_value

pytestmark = pytest.mark.whole

pytest.importorskip("pyrage")

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Canary:
    """A canary board; temporary files go below its root too, to be searched."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    return canary.make(tmp_path)


# ---- what is published ---------------------------------------------------------------------


def result(**values: float | None) -> Result:
    """Sixty rows of the board of texts; METEOR is not measured. ``values``: further metrics."""
    metrics = {
        "BLEU-4": metric_value(0.4, n=60, signature="BLEU-4|scorer:1"),
        "METEOR": metric_value(None, "no wordnet in /home/somebody", n=60),
        "ROUGE-L": metric_value(0.5, parts={"precision": 0.7}, null=0.1, n=60,
                               signature="ROUGE-L|scorer:1"),
        **{name: metric_value(value, n=60, signature=name) for name, value in values.items()}}
    rows = [ItemResult(1, Verdict("answered"), {"ROUGE-L": ItemScore(0.5)})]
    return made_result("anlg", "1.0", "anlg", "test", {"items": 60, "answered": 60}, metrics, rows)


def texts(values: int = 1) -> Board:
    """The practice board of texts, which is ranked by METEOR and ROUGE-L, with a metric more."""
    board = boards.load("anlg-practice")
    return replace(board, release=Policy(values=values), metrics=("BERTScore", *board.metrics))


DAY = date(2026, 11, 20)


def test_what_is_no_mean_over_items_or_not_measured_has_a_reason_of_no_machine() -> None:
    public = released(result(), texts(), DAY)
    assert public.metrics["BLEU-4"] == metric_value(None, f"not released: {WHOLE_SPLIT}", n=60)
    assert public.metrics["METEOR"].reason == "not measured: wordnet was not at hand"
    assert public.metrics["ROUGE-L"] == metric_value(
        0.5, n=60, grid=0.05, signature="ROUGE-L|scorer:1")
    assert (public.items, public.counts) == ((), {"items": 60, "broken": {}, "strict": {}})


def test_the_step_of_a_metric_that_exceeds_1_is_as_many_times_wider() -> None:
    public = released(result(CIDEr=2.2), texts(values=2), DAY)
    assert (public.metrics["CIDEr"].value, public.metrics["CIDEr"].grid) == (2.0, 0.5)


@pytest.mark.parametrize(("values", "names", "why"), [
    (1, ["METEOR"], "1 value"), (2, ["METEOR", "ROUGE-L"], "2 values"),
    (3, ["BERTScore", "METEOR", "ROUGE-L"], "3 values")])
def test_as_many_metrics_have_a_value_as_the_board_releases_those_of_its_ranking_first(
    values: int, names: list[str], why: str,
) -> None:
    public = released(result(CIDEr=2.0, METEOR=0.3, BERTScore=0.8), texts(values), DAY).metrics
    assert sorted(name for name, value in public.items() if value.value is not None) == names
    assert public["CIDEr"].reason == f"not released: {why} a submission on this board"


def test_where_no_metric_of_the_ranking_was_measured_no_other_takes_its_turn() -> None:
    unmeasured = result(**{"CIDEr": 2.0, "ROUGE-L": None})
    with pytest.raises(DataError, match="nothing that may be released was measured"):
        released(unmeasured, texts(), DAY)


def test_a_model_fits_if_its_weights_are_those_in_use_on_whichever_machine(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    own, pinned = sha256(b"weights"), KNOWN["minilm-l6"].weights
    assert pinned is not None
    models = Models({"seca": str(tmp_path)})
    for machine in MACHINES:
        for name, weights, fits in (("seca", own, True), ("seca", "0" * 64, False),
                                    ("minilm-l6", pinned, True), ("minilm-l6", own, False)):
            assert models.fits(name, KNOWN[name].tag(weights, machine)) == fits
    assert not models.fits("evil", "evil")
    nowhere = Models({"seca": str(tmp_path / "nowhere")})
    assert nowhere.fits("seca", "any")  # neither pinned nor at hand


EDGES = {"short": 3, "long": 400}


def asked_of_metrics(right: int, length: int, monkeypatch: pytest.MonkeyPatch, *,
                     public: bool = False) -> dict[str, list[Any]]:
    """What every metric is asked of 40 graphs of some edges, with so many right labels: all that
    it gets but the gold label.
    """
    board = replace(boards.load("explagraphs-practice"), metrics=canary.ALL_METRICS)
    gold = Scorer(Models(allowed=False), Path()).gold(board, "dev")
    other = {"support": "counter", "counter": "support"}
    sent = []
    for row, item in enumerate(gold.items):
        belief, argument = ([*dict.fromkeys(text.lower().split())] for text in item.texts)
        words = belief[:2]
        words += [word for word in argument if word not in words][:2]
        words += [f"w{row}x{number}" for number in range(length - 3)]
        graph = Graph.of(Edge(a, "causes", b) for a, b in pairwise(words))
        sent.append(Prediction(item.label if row < right else other[item.label], graph))
    asked: dict[str, list[Any]] = {}

    def compute(info: MetricInfo, pairs: Any, **_: Any) -> list[ItemScore]:
        asked.setdefault(info.id, []).extend(
            [part for part in pair if part not in other] for pair in pairs)
        return [ItemScore(1.0, dict.fromkeys(info.parts, 1.0))] * len(pairs)

    monkeypatch.setattr(MetricInfo, "compute", compute)
    session = Session(board, lambda name: name, lambda name: name)
    identity = GoldId("0" * 64, 1, public=public)
    result = session.evaluate(Golds.of(gold.items, identity), sent, split="dev",
                              with_null=False)
    assert result.metrics["StCA"].value == right / 40, "gates hold all the same"
    return asked


@pytest.mark.claim("How much is computed on a hidden split does not depend on its labels.")
@pytest.mark.parametrize("length", EDGES.values(), ids=EDGES)
def test_metrics_are_asked_the_same_however_many_labels_are_right(
    length: int, monkeypatch: pytest.MonkeyPatch,
) -> None:
    every, some, none = (asked_of_metrics(right, length, monkeypatch) for right in (40, 20, 0))
    assert every.keys() >= {"SA", "StCA", "SeCA", "G-BLEU", "GED", "EA"}
    assert every == some == none
    assert {len(pairs) for pairs in every.values()} == {40}
    public = asked_of_metrics(20, length, monkeypatch, public=True)
    assert len(public["G-BLEU"]) == 20, "public gold tells nobody anything new"


def test_gates_after_scoring_give_the_numbers_of_gates_before() -> None:
    board = boards.load("explagraphs-practice")
    scorer = Scorer(Models(allowed=False), Path())
    gold = scorer.gold(board, "dev")
    hidden_gold = replace(gold, id=replace(gold.id, public=False))
    for path in sorted((ROOT / "submissions" / board.id / "reference").glob("*/*.dev.tsv")):
        before, after = (scorer.file(board, path, "dev", one).result for one in (gold, hidden_gold))
        assert [item.scores for item in before.items] == [item.scores for item in after.items]


# ---- nothing else gets out -----------------------------------------------------------------


def assert_silent(made: Canary, printed: str, *secrets: str) -> None:
    assert made.shows(printed, *secrets) == []
    assert made.leaks(*secrets) == []


@dataclass(frozen=True)
class Late(HiddenScoring):
    """The process prints all it knows and never comes back."""

    def answer(self, *asked: Any) -> Result:
        for stream in (sys.stdout, sys.stderr):
            print(self.gold.rows, file=stream, flush=True)
        time.sleep(600)
        raise AssertionError


@pytest.mark.slow
def test_a_process_that_is_late_is_an_error_that_shows_no_gold(
    made: Canary, capfd: pytest.CaptureFixture[str]
) -> None:
    work = Late(made.board.folder, made.gold, made.home)
    [(_, answer)] = scoring.confined(work, made.jobs[:1], 5)
    assert isinstance(answer, GoldError)
    assert str(answer) == "team/system-0: GOLD-TIME scoring this submission took too long"
    assert_silent(made, "".join(capfd.readouterr()) + str(answer))


def test_the_text_of_what_holds_gold_shows_none(made: Canary) -> None:
    work = HiddenScoring(made.board.folder, made.gold, made.home)
    shown = repr([made.gold, work, Identity(sealed.new_identity())])
    assert made.shows(shown, "AGE-") == []


def run(made: Canary, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "scorer", *arguments], cwd=made.root, capture_output=True,
        text=True, env={**os.environ, "PYTHONPATH": str(ROOT), **environment}, check=False,
    )


def score_arguments(*more: str) -> list[str]:
    return ["gold", "score", "submissions/canary/team/system-1", "--board", "boards/canary",
            "--split", "dev", "--home", "home", "--models", "no", *more]


@pytest.mark.claim("From sealing to scoring, no file but the sealed one holds hidden gold.")
@pytest.mark.slow
def test_the_way_from_sealing_to_a_result_writes_no_gold(
    made: Canary, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    apart = tmp_path_factory.mktemp("apart")
    monkeypatch.chdir(made.root)
    (apart / "gold.tsv").write_bytes(made.gold.rows)
    assert main(["gold", "key", str(apart / "key")]) == 0
    recipient = capfd.readouterr().out.strip()
    assert main(["gold", "seal", str(apart / "gold.tsv"), "--board", "boards/canary", "--split",
                 "dev", "--to", recipient, "--out", "gold/canary.dev.age"]) == 0
    digest = capfd.readouterr().out.removeprefix("gold_hmac: ").strip()
    board = made.board.folder / "board.yaml"
    board.write_text(board.read_text("utf-8").replace(made.gold.hmac, digest), "utf-8")
    secret = (apart / "key").read_text().splitlines()[-1]
    monkeypatch.setenv(sealed.VARIABLE, secret)
    assert main(score_arguments("--source", "age:gold")) == 0
    out, err = capfd.readouterr()
    assert json.loads(out)["metrics"]["SA"]["value"] == 0.9
    opened = Identity(secret).open((made.root / "gold/canary.dev.age").read_bytes(), "")
    assert_silent(made, out + err, secret, opened[:100].split()[4].decode())


def sealed_beside(made: Canary) -> str:
    """Seal the gold at the root of its board; returns the key."""
    secret = sealed.new_identity().splitlines()[-1]
    content = sealed.encrypted(made.gold.to_bytes(), [Identity(secret).recipient])
    (made.root / "canary.dev.age").write_bytes(content)
    return secret


def test_faults_of_the_submission_are_its_own(
    made: Canary, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:
    path = Path(made.jobs[1].predictions)
    path.write_bytes(path.read_bytes().replace(b"support", b"supports", 1))
    monkeypatch.setenv(sealed.VARIABLE, sealed_beside(made))
    monkeypatch.chdir(made.root)
    assert main(score_arguments("--source", "age:.")) == 2
    out, err = capsys.readouterr()
    assert (out, made.shows(err)) == ("", [])
    assert "predictions.dev.tsv:" in err


def shown_by_proc(secret: bytes, program: int) -> list[str]:
    """Where a key stands in /proc: environments of all processes, files in memory of a program."""
    def content(path: Path) -> bytes:
        try:
            return path.read_bytes()
        except OSError:
            return b""

    shown = [str(path) for path in Path("/proc").glob("[0-9]*/environ") if secret in content(path)]
    held = Path(f"/proc/{program}/fd").iterdir()
    return shown + [str(path) for path in held if path.readlink().name[:6] == "memfd:"]


@pytest.mark.claim("While gold is scored its key stands in no environment that /proc shows.")
@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_no_environment_shows_the_key_while_gold_is_read(made: Canary) -> None:
    secret = sealed_beside(made)
    pipe = made.root / "canary.dev.age"
    content = pipe.read_bytes()
    pipe.unlink()
    os.mkfifo(pipe)  # the program waits at it, and is looked at meanwhile
    command = [sys.executable, "-m", "scorer", *score_arguments("--source", "age:.")]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), sealed.VARIABLE: secret}
    with subprocess.Popen(command, cwd=made.root, stdout=subprocess.DEVNULL,
                          env=environment) as program, pipe.open("wb") as gold:
        assert shown_by_proc(secret.encode(), program.pid) == []
        gold.write(content)
        gold.close()
        program.wait()
    assert program.returncode == 0


@pytest.mark.parametrize(("variable", "value", "code"), [
    (sealed.VARIABLE, "nö key", "GOLD-IDENTITY"), (HANDED, "/no/number", "GOLD-IDENTITY"),
    (HANDED, "999", "GOLD-IDENTITY")])
def test_what_is_no_key_is_told_by_a_code_or_counts_as_none(
    variable: str, value: str, code: str, made: Canary,
) -> None:
    ran = run(made, *score_arguments("--source", "age:nowhere"), **{variable: value})
    assert (ran.returncode, code in ran.stderr, value in ran.stderr) == (3, True, False)


# Run by an ordinary user, who could read all this of an ordinary process of theirs.
CLOSED = """
import ctypes, os
from pathlib import Path
from scorer.scoring.engines import process

def open_up():
    ctypes.CDLL(None).prctl(process.SET_DUMPABLE, 1, 0, 0, 0)  # as a process is that begins

def readable():
    ours, end = os.pipe()
    if os.fork() == 0:
        open_up()
        for name in ("environ", "maps", "mem"):
            try:
                Path(f"/proc/{os.getppid()}/{name}").open("rb").close()
                os.write(end, name.encode() + b" ")
            except PermissionError:
                pass
        os._exit(0)
    os.close(end)
    os.wait()
    return os.read(ours, 100).decode().split()

if os.geteuid() == 0:
    os.setuid(65534)
open_up()
print("environ" in readable())
process.close_memory()
print(readable())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_a_process_that_holds_a_key_is_closed_to_others_of_its_user() -> None:
    ran = subprocess.run([sys.executable, "-c", CLOSED], capture_output=True, text=True, cwd=ROOT,
                         check=False)
    assert (ran.stdout, ran.stderr) == ("True\n[]\n", "")


# ---- the confined process ------------------------------------------------------------------


class doing(NamedTuple):
    """What makes a worker that does some work."""

    work: Callable[[bytes], bytes]

    def __call__(self) -> Callable[[bytes], bytes]:
        return self.work


def holdings_of(job: bytes) -> bytes:
    """What the worker has of a key, and how large its core file may be."""
    import resource

    return json.dumps([[name for name in os.environ if "GOLD" in name],
                       resource.getrlimit(resource.RLIMIT_CORE)]).encode()


@pytest.mark.claim("The process that sees hidden gold has no key and leaves no core file.")
def test_the_confined_process_has_no_key_and_leaves_no_core_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(sealed.VARIABLE, sealed.new_identity().splitlines()[-1])
    assert sealed.own_identity() is not None
    [(_, answer)] = scoring.confined(doing(holdings_of), [b""], 60)
    assert answer == b"[[], [0, 0]]"


def network_of(job: bytes) -> bytes:
    """Whether a server on this machine can be reached, and who we are."""
    with socket.socket() as asked:
        asked.settimeout(5)
        reached = asked.connect_ex(("127.0.0.1", int(job))) == 0
    return json.dumps([reached, os.getuid(), os.access(__file__, os.R_OK)]).encode()


@pytest.fixture
def server() -> Iterator[bytes]:
    """The port of a server that takes connections."""
    with socket.create_server(("127.0.0.1", 0)) as made:
        yield str(made.getsockname()[1]).encode()


def test_the_confined_process_reaches_no_server_and_is_still_itself(
    server: bytes, capsys: pytest.CaptureFixture[str],
) -> None:
    if not can_leave_network():
        pytest.skip("this kernel lets no ordinary process make a network namespace")
    wanted = json.dumps([False, os.getuid(), True]).encode()
    assert list(scoring.confined(doing(network_of), [server], 60)) == [(server, wanted)]
    assert capsys.readouterr().err == ""


def test_where_the_system_lets_no_process_leave_the_network_one_line_says_so(
    server: bytes, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(scoring, "can_leave_network", lambda: False)
    [(_, answer)] = scoring.confined(doing(network_of), [server], 60)
    assert isinstance(answer, bytes)
    assert json.loads(answer)[0] is True
    assert capsys.readouterr().err == f"{scoring.NETWORK_KEPT}\n"
