"""A small ``annotations`` folder for tests: four batches, and files that answer them."""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from scorer.core.files import sha256, sha256_file
from scorer.core.records import Edge
from scorer.people import organisers
from scorer.people.records import ALL, LABELS, Batch, CountedFile, Item, Origin
from scorer.people.validate import Workplace
from tests.case_files import expanded, read


class Ran(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str


@cache
def cases(name: str) -> Any:
    """What stands in ``cases/annotations/<name>.yaml``."""
    return read(f"annotations/{name}.yaml")


SHA = "{sha}"
"""Stands for the batch's digest in the files below."""
TRIPLETS = cases("world")["c1"]["items"][0]["triplets"]
GRAPH = cases("world")["v1"]["items"][0]["graph"]
DRAWN = {"seed": "1", LABELS: ALL}
"""What the key of a batch says that was drawn at random."""
HEADS = {"csk": ("csk-annotations/1", "csk-1", "item\tq1\tq2\tq3\tq3_1\tq4\tq5\tq6\tq7\tcomment"),
         "stance": ("stance-votes/1", "stance-1", "item\tlabel\tcomment"),
         "verify": ("graph-verify/1", "verify-1", "item\tlabel\treasons\tcomment"),
         "adjudication": ("annotation-rulings/1", "adjudicate-1",
                          "item\tunit\tquestion\tvalue\treason\tcomment")}
CSK_ROWS = ("a1\t1\ty\ty\tPets are at home.\t1\t14\t-2\t\tfine", "b2\t2\tn")


def batch(name: str, **changed: Any) -> dict[str, Any]:
    """A batch as JSON."""
    of = cases("world")[name]
    return {"format": "annotation-batch/1", "batch": name, "guideline": HEADS[of["kind"]][1],
            "needed": 3, **of, **changed}


def made(folder: Path) -> Workplace:
    """The folder with its batches, one of them closed, and the key of one; no answers."""
    place = folder / "annotations"
    (place / "batches").mkdir(parents=True)
    for name in cases("world"):
        organisers.path_of(place, name).write_text(json.dumps(batch(name)), "utf-8")
    keyed(place, "v1", {"a1": Origin(source="b-dev:1", system="team/one", authors=("ann",)),
                        "b2": Origin(source="b-dev:1", system="team/two")})
    close(place, "s1")
    return Workplace(place)


def sound(place: Workplace, name: str) -> Batch:
    """A batch that has no faults."""
    batch, problems = place.batch(name)
    assert batch is not None, problems
    return batch


def keyed(folder: Path, name: str, origins: Mapping[str, Origin],
          sampled: Mapping[str, str] = DRAWN) -> None:
    """Give a batch its key."""
    key, path = organisers.key_content(origins, sampled), organisers.path_of(folder, name)
    organisers.path_of(folder, name, organisers.KEY_SUFFIX).write_bytes(key)
    document = json.loads(path.read_bytes())
    path.write_text(json.dumps({**document, "key_sha256": sha256(key)}), "utf-8")


def close(folder: Path, name: str, *annotators: str) -> None:
    """Close a batch with the files of some annotators."""
    place = Workplace(folder)
    batch = sound(place, name)
    files = place.folder_of(batch)
    counted = [CountedFile(one, sha256_file(files / f"{one}.tsv")) for one in annotators]
    organisers.path_of(folder, name, organisers.CLOSED_SUFFIX).write_bytes(
        organisers.closing_content(batch, counted))


def sheet(kind: str, name: str, *rows: str, annotator: str = "ann", **changed: str) -> str:
    """An annotator's file; ``changed``: header values."""
    form, guideline, columns = HEADS[kind]
    head = {"format": form, "batch": name, "batch_sha256": SHA, "guideline": guideline,
            "annotator": annotator, "exported": "2026-11-21T03:50:00Z", **changed}
    lines = [f"#{key}\t{value}" for key, value in head.items()]
    return "\n".join([*lines, columns, *rows]) + "\n"


def put(place: Workplace, path: str, text: str | bytes, name: str = "") -> Path:
    """Write a file below the folder, with the digest of its batch."""
    file = place.folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    batch, _ = place.batch(name or file.parent.name)
    content = text.encode() if isinstance(text, str) else text
    file.write_bytes(content.replace(SHA.encode(), batch.sha256.encode() if batch else b"0" * 64))
    return file


def handed_in(place: Workplace, case: Mapping[str, Any]) -> Path:
    """The file of a case of ``files.yaml``, where it lies."""
    path = case.get("path", "csk/c1/ann.tsv")
    kind, *others = path.removesuffix(".tsv").split("/")
    name = "c1" if kind == "csk" and len(others) == 1 else others[0]
    text = case.get("text")
    if text is None:
        text = sheet(kind, name, *case.get("rows", CSK_ROWS), **case.get("header", {}))
        text = text.replace(*case["swap"]) if "swap" in case else text
    if "people" in case:
        (place.folder / "annotators.yml").write_text(case["people"], "utf-8")
    return put(place, path, expanded(text).encode(case.get("encoding", "utf-8")), name)


def answered() -> Iterator[tuple[str, Item, Mapping[str, Any], list[str]]]:
    """The cases of ``answers.yaml``: a form's name, an item, answers, and the rules they break."""
    for kind, form in cases("answers").items():
        item = Item("i7", form.get("item", {}), tuple(
            Edge("a", "r", str(number)) for number in range(form.get("triplets", 0))))
        for changes, *rules in form["cases"]:
            sound = form.get("sound", {})
            given = {**sound, **{name: sound[name] + str(answer)[3:] if str(answer)[:3] == "..."
                                 else expanded(answer) if isinstance(answer, str) else answer
                                 for name, answer in changes.items()}}
            yield kind, item, {name: answer for name, answer in given.items() if answer}, rules
