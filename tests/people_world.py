"""An ``annotations`` folder for tests that grows batch by batch, with answers of made people."""

import json
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.simulate_annotators import file_of
from scorer.boards.policy import HumanRanking
from scorer.cli import main
from scorer.core.records import Edge, ItemResult, ItemScore, Verdict
from scorer.core.results import PredictionsFile, Result
from scorer.people import organisers
from scorer.people.aggregation import aggregated, votes_on_systems
from scorer.people.documents import HumanResults
from scorer.people.records import NOT_ASKED, Annotation, Answers, Batch, Item, Origin, Topic
from scorer.people.validate import Workplace, check_file
from tests.annotation_world import DRAWN, GRAPH, close, keyed, sound
from tests.values import made_result, metric_value

WORDS = {"S": "support", "C": "counter", "N": "neutral", "I": "incorrect"}
PEOPLE = ("ann", "ben", "cleo", "dora", "eve")


PAIRS = [tuple(line.split("\t")) for line in (
    Path(__file__).parent / "cases/annotations/pairs.tsv").read_text("utf-8").splitlines()]
"""Belief, argument, stance, topic and graph."""
BAD = "(cats; capable of; purr)(purr; not causes; joy)(cats; at location; home)"
"""A graph of the first pair that verifiers refuse."""


def recorded_answers(case: Any) -> Iterator[tuple[str, str, Answers]]:
    """Of a recorded case of commonsense knowledge each item, annotator and answers: a value for
    each triplet, in order."""
    for one in case["records"]:
        yield one["item"], one["annotator"], {
            question: answer if isinstance(answer, str) else tuple(
                answer.get(triplet, NOT_ASKED) for triplet in case["triplets"][one["item"]])
            for question, answer in one["answers"].items()}


def hand_in(place: Workplace, name: str, answers: Annotation) -> Path:
    """Write an annotator's file."""
    batch = sound(place, name)
    form = place.forms[batch.kind]
    file = place.folder.parent / form.path(name, answers.annotator)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(file_of(form, batch, answers))
    return file


class World:
    """An ``annotations`` folder that grows batch by batch."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "annotations"
        (self.folder / "batches").mkdir(parents=True)

    def add(self, name: str, kind: str, items: Sequence[Item],
            answers: Mapping[str, Mapping[str, Answers]], *, needed: int = 3,
            origins: Mapping[str, Origin] | None = None, status: str = "closed",
            sampled: Mapping[str, str] = DRAWN, topics: tuple[Topic, ...] = (), board: str = "",
            comments: Mapping[str, Mapping[str, str]] = {}) -> None:
        """A batch with its key and the file of each annotator."""
        form = Workplace(self.folder).forms[kind]
        path = organisers.path_of(self.folder, name)
        path.write_text(json.dumps({
            "format": Batch.format, "batch": name, "kind": kind, "guideline": form.guideline,
            "needed": needed, **({"board": board} if board else {}),
            "topics": [asdict(topic) for topic in topics],
            "items": [{"id": item.id, **item.texts, **({"triplets": [
                {"c1": edge.source, "rel": edge.relation, "c2": edge.target}
                for edge in item.triplets]} if kind == "csk" else {})} for item in items],
        }), "utf-8")
        organisers.path_of(self.folder, name, organisers.CLOSED_SUFFIX).unlink(missing_ok=True)
        if origins:
            keyed(self.folder, name, origins, sampled)
        place = Workplace(self.folder)
        for at, (person, given) in enumerate(answers.items()):
            hand_in(place, name, Annotation(
                person, f"2026-11-21T03:50:{at:02}Z", given, comments.get(person, {})))
        if status == "closed":
            close(self.folder, name, *answers)

    def labels(self, name: str, kind: str, votes: Mapping[str, str], **more: Any) -> None:
        """A batch whose items were given labels: ``votes``, a letter each, a dot where somebody did
        not vote."""
        texts = {"graph": GRAPH} if kind == "verify" else {"argument": "Cats purr."}
        answers: dict[str, dict[str, Answers]] = {}
        for item, letters in votes.items():
            for person, letter in zip(PEOPLE, letters, strict=False):
                if letter != ".":
                    reasons = {"reasons": ("meaningless",)} if letter == "I" else {}
                    answers.setdefault(person, {})[item] = {"label": WORDS[letter], **reasons}
        self.add(name, kind, [Item(item, {"belief": "Cats give joy.", **texts}) for item in votes],
                 answers, **more)

    def recorded(self, path: Path) -> None:
        """The batch of a recorded case of commonsense knowledge, all of system t/one."""
        case = json.loads(path.read_text("utf-8"))
        triplets = {item: tuple(Edge("a", "IsA" if n % 2 else "UsedFor", f"b{n}")
                                for n in range(len(ids))) for item, ids in case["triplets"].items()}
        answers: dict[str, dict[str, Answers]] = {}
        for item, annotator, own in recorded_answers(case):
            answers.setdefault(annotator, {})[item] = own
        self.add("c1", "csk", [Item(name, {"premise": "p", "conclusion": "c"},
                                    triplets.get(name, ())) for name in "ucg"], answers,
                 origins={name: Origin(source=f"b-dev:{row}", system="t/one")
                          for row, name in enumerate("ucg", 1)},
                 topics=tuple(Topic(str(n), f"Topic {n}") for n in range(1, 10)))

    def results(self, scored: Mapping[str, Result] = {}) -> Any:
        """The document, as JSON."""
        place = Workplace(self.folder)
        votes = votes_on_systems(place, lambda _, system: scored.get(system))
        document = aggregated(place, votes, lambda _: HumanRanking(10, 0.4), "abcdef1")
        return json.loads(json.dumps(HumanResults.model_validate(document.to_json()).to_json()))


def judged_result(items: int, passed: Container[int], right: Container[int] | None = None, *,
                  predictions: str = "a" * 64) -> Result:
    """A result of which some rows passed. ``right``: rows that a judge accepts, if there is one."""
    rows = [ItemResult(row, Verdict("struct_correct" if row in passed else "struct_incorrect"), {
        "StCA": ItemScore(float(row in passed)),
        **({} if right is None else {"SeCA": ItemScore(float(row in passed and row in right))})})
        for row in range(1, items + 1)]
    return made_result("board", "1", "explanation_graphs", "dev", {}, {
        name: metric_value(0.5, n=items, signature=f"{name}:1") for name in rows[0].scores}, rows,
        predictions=PredictionsFile(sha256=predictions, rows=items))


class Rounds:
    """Makes batches one of another, answers and closes them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.annotations = folder / "annotations"

    def run(self, *words: str) -> int:
        return main(["annotations", *words, f"--annotations={self.annotations}"])

    def answer(self, name: str, who: str, answers: Mapping[str, Answers]) -> list[str]:
        """Hand in answers by the items' first texts; the rules that they break."""
        place = Workplace(self.annotations)
        batch = sound(place, name)
        given = {item.id: answers[text] for item in batch.items
                 if (text := next(iter(item.texts.values()))) in answers}
        file = hand_in(place, name, Annotation(who, "2026-11-21T03:50:00Z", given))
        return [one.rule for one in check_file(place, file).kept if not one.warns]

    def close(self, *names: str) -> None:
        assert self.run("close", *names) == 0

    def begin(self, pairs: str = "") -> None:
        """Pairs whose stance three people say, and graphs, one of which is bad."""
        file = self.folder / "pairs.tsv"
        file.write_text(pairs or "".join("\t".join((one[0], one[1], one[3])) + "\n"
                                         for one in PAIRS), "utf-8")
        assert self.run("make-batch", "s", "--form", "stance", "--texts", str(file),
                        "--needed", "3") == 0
        for who in ("ann", "bob", "cleo"):
            self.answer("s", who, {one[0]: {"label": one[2]} for one in PAIRS})
        assert self.run("make-batch", "c", "--form", "collect", "--from-batch", "s") == 0
        self.answer("c", "ann", {one[0]: {"graph": one[4]} for one in PAIRS}
                    | {PAIRS[0][0]: {"graph": BAD}})

    def verify(self, name: str, of: str, wrong: str = "", who: str = "x") -> None:
        """Three verifiers who know what is right, of all graphs but that of one belief."""
        assert self.run("make-batch", name, "--form", "verify", "--from-batch", of) == 0
        for number in range(3):
            self.answer(name, f"{who}{number}", {
                one[0]: {"label": "incorrect", "reasons": ("meaningless",)}
                if one[0] == wrong else {"label": one[2]} for one in PAIRS})

    def whole(self) -> None:
        """Every round, with the bad graph refined; all closed."""
        self.begin()
        self.verify("v", "c", wrong=PAIRS[0][0])
        assert self.run("make-batch", "r", "--form", "refine", "--from-batch", "v") == 0
        self.answer("r", "bob", {PAIRS[0][0]: {"graph": PAIRS[0][4]}})
        self.verify("v2", "r")
        self.close("s", "c", "v", "r", "v2")


def flat(document: Any, path: str = "") -> dict[str, Any]:
    """Every number and text of a document by where it stands, but for signatures, which name the
    program's version."""
    if isinstance(document, dict | list):
        parts = document.items() if isinstance(document, dict) else enumerate(document)
        return {key: value for name, part in parts
                for key, value in flat(part, f"{path}.{name}").items()}
    return {} if path.endswith(".signature") else {path: document}


def ask_everything(world: World, said: Sequence[str], system: str, board: str, split: str) -> None:
    """Batches of every kind that pages show, with ``said`` in every text, and one that is open.

    The last of three annotators is simulated.
    """
    here = f"{board}-{split}"
    (world.folder / "annotators.yml").write_text("cleo: {simulated: yes}\n", "utf-8")
    items = [Item(f"i{row}", {"premise": text, "conclusion": text},
                  (Edge("=cmd()", "IsA", "<b>b</b>"), Edge("a", "UsedFor", "=cmd()")))
             for row, text in enumerate(said)]
    answers = {person: {item.id: _csk(text, person) for item, text in zip(items, said, strict=True)}
               for person in PEOPLE[:3]}
    comments = {"ann": {item.id: text for item, text in zip(items, said, strict=True)}}
    more: dict[str, Any] = {"board": board, "topics": (
        Topic("1", "=cmd() <script>window.pwned=1</script>"), Topic("2", "Cats"))}
    world.add("csk-1", "csk", items, answers, comments=comments, **more, origins={
        item.id: Origin(source=f"{here}:1", system=system if row % 2 else "gold")
        for row, item in enumerate(items)})
    world.add("csk-2", "csk", items, {"ann": answers["ann"]}, status="open", **more)
    votes = {"a": "SSS", "b": "SIC", "c": "III", "d": "SSI", "e": "CCC", "f": "SSS"}
    world.labels("stance-1", "stance", {"a": "SSS", "b": "SNC", "c": "NNN", "d": "SS."})
    world.labels("systems-1", "verify", votes, origins={
        item: Origin(source=f"{here}:{row}", system=system, label="support")
        for row, item in enumerate(votes, 1)})
    world.labels("verify-1", "verify", votes, origins={
        item: Origin(source=f"collect-1:{item}", label="support", authors=("zoe",))
        for item in votes})
    world.add("refine-1", "refine", [Item("r", {
        "belief": said[0], "argument": said[1], "stance": "support", "graph": GRAPH,
        "label": "incorrect", "round": "2"})], {}, needed=1, origins={
            "r": Origin(source="verify-1:c", label="support", authors=("zoe",))})
    world.labels("verify-2", "verify", {"g": "SSS"}, origins={
        "g": Origin(source="refine-1:r", label="support", authors=("zoe", "yan"))})


def fool_a_model(root: Path, said: Sequence[str], *batches: str, **more: Any) -> None:
    """Rounds against a label model, with ``said`` in texts that are not verified yet.

    A text of each fooled it and counts, one was seen through; the author is simulated.
    """
    counts = {"prompts": 3, "tries": 5, "fooled": 1, "not_verified": 1, "refused": 0,
              "not_fooled": 1}
    path = root / "results/human/hamlet.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({
        "format": "hamlet/1", "system": "label, trained on board", "simulated": ["ann"],
        "rounds": [{"round": number, "batch": batch, "most_tries": 3, "late": 0, **counts,
                    "authors": {"ann": counts}, "attempts": [
                        *(_attempt(batch, text, "fooled, not verified yet", None)
                          for text in said),
                        _attempt(batch, f"It fooled {batch}.", "fooled", "support"),
                        _attempt(batch, "Seen through.", "not fooled", None)]}
                   for number, batch in enumerate(batches, start=1)], **more}), "utf-8")


def _attempt(batch: str, argument: str, state: str, people: str | None) -> dict[str, Any]:
    return {"batch": batch, "item": "i", "prompt": f"{batch}:i:ann:1", "author": "ann", "number": 2,
            "texts": {"argument": argument, "belief": "Zoos help."}, "target": "support",
            "said": "counter", "people": people, "state": state}


def _csk(text: str, person: str) -> Answers:
    if person == "ben":
        return {"q1": "2", "q2": "y", "q3": "x"}
    negative = {"q6": ("-", "1"), "q7": "1"} if person == "ann" else {}
    return {"q1": "1", "q2": "y", "q3": "y", "q3_1": text, "q4": "2",
            "q5": ("1", "4" if person == "ann" else "x"), **negative}
