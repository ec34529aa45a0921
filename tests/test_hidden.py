"""Hidden gold from end to end: what is published, and that nothing else gets out."""

import datetime
import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

from scorer import board as boards
from scorer.ci import hidden as ci_hidden
from scorer.engines.process import can_leave_network
from scorer.files import sha256
from scorer.graph import Graph
from scorer.hidden import age, confined, exact
from scorer.hidden import scoring as hidden
from scorer.hidden.age import Identity
from scorer.hidden.faults import GoldError
from scorer.hidden.release.rules import Views
from scorer.metrics.catalogue import MetricInfo
from scorer.models.machine import MACHINES
from scorer.models.registry import KNOWN, Models
from scorer.records import Edge, ItemScore
from scorer.results import files as results
from scorer.scoring.evaluate import GoldId, Session
from scorer.scoring.submissions import Scorer
from scorer.tasks.graphs.records import Prediction
from tests import canary
from tests.canary import Canary
from tests.run_helpers import rows_tree

pytestmark = pytest.mark.whole

pytest.importorskip("pyrage")

AS_OF = datetime.date(2026, 11, 20)
ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Canary:
    """A fresh canary board; temporary files go below its root too, to be searched.

    Its stand-ins for models are the models in use.
    """
    scratch = tmp_path / "tmp"
    scratch.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    monkeypatch.setattr(Models, "fits", lambda _, name, tag: tag == f"{name}-fake")
    return canary.make(tmp_path)


def work(kind: type[hidden.HiddenScoring], made: Canary, **more: Any) -> hidden.HiddenScoring:
    return kind(made.board.folder, made.gold, made.places.home, **more)


def scored(made: Canary, **more: Any) -> list[hidden.HiddenOutcome]:
    given = {"as_of": AS_OF, "work": work(canary.WithFakes, made)} | more
    return hidden.score_split(made.board, made.gold, made.entries, made.places, **given)


def published(made: Canary, at: int) -> Any:
    """The result of a system, as it is published."""
    return json.loads((made.root / f"results/canary/team/system-{at}/dev.json").read_bytes())


# ---- what is published ---------------------------------------------------------------------


def test_a_hidden_result_holds_rounded_values_and_nothing_else(made: Canary) -> None:
    outcomes = scored(made)
    assert [outcome.decision and outcome.decision.word for outcome in outcomes] == ["released"] * 3
    document = published(made, 1)
    jsonschema.validate(document, results.schema())
    assert document["counts"] == {"items": 40, "broken": {}, "strict": {}}
    assert set(document["metrics"]) == set(canary.ALL_METRICS)
    for name, value in document["metrics"].items():
        if name == "SA":
            assert set(value) == {"value", "grid", "n", "signature"}
            assert value["grid"] == 0.05  # 2 / 40
            assert value["value"] == 0.9  # 35 / 40 is a tie, and goes up
        else:
            assert value == {"value": None, "n": 40,
                             "reason": "not released: 1 value a submission on this board"}
    assert document["gold"] == {
        "golds": 1, "hmac_sha256": made.gold.hmac, "id": f"canary/dev@{made.gold.hmac[:12]}",
        "public": False,
    }
    assert sorted(rows_tree(made.root / "results")) == [
        f"canary/team/system-{at}/dev.json" for at in range(3)]


def test_a_published_result_can_be_read_and_written_again(made: Canary) -> None:
    scored(made)
    path = made.root / "results/canary/team/system-0/dev.json"
    result = results.read(path)
    assert result.metrics["SA"].grid == 0.05
    assert results.to_json(result) == json.loads(path.read_bytes())


def test_the_schema_takes_a_grid_only_without_anything_exact(made: Canary) -> None:
    scored(made)
    document = published(made, 0)
    for extra in ({"null": 0.5}, {"precision": 0.5}, {"passed": {"value": 0.5, "n": 20}},
                  {"flagged": 3}):
        broken = json.loads(json.dumps(document))
        broken["metrics"]["SA"] |= extra
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(broken, results.schema())
    del document["gold"]["hmac_sha256"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document | {"gold": document["gold"] | {"sha256": "0" * 64}},
                            results.schema())


def test_the_same_history_and_gold_give_the_same_bytes_from_nothing(made: Canary) -> None:
    scored(made)
    first = rows_tree(made.root / "results") | rows_tree(made.root / "ledger")
    for path in (made.root / "results").rglob("*.json"):
        path.unlink()
    scored(made)
    assert rows_tree(made.root / "results") | rows_tree(made.root / "ledger") == first


def test_sealed_scores_save_the_scoring_and_keep_their_bytes(made: Canary) -> None:
    identity = Identity(age.new_identity())
    scored(made, identity=identity)
    first = rows_tree(made.root / "results")
    assert sum(name.endswith(".exact.age") for name in first) == 3
    again = scored(made, identity=identity, work=work(canary.Dying, made))
    assert [outcome.fault for outcome in again] == [None] * 3
    assert rows_tree(made.root / "results") == first


def test_sealed_scores_of_other_gold_are_made_again(made: Canary) -> None:
    identity = Identity(age.new_identity())
    scored(made, identity=identity)
    other = replace(made.gold, key=bytes(32))
    board = replace(made.board, splits={"dev": replace(made.board.splits["dev"], gold_hmac=None)})
    moved = replace(made, gold=other, board=board)
    outcomes = scored(moved, identity=identity, work=work(canary.Dying, moved))
    assert {outcome.fault.code for outcome in outcomes  # type: ignore[union-attr]
            } == {"GOLD-SCORE"}


@pytest.mark.parametrize("name", ["minilm-l6", "seca"])
def test_sealed_scores_of_another_model_are_made_again(
    name: str, made: Canary, monkeypatch: pytest.MonkeyPatch,
) -> None:
    identity = Identity(age.new_identity())
    scored(made, identity=identity)
    monkeypatch.setattr(Models, "fits", lambda _, model, tag: model != name)
    again = scored(made, identity=identity, work=work(canary.Dying, made))
    assert {outcome.fault and outcome.fault.code for outcome in again} == {"GOLD-SCORE"}


def test_a_model_fits_if_its_weights_are_those_in_use_on_whichever_machine(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    own = sha256(b"weights")
    models = Models({"seca": str(tmp_path)})
    for machine in MACHINES:
        assert models.fits("seca", KNOWN["seca"].tag(own, machine))
        pinned = KNOWN["minilm-l6"].weights
        assert pinned is not None
        assert models.fits("minilm-l6", KNOWN["minilm-l6"].tag(pinned, machine))
        assert not models.fits("minilm-l6", KNOWN["minilm-l6"].tag(own, machine))
        assert not models.fits("seca", KNOWN["seca"].tag("0" * 64, machine))
    assert not models.fits("evil", "evil")
    nowhere = Models({"seca": str(tmp_path / "nowhere")})
    assert nowhere.fits("seca", "any")  # neither pinned nor at hand


@pytest.mark.claim("The length of sealed scores tells nothing.")
def test_the_length_of_sealed_scores_tells_nothing(made: Canary) -> None:
    identity = Identity(age.new_identity())
    scored(made, identity=identity)
    lengths = set()
    for path in (made.root / "results").rglob("*.exact.age"):
        content = identity.open(path.read_bytes(), "")
        found = exact.from_bytes(content)
        assert found.to_bytes() == content
        assert {len(row) for row in found.scores.values()} == {40}
        lengths.add(len(content))
    assert len(lengths) == 1


def test_what_is_held_near_or_no_better_has_a_reason_and_no_value(tmp_path: Path) -> None:
    made = canary.make(tmp_path, owners=(7, 7, 8)).with_release(near_duplicate=20, ladder=True)
    outcomes = scored(made, as_of=datetime.date(2026, 11, 5))
    words = [outcome.decision.word for outcome in outcomes if outcome.decision]
    assert words == ["released", "held", "near-duplicate"]
    reasons = []
    for at in range(3):
        document = published(made, at)
        jsonschema.validate(document, results.schema())
        assert document["release"]["answer"] == words[at]
        reasons.append(document["metrics"]["SA"].get("reason"))
    assert reasons == [
        None, "one submission of an owner at a time: released on 2026-11-29",
        "no significant change: differs from team/system-1 in too few rows",
    ]
    ledger = (made.root / "ledger" / "queries.canary.dev.jsonl").read_text()
    assert [json.loads(line)["answer"] for line in ledger.splitlines()] == [
        "released", "near-duplicate"]


def test_a_changed_file_is_named_and_the_others_go_on(made: Canary) -> None:
    path = made.root / "submissions/canary/team/system-1/predictions.dev.tsv"
    path.write_bytes(path.read_bytes().replace(b"support", b"counter", 1))
    outcomes = scored(made)
    assert [outcome.decision is None for outcome in outcomes] == [False, True, False]
    assert str(outcomes[1].fault).endswith("predictions.dev.tsv: not the file that was merged")


def test_a_probe_that_hides_a_flipped_label_behind_changed_graphs_is_near(made: Canary) -> None:
    views = []
    for name, flips in (("system-0", 0), ("system-1", 1)):
        path = made.root / f"submissions/canary/team/{name}/predictions.dev.tsv"
        rows = (made.root / "submissions/canary/team/system-0/predictions.dev.tsv").read_text()
        lines = rows.splitlines()
        if flips:
            lines = [line.replace("; ", ";  ") for line in lines]
            label = {"support": "counter", "counter": "support"}[lines[0].split("\t")[0]]
            lines[0] = label + "\t" + lines[0].split("\t")[1]
        path.write_text("\n".join(lines) + "\n")
        entry = next(entry for entry in made.entries if entry.system == name)
        entry = replace(entry, predictions=hidden.sha256_file(path))
        views.append(hidden.row_views(made.board, path, entry, "dev", None))
    assert views[0]["row"] != views[1]["row"]
    assert hidden.rules.distance(views[0]["row"], views[1]["row"]) == 40
    assert hidden.rules.is_near(views[1], views[0], 5)


def views_of(made: Canary, rows: Sequence[tuple[str, str]]) -> Views:
    """What the near-duplicate rule sees of labels and graphs."""
    path = made.root / "predictions.tsv"
    path.write_text("".join(f"{label}\t{graph}\n" for label, graph in rows))
    entry = replace(made.entries[0], predictions=hidden.sha256_file(path))
    return hidden.row_views(made.board, path, entry, "dev", None)


def chain(row: int, *relations: str) -> list[str]:
    """The edges of a sound graph that has no concept of another row's."""
    return [f"(w{row}x{at}; {relation}; w{row}x{at + 1})" for at, relation in enumerate(relations)]


def said_otherwise(edges: Sequence[str]) -> str:
    """The same graph in another order, another case, with a stray blank and a point."""
    return "".join(reversed(edges)).upper().replace(")", " .)", 1)


SOUND, OTHER = ("causes", "desires", "is a"), ("desires", "causes", "is a")


@pytest.mark.claim("Who changes one graph and says all others otherwise learns nothing.")
def test_a_probe_of_one_graph_behind_graphs_said_otherwise_is_near(made: Canary) -> None:
    graphs = [chain(row, *SOUND) for row in range(canary.ROWS)]
    first = views_of(made, [("support", "".join(edges)) for edges in graphs])
    graphs[7] = chain(7, *OTHER)
    views = views_of(made, [("support", said_otherwise(edges)) for edges in graphs])
    distance = hidden.rules.distance
    assert {name: distance(rows, views[name]) for name, rows in first.items()} == {
        "row": 40, "column 0": 0, "column 1": 40, "gates": 0, "parts": 1, "content": 1}
    assert hidden.rules.is_near(views, first, 5)


def test_the_same_answers_said_otherwise_are_near_and_other_answers_are_not(made: Canary) -> None:
    graphs = [chain(row, *SOUND) for row in range(canary.ROWS)]
    first = views_of(made, [("support", "".join(edges)) for edges in graphs])
    same = views_of(made, [("support", said_otherwise(edges)) for edges in graphs])
    other = views_of(made, [("support", "".join(chain(row, *(OTHER if row < 4 else SOUND))))
                            for row in range(canary.ROWS)])
    labels = views_of(made, [("counter" if row < 4 else "support", "".join(edges))
                             for row, edges in enumerate(graphs)])
    assert [hidden.rules.is_near(views, first, 5) for views in (same, other, labels)] == [
        True, False, False]


def test_graphs_that_no_metric_reads_hide_no_probe(made: Canary) -> None:
    graphs = [chain(row, *(SOUND if row < 30 else SOUND[:1])) for row in range(canary.ROWS)]
    first = views_of(made, [("support", "".join(edges)) for edges in graphs])
    graphs[7] = chain(7, *OTHER)
    graphs[30:] = [chain(row, *OTHER[:1]) for row in range(30, canary.ROWS)]
    views = views_of(made, [("support", said_otherwise(edges)) for edges in graphs])
    assert hidden.rules.is_near(views, first, 5)


@pytest.mark.claim("A hidden submission is scored when its day comes, and not before.")
def test_what_is_held_or_near_is_not_scored_and_its_faults_are_not_told(tmp_path: Path) -> None:
    """All three would end the process that scores them; only the first one's day has come."""
    made = canary.make(tmp_path, owners=(7, 7, 8)).with_release(near_duplicate=20)
    day = datetime.date(2026, 11, 5)
    first, *others = scored(made, as_of=day, work=work(canary.Dying, made))
    assert (first.fault.code, first.decision.word) == (  # type: ignore[union-attr]
        "GOLD-SCORE", "failed")
    assert [(one.fault, one.decision.word) for one in others if one.decision] == [
        (None, "held"), (None, "near-duplicate")]
    names = sorted(rows_tree(made.root / "results"))
    assert names == [f"canary/team/system-{at}/dev.json" for at in (1, 2)]


def test_what_is_not_planned_is_not_scored_though_its_day_has_come(made: Canary) -> None:
    """All three would end the process that scores them; one of them is planned."""
    outcomes = scored(made, work=work(canary.Dying, made), planned=["team/system-1"])
    assert [one.fault is not None for one in outcomes] == [False, True, False]
    assert rows_tree(made.root / "results") == {}


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
        said = [text.lower().split() for text in item.texts]
        words = [*dict.fromkeys(said[0])][:2]
        words += [word for word in dict.fromkeys(said[1]) if word not in words][:2]
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
    result = session.evaluate(gold.items, sent, split="dev", gold_id=identity, with_null=False)
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


def test_gates_after_scoring_give_the_numbers_of_gates_before(made: Canary) -> None:
    board = boards.load("explagraphs-practice")
    scorer = Scorer(Models(allowed=False), Path())
    gold = scorer.gold(board, "dev")
    hidden_gold = replace(gold, id=replace(gold.id, public=False))
    for path in sorted((ROOT / "submissions" / board.id / "reference").glob("*/*.dev.tsv")):
        before, after = (scorer.file(board, path, "dev", one) for one in (gold, hidden_gold))
        assert [item.scores for item in before.items] == [item.scores for item in after.items]


@pytest.mark.parametrize(("seconds", "wanted"), [(0, 0), (1, 119), (119.5, .5), (121, 119)])
def test_a_batch_ends_at_a_whole_multiple_of_two_minutes(seconds: float, wanted: float) -> None:
    assert ci_hidden.left_over(seconds) == wanted


# ---- nothing else gets out -----------------------------------------------------------------


def assert_silent(made: Canary, said: str, *secrets: str) -> None:
    assert not [word for word in (*made.words, made.gold.key.hex(), *secrets) if word in said]
    assert made.leaks(*secrets) == []


@pytest.mark.claim("A metric that crashes shows no gold.")
@pytest.mark.slow
@pytest.mark.parametrize("metric", canary.ALL_METRICS)
def test_a_crash_inside_a_metric_shows_no_gold(
    metric: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    made = canary.make(tmp_path, owners=(1,))
    [outcome] = scored(made, work=work(canary.Crashing, made, metric=metric))
    assert isinstance(outcome.fault, GoldError)
    assert outcome.fault.code == "GOLD-SCORE"
    assert outcome.fault.__cause__ is None
    assert outcome.fault.__context__ is None
    said = "".join(capfd.readouterr()) + str(outcome) + repr(outcome.fault)
    assert_silent(made, said)
    assert rows_tree(made.root / "results") == {}


@pytest.mark.slow
def test_a_process_that_dies_or_is_late_is_an_error_of_that_submission_alone(
    made: Canary, capfd: pytest.CaptureFixture[str]
) -> None:
    outcomes = scored(made, work=work(canary.Dying, made))
    assert [str(outcome.fault) for outcome in outcomes] == [
        f"team/system-{at}: GOLD-SCORE the scorer failed on this submission; nothing is said "
        "about it" for at in range(3)]
    outcomes = scored(made, work=work(canary.Sleeping, made), seconds=10)
    codes = [getattr(outcome.fault, "code", None) for outcome in outcomes]
    assert codes == [None, "GOLD-TIME", None]
    assert_silent(made, "".join(capfd.readouterr()) + str(outcomes))


def test_the_text_of_what_holds_gold_shows_none(made: Canary) -> None:
    identity = Identity(age.new_identity())
    shown = repr([made.gold, work(hidden.HiddenScoring, made), identity,
                  exact.Exact({"items": 1}, {"SA": (0.25,)})])
    assert not [word for word in (*made.words, made.gold.key.hex(), "AGE-", "0.25")
                if word in shown]


def run(made: Canary, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "scorer", *arguments], cwd=made.root, capture_output=True,
        text=True, env={**os.environ, "PYTHONPATH": str(ROOT), **environment}, check=False,
    )


def score_arguments(*more: str) -> list[str]:
    return ["gold", "score", "--board", "boards/canary", "--split", "dev",
            "--history", "history.jsonl", "--as-of", "2026-11-20", "--results", "results",
            "--ledger", "ledger", "--home", "home", "--models", "no", *more]


@pytest.mark.claim("From sealing to the site, no file but the sealed one holds hidden gold.")
@pytest.mark.site
@pytest.mark.slow
def test_the_whole_way_from_sealing_to_the_site_writes_no_gold(made: Canary) -> None:
    (made.root.parent / "apart").mkdir()
    key, gold = made.root.parent / "apart" / "key", made.root.parent / "apart" / "gold.tsv"
    gold.write_bytes(made.gold.rows)
    text = (made.board.folder / "board.yaml").read_text("utf-8")
    said = [run(made, "gold", "key", str(key))]
    recipient = said[0].stdout.strip()
    said.append(run(made, "gold", "seal", str(gold), "--board", "boards/canary", "--split", "dev",
                    "--to", recipient, "--out", "gold/canary.dev.age"))
    sealed = said[1].stdout.removeprefix("gold_hmac: ").strip()
    (made.board.folder / "board.yaml").write_text(text.replace(made.gold.hmac, sealed), "utf-8")
    secret = key.read_text().splitlines()[-1]
    said.append(run(made, *score_arguments("--source", "age:gold"), WHYBOARD_GOLD_IDENTITY=secret))
    for folder in ("templates", "site"):
        (made.root / folder).symlink_to(ROOT / folder)
    (made.root / "mkdocs.yml").symlink_to(ROOT / "mkdocs.yml")
    said.append(run(made, "site", "build", "--root", ".", "--out", "_site", "--home", "home"))
    assert [ran.returncode for ran in said] == [0, 0, 0, 0], said[-1].stderr[-2000:]
    assert (made.root / "_site/boards/canary/systems/team--system-0/index.html").is_file()
    opened = Identity(secret).open((made.root / "gold/canary.dev.age").read_bytes(), "")
    hmac_key = opened[:100].split()[4].decode()
    assert_silent(made, "".join(ran.stdout + ran.stderr for ran in said), secret, hmac_key)


def test_a_wrong_key_is_a_code_that_shows_no_key(made: Canary) -> None:
    right, wrong = age.new_identity(), age.new_identity()
    (made.root / "gold").mkdir()
    sealed = age.seal(made.gold.to_bytes(), [Identity(right).recipient])
    (made.root / "gold" / "canary.dev.age").write_bytes(sealed)
    key = right.splitlines()[-1]
    for given, code in ((wrong.splitlines()[-1], "GOLD-OPEN"),
                        (key[:-1] + ("X" if key[-1] != "X" else "Y"), "GOLD-IDENTITY"),
                        ("", "GOLD-IDENTITY")):
        ran = run(made, *score_arguments("--source", "age:gold"), WHYBOARD_GOLD_IDENTITY=given)
        assert ran.returncode == 3
        assert ran.stdout == ""
        assert code in ran.stderr
        assert "Traceback" not in ran.stderr
        assert_silent(made, ran.stderr, *filter(None, [given]))


SPY = """
import json, os, sys
from pathlib import Path

def content(path):
    try:
        return path.read_bytes()
    except OSError:
        return b""

key, program = Path(sys.argv[1]).read_bytes(), Path(f"/proc/{os.getppid()}")
assert b"scorer" in content(program / "cmdline")
shown = [str(path) for path in Path("/proc").glob("[0-9]*/environ") if key in content(path)]
shown += [str(path) for path in (program / "fd").iterdir() if path.readlink().name[:6] == "memfd:"]
Path(sys.argv[2]).write_text(json.dumps([shown, os.environ.get("KEPT")]))
sys.stdout.buffer.write(Path(sys.argv[3]).read_bytes())
"""
"""A program that looks for a key in all of /proc, and then gives gold."""


@pytest.mark.claim("While gold is scored its key stands in no environment that /proc shows.")
@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_no_environment_shows_the_key_to_what_the_program_starts(
    made: Canary, tmp_path_factory: pytest.TempPathFactory,
) -> None:
    secret = age.new_identity().splitlines()[-1]
    apart = tmp_path_factory.mktemp("apart")
    for name, content in (("spy.py", SPY), ("key", secret), ("gold", made.gold.to_bytes())):
        (apart / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    words = [sys.executable, *(str(apart / name) for name in ("spy.py", "key", "found", "gold"))]
    ran = run(made, *score_arguments("--source", f"command:{' '.join(words)}"),
              WHYBOARD_GOLD_IDENTITY=secret, KEPT="the rest")
    assert ran.returncode == 0, ran.stderr
    assert json.loads((apart / "found").read_text()) == [[], "the rest"]
    assert len(list(made.root.rglob("*.exact.age"))) == 3  # which only the key can have sealed


@pytest.mark.parametrize(("variable", "value", "code"), [
    (age.VARIABLE, "nö key", 3), (age.VARIABLE, "", 0), (f"{age.VARIABLE}_FILE", "/no/number", 0),
    (f"{age.VARIABLE}_FILE", "999", 0)])
def test_what_is_no_key_is_told_by_a_code_or_counts_as_none(
    variable: str, value: str, code: int, made: Canary, tmp_path_factory: pytest.TempPathFactory,
) -> None:
    program = tmp_path_factory.mktemp("apart") / "gold.py"
    program.write_text(f"import sys; sys.stdout.buffer.write({made.gold.to_bytes()!r})")
    source = f"command:{sys.executable} {program}"
    ran = run(made, *score_arguments("--source", source), **{variable: value})
    assert (ran.returncode, "GOLD-IDENTITY" in ran.stderr) == (code, code == 3)
    assert value == "" or value not in ran.stderr


# Run by an ordinary user, who could read all this of an ordinary process of theirs.
CLOSED = """
import ctypes, os, sys
from pathlib import Path
from scorer.engines import process

if os.geteuid() == 0:
    os.setuid(65534)
ctypes.CDLL(None).prctl(process.SET_DUMPABLE, 1, 0, 0, 0)  # as a process is that begins

def readable():
    ours, end = os.pipe()
    other = os.fork()
    if other == 0:
        ctypes.CDLL(None).prctl(process.SET_DUMPABLE, 1, 0, 0, 0)
        mine = Path(f"/proc/{os.getppid()}")
        for name in ("environ", "maps", "mem"):
            try:
                (mine / name).open("rb").close()
                os.write(end, name.encode() + b" ")
            except PermissionError:
                pass
        os._exit(0)
    os.close(end)
    os.waitpid(other, 0)
    return os.read(ours, 100).decode().split()

before = readable()
process.close_memory()
print("environ" in before, readable())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_a_process_that_holds_a_key_is_closed_to_others_of_its_user() -> None:
    ran = subprocess.run([sys.executable, "-c", CLOSED], capture_output=True, text=True, cwd=ROOT,
                         check=False)
    assert (ran.stdout, ran.stderr) == ("True []\n", "")


# ---- the confined process ------------------------------------------------------------------


def environment_of(job: bytes) -> bytes:
    return json.dumps([name for name in os.environ if "GOLD" in name]).encode()


def limits_of(job: bytes) -> bytes:
    import resource

    return json.dumps(resource.getrlimit(resource.RLIMIT_CORE)).encode()


@pytest.mark.claim("The process that sees hidden gold has no key and leaves no core file.")
@pytest.mark.parametrize(("asked", "answer"), [(environment_of, b"[]"), (limits_of, b"[0, 0]")])
def test_the_confined_process_has_no_key_and_leaves_no_core_file(
    asked: Callable[[bytes], bytes], answer: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(age.VARIABLE, age.new_identity().splitlines()[-1])
    assert age.find_identity(None, os.environ) is not None
    task = confined.ConfinedJob("", b"")
    assert list(confined.run(asked, [task], 60)) == [(task, answer)]


def eats(job: bytes) -> bytes:
    return str(len(bytearray(int(job)))).encode()


@pytest.mark.skipif(sys.platform != "linux", reason="no other Python platform limits memory")
def test_a_task_that_takes_too_much_memory_is_told_by_a_code_and_alone() -> None:
    tasks = [confined.ConfinedJob("some", b"1"),
             confined.ConfinedJob("all", str(3 * 2**30).encode()),
             confined.ConfinedJob("more", b"2")]
    found = {task.name: str(answer) for task, answer in confined.run(eats, tasks, 60, memory=1)}
    assert found == {"some": "b'1'", "more": "b'2'", "all": str(GoldError("GOLD-MEMORY", "all"))}


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
    task = confined.ConfinedJob("", server)
    wanted = json.dumps([False, os.getuid(), True]).encode()
    assert list(confined.run(network_of, [task], 60)) == [(task, wanted)]
    assert capsys.readouterr().err == ""


def test_work_that_fetches_models_keeps_the_network(server: bytes) -> None:
    task = confined.ConfinedJob("", server)
    [(_, answer)] = confined.run(network_of, [task], 60, network=True)
    assert isinstance(answer, bytes)
    assert json.loads(answer)[0] is True


def test_where_the_system_refuses_one_line_says_so_and_the_work_is_done(
    server: bytes, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(confined, "can_leave_network", lambda: False)
    task = confined.ConfinedJob("", server)
    [(_, answer)] = confined.run(network_of, [task], 60)
    assert isinstance(answer, bytes)
    assert json.loads(answer)[0] is True
    assert capsys.readouterr().err == f"{confined.KEPT}\n"


def test_a_process_with_threads_leaves_only_as_the_superuser() -> None:
    """Why the recipe is read so late: the kernel takes a user namespace for one thread only."""
    program = ("import threading, time; from scorer.engines.process import leave_network\n"
               "threading.Thread(target=time.sleep, args=(5,), daemon=True).start()\n"
               "try: leave_network()\nexcept OSError: print('refused')\n")
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                         cwd=ROOT, check=False)
    superuser = os.geteuid() == 0 and can_leave_network()
    assert ran.stdout == ("" if superuser else "refused\n")


def test_ranked_scores_are_those_of_the_first_ranking_metric_higher_better(made: Canary) -> None:
    board = replace(made.board, ranking=("SeCA", "GED"))
    found = exact.Exact({}, {"GED": (0.25, 1.0), "SA": (1.0, 0.0)})
    assert np.array_equal(hidden._ranked(board, found), [-0.25, -1.0])
