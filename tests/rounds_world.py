"""An ``annotations`` folder whose batches the program makes, of pairs with one right answer."""

from collections.abc import Mapping
from pathlib import Path

from benchmarks.simulate_annotators import file_of
from scorer.cli import main
from scorer.people.records import Annotation, Answers
from scorer.people.validate import Workplace, check_file
from tests.annotation_world import sound

PAIRS = [tuple(line.split("\t")) for line in (
    Path(__file__).parent / "cases/annotations/pairs.tsv").read_text("utf-8").splitlines()]
"""Belief, argument, stance, topic and graph."""
BAD = "(cats; capable of; purr)(purr; not causes; joy)(cats; at location; home)"
"""A graph of the first pair that verifiers refuse."""


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
        form = place.forms[batch.kind]
        path = self.folder / form.path(name, who)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file_of(form, batch, Annotation(
            who, "2026-11-21T03:50:00Z", given)))
        return [one.rule for one in check_file(place, path).faults.kept if not one.warns]

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
