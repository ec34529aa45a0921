"""Commonsense graphs of arguments: knowledge bases, shortest paths, pruning, constraints."""

import gzip
import json
import random
from collections.abc import Iterator
from pathlib import Path

import networkx
import numpy as np
import pytest
from numpy.typing import NDArray

from scorer.boards import load
from scorer.boards.golds import read_golds
from scorer.cli import main
from scorer.core.errors import UsageError
from scorer.core.records import Edge
from scorer.lab.systems import records
from scorer.lab.systems.cckg.graphs import Argument, Context, Cutter, Fitter, argument, contexts
from scorer.lab.systems.cckg.knowledge import Knowledge, Most, knowledge_of, read
from scorer.lab.systems.cckg.network import ConceptNetwork, Remembered, Weighted, cost, of_triples
from scorer.tasks.graphs.constraints import findings
from tests.tiny_systems import in_small_world, tiny_encoder

RELATIONS = ("is a", "causes", "not causes", "antonym of", "used for")


class Letters:
    """Vectors of the words of a text, as many axes as different words: cosines by counting."""

    def __init__(self, like: "Letters | None" = None) -> None:
        self.asked: list[str] = []
        self._axes: dict[str, int] = like._axes if like else {}

    def means(self, sentences: list[str]) -> NDArray[np.float32]:
        self.asked += sentences
        found = np.zeros((len(sentences), 512), np.float32)
        for row, sentence in zip(found, sentences, strict=True):
            for word in sentence.lower().replace(".", "").split():
                row[self._axes.setdefault(word, len(self._axes))] += 1
        return found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-12)


def made(*triples: str) -> Knowledge:
    return knowledge_of((Edge(*triple.split("; ")) for triple in triples), "a test")


def context(knowledge: Knowledge, premise: str, conclusion: str, most: int = 1) -> Context:
    encoder = Letters()
    known = encoder.means(knowledge.sentences(0, 1000)).astype("float16")
    [found] = contexts(known, Remembered(encoder), [Argument(premise, conclusion)], most)
    return found


def test_triples_are_kept_once_in_the_order_of_their_names() -> None:
    knowledge = made("b; is a; c", "a; causes; c", "b; is a; c", "b; causes; a", "c; is a; c")
    assert [knowledge.edge(place) for place in range(len(knowledge.triples))] == [
        ("a", "causes", "c"), ("b", "causes", "a"), ("b", "is a", "c")]


def test_the_path_taken_is_the_one_that_costs_least_by_arithmetic() -> None:
    # a to d: over b, 2000 + 2000; over c, 1000 + 2500; at once, 4000.
    knowledge = made("a; causes; b", "b; causes; d", "c; causes; a", "c; causes; d", "a; is a; d")
    costs = {"a causes b": 2000, "b causes d": 2000, "c causes a": 1000, "c causes d": 2500,
             "a is a d": 4000}
    weighted = Weighted(ConceptNetwork(knowledge),
                        np.array([costs[one] for one in knowledge.sentences(0, 9)], float))
    first, last = knowledge.numbers["a"], knowledge.numbers["d"]
    ways = weighted.ways([first])
    assert ways.distances[0, last] == 1000 + 2500
    assert [knowledge.edge(weighted.triple(pair)) for pair in weighted.path(ways, first, last)] \
        == [("c", "causes", "d"), ("c", "causes", "a")]


def test_of_equal_paths_the_first_by_name_is_taken_and_of_equal_triples_too() -> None:
    knowledge = made("a; is a; c", "c; is a; d", "a; is a; b", "b; used for; d", "b; is a; d")
    weighted = Weighted(ConceptNetwork(knowledge), np.full(5, 7.0))
    ways = weighted.ways([0])
    pairs = weighted.path(ways, 0, knowledge.numbers["d"])
    assert [knowledge.edge(weighted.triple(pair)) for pair in pairs] == [
        ("b", "is a", "d"), ("a", "is a", "b")]


@pytest.mark.claim("Distances in a knowledge base are those of networkx on random networks.")
def test_distances_are_those_of_networkx_on_random_networks() -> None:
    rng = random.Random(5)
    for _ in range(20):
        triples = {(f"c{rng.randrange(12):02}", rng.choice(RELATIONS), f"c{rng.randrange(12):02}")
                   for _ in range(25)}
        knowledge = knowledge_of((Edge(*triple) for triple in triples), "a test")
        costs = np.array([float(rng.randrange(1, 9)) for _ in knowledge.triples])
        other: networkx.Graph[int] = networkx.Graph()
        other.add_nodes_from(range(len(knowledge.concepts)))
        for (head, _, tail), weight in zip(knowledge.triples.tolist(), costs, strict=True):
            before = other.edges[head, tail]["weight"] if other.has_edge(head, tail) else 99
            other.add_edge(head, tail, weight=min(before, weight))
        weighted = Weighted(ConceptNetwork(knowledge), costs)
        ways = weighted.ways([*range(len(knowledge.concepts))])
        for source, found in networkx.all_pairs_dijkstra_path_length(other):
            for target in other:
                assert ways.distances[source, target] == found.get(target, float("inf"))
                if target in found and source != target:
                    path = weighted.path(ways, source, target)
                    taken = [costs[weighted.triple(pair)] for pair in path]
                    assert sum(taken) == found[target]


def test_a_graph_is_cut_out_by_the_triples_nearest_to_both_texts() -> None:
    # "cats purr" is nearest to (cats; causes; purr), "joy is good" to (joy; is a; good). Between
    # them, the way over calm shares no word with the texts; the way over purr shares two.
    knowledge = made("cats; causes; purr", "purr; causes; joy", "joy; is a; good",
                     "cats; is a; calm", "calm; is a; rest", "rest; is a; good")
    found = Cutter(knowledge, Remembered(Letters())).graph(
        context(knowledge, "cats purr", "joy is good"))
    assert {one.edge for one in found} == {
        ("cats", "causes", "purr"), ("purr", "causes", "joy"), ("joy", "is a", "good")}
    assert {name: side for one in found for name, side in
            ((one.edge.source, one.head_from), (one.edge.target, one.tail_from))} == {
        "cats": "premise", "purr": "premise", "joy": "conclusion", "good": "conclusion"}


def test_what_both_texts_bring_is_of_both_and_what_lies_between_of_neither() -> None:
    knowledge = made("cats; causes; purr", "purr; causes; rest", "rest; is a; joy",
                     "joy; is a; good")
    cutter = Cutter(knowledge, Remembered(Letters()))
    assert {one.tail_from for one in cutter.graph(context(knowledge, "cats purr", "cats purr"))} \
        == {"both"}
    sides = {one.edge.target: one.tail_from
             for one in cutter.graph(context(knowledge, "cats purr", "joy good"))}
    assert sides["rest"] == "neither"


def test_pruning_removes_what_nothing_hangs_on_and_keeps_every_connection() -> None:
    # A diamond between b and e: one way is enough, and the concept nearer to the texts stays.
    knowledge = made("a; is a; b", "b; is a; c", "b; is a; d", "c; is a; e", "d; is a; e",
                     "e; is a; f", "x; is a; c")
    numbers = knowledge.numbers
    cutter = Cutter(knowledge, Remembered(Letters()))
    network = ConceptNetwork(knowledge)
    left = cutter._pruned({*range(len(network.pairs))},
                          {numbers["a"]: "premise", numbers["f"]: "conclusion"},
                          Argument("a d", "f"))
    names = {knowledge.concepts[end] for pair in left for end in network.pairs[pair]}
    assert names == {"a", "b", "d", "e", "f"}


def test_a_cost_is_a_whole_number_that_falls_with_similarity() -> None:
    assert cost(np.array([0.9, 0.1, 1.0, 1.2], np.float32)).tolist() == [500, 4500, 1, 1]


def test_an_item_without_a_path_has_an_empty_graph() -> None:
    knowledge = made("a; is a; b")
    cutter = Cutter(knowledge, Remembered(Letters()))
    far = made("a; is a; b", "c; is a; d")
    assert [one.edge for one in cutter.graph(context(knowledge, "a", "b"))] == [("a", "is a", "b")]
    apart = Cutter(far, Remembered(Letters())).graph(context(far, "a b", "c d"))
    assert len(apart) == 2


def test_an_argument_concludes_its_first_text() -> None:
    assert argument(["that", "because"]) == ("because", "that")
    assert argument(["alone"]) == ("alone", "alone")


BOARD = load("explagraphs-practice", Path("boards")).settings
TEXTS = ("Cats are good pets.", "Cats purr and calm people.")


def fitted(*triples: str, texts: tuple[str, str] = TEXTS) -> str | None:
    knowledge = made(*triples)
    graph = Fitter(knowledge, Remembered(Letters()), BOARD).graph(
        context(knowledge, texts[1], texts[0]), texts)
    if graph is not None:
        assert not findings(BOARD, texts, graph).broken
    return None if graph is None else graph.text


CHAIN = ("purr; causes; calm", "calm; is a; rest", "rest; causes; good", "cats; is a; pets",
         "pets; desires; calm")


def test_a_graph_for_a_board_keeps_its_constraints_or_there_is_none() -> None:
    assert fitted(*CHAIN) is not None
    assert fitted("dogs; is a; good", "good; causes; joy", "joy; causes; dogs") is None
    assert fitted("purr; causes; calm", "cats; is a; pets") is None


def test_relations_that_a_board_lacks_and_long_concepts_are_not_used_for_it() -> None:
    assert fitted(*CHAIN, "purr; RelatedTo; cats") == fitted(*CHAIN)
    assert fitted(*CHAIN, "purr; is a; four words are many", "four words are many; is a; cats") \
        == fitted(*CHAIN)


def test_a_concept_may_stand_in_a_text_with_an_ending() -> None:
    assert fitted("cat; is a; pet", "pet; desires; calm", "purr; causes; calm") is not None


def wrote(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_triples_are_read_from_tabs(tmp_path: Path) -> None:
    file = wrote(tmp_path / "kb.tsv", "Cats\tIsA\tgood  pets\r\ncats\tNotCauses\tallergy\n\n")
    found = read(file, RELATIONS)
    assert [found.edge(place) for place in range(2)] == [
        ("cats", "is a", "good pets"), ("cats", "not causes", "allergy")]
    assert found.source.startswith("kb.tsv (SHA-256 ")


def assertion(relation: str, start: str, end: str, weight: object = 1.0) -> str:
    more = json.dumps({"dataset": "/d/test", "weight": weight})
    return f"/a/[/r/{relation}/,{start}/,{end}/]\t/r/{relation}\t{start}\t{end}\t{more}\n"


ASSERTIONS = "".join((
    assertion("IsA", "/c/en/guinea_pig/n/wn/animal", "/c/en/pet"),
    assertion("Antonym", "/c/en/pet", "/c/en/wild_animal", 2),
    assertion("RelatedTo", "/c/en/pet", "/c/en/joy", 1.5),
    assertion("IsA", "/c/en/cat", "/c/en/spy", 0.5),
    assertion("IsA", "/c/en/cat", "/c/fr/chat"),
    assertion("Synonym", "/c/de/katze", "/c/de/mieze"),
    assertion("IsA", "/c/en/cat", "/c/en/" + "x" * 300),
    assertion("FormOf", "/c/en/cat/n", "/c/en/cat/v"),
))


@pytest.mark.parametrize("packed", [False, True])
def test_english_assertions_of_enough_weight_are_read_from_conceptnet(
    tmp_path: Path, packed: bool
) -> None:
    content = ASSERTIONS.encode()
    file = wrote(tmp_path / "dump.csv", gzip.compress(content) if packed else content)
    found = read(file, RELATIONS)
    assert [found.edge(place) for place in range(len(found.triples))] == [
        ("guinea pig", "is a", "pet"), ("pet", "RelatedTo", "joy"),
        ("pet", "antonym of", "wild animal")]


@pytest.mark.parametrize(("content", "said"), [
    (b"a\tis a\n", ":1: 2 columns; expected 3 (head, relation, tail)"),
    (b"a\tis a\tb\nc\t\td\n", ":2: a relation of 0 characters"),
    (b"a\tis a\tb\x00\n", r":1: '\x00' in the tail"),
    (b"a\tis a\t\xff\n", ":1: byte 0xff at byte 8"),
    (b"a\tis a\t" + b"x" * 201 + b"\n", ":1: a tail of 201 characters"),
    (b"a\tis a\t" + b"x" * 2_000_000, ":1: a line of more than 1048576 bytes"),
    (ASSERTIONS.encode() + b"/a/x\t/r/IsA\t/c/en/a\n", ":9: 3 columns; expected ConceptNet's 5"),
    (b"/a/x\t/r/IsA\t/c/en/a\t/c/en/b\t{broken\n", ":1: '{broken'; expected JSON"),
    (b"/a/x\t/r/IsA\t/c/en/a\t/c/en/b\t{\"weight\": \"1\"}\n", ":1: '{\"weight\": \"1\"}'"),
    (b"/a/x\t/r/IsA\t/c/en/a\t/c/en/b\t" + b"[" * 100_000 + b"\n", "expected JSON"),
    (b"/a/x\tIsA\t/c/en/a\t/c/en/b\t{}\n", ":1: relation 'IsA'; expected /r/NAME"),
    (b"", "no triple"),
    (b"PK\x03\x04rest", "a zip file"),
    (gzip.compress(b"a\tis a\tb\n" * 99, mtime=0)[:-9], "a damaged gzip file"),
    (gzip.compress(bytes(3_000_000), mtime=0), ":1: a line of more than 1048576 bytes"),
])
def test_a_hostile_file_is_refused_in_words(tmp_path: Path, content: bytes, said: str) -> None:
    file = wrote(tmp_path / "kb", content)
    with pytest.raises(UsageError) as fault:
        read(file, RELATIONS)
    assert said in str(fault.value)
    assert len(str(fault.value)) < 400


def test_a_small_file_that_unpacks_to_very_much_is_left_early(tmp_path: Path) -> None:
    file = wrote(tmp_path / "bomb.gz", gzip.compress(b"a\tis a\tb\n" * 1_000_000))
    assert file.stat().st_size < 100_000
    with pytest.raises(UsageError, match="more than 5000 bytes"):
        read(file, RELATIONS, Most(size=5000))
    many = wrote(tmp_path / "many", "".join(f"a{one}\tis a\tb{one}\n" for one in range(99)))
    for most in (Most(triples=50), Most(concepts=50)):
        with pytest.raises(UsageError, match="more than 50 "):
            read(many, RELATIONS, most)
    with pytest.raises(UsageError, match="cannot be read"):
        read(tmp_path / "nothing", RELATIONS)


def test_vectors_are_computed_once_and_a_stopped_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scorer.lab.systems.cckg.network.BLOCK", 4)
    knowledge = made(*(f"a{one}; is a; b{one}" for one in range(10)))
    first = Letters()
    whole = of_triples(knowledge, first, "one", tmp_path / "whole")

    class Fatal(Letters):
        def means(self, sentences: list[str]) -> NDArray[np.float32]:
            if len(self.asked) > 4:
                raise KeyboardInterrupt
            return super().means(sentences)

    with pytest.raises(KeyboardInterrupt):
        of_triples(knowledge, Fatal(first), "one", tmp_path / "stopped")
    again = Letters(first)
    found = of_triples(knowledge, again, "one", tmp_path / "stopped")
    assert len(again.asked) == 1 + 6  # the first block of four was there
    assert np.array_equal(found, whole)
    last = Letters()
    of_triples(knowledge, last, "one", tmp_path / "stopped")
    assert last.asked == ["a word"]
    other = Letters()
    of_triples(knowledge, other, "another", tmp_path / "stopped")
    assert len(other.asked) == 11


def test_vectors_stay_in_memory_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    found = of_triples(made("a; is a; b"), Letters(), "one", tmp_path / "file")
    assert found.shape == (1, 512)


NAME = "explagraphs-practice"
MORE = "".join(f"{line}\n" for line in (
    "tipping\tIsA\trewards", "rewards\tCauses\tgood service", "good service\tHasContext\twaiter",
    "waiter\tDesires\tfair wages", "fair wages\tRelatedTo\ttipping", "guests\tCapableOf\ttipping"))


@pytest.fixture(scope="module", autouse=True)
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    yield from in_small_world(tmp_path_factory.mktemp("world"), NAME, 8)


@pytest.fixture
def unshipped(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program without a label model, so that labels need no other encoder."""
    monkeypatch.setattr(records, "shipped", dict)


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = sorted((Path("boards") / NAME / "data").glob("*.tsv"))
    return tiny_encoder(tmp_path_factory.mktemp("encoder"),
                        [file.read_text().replace("\t", " ") for file in data])


def predict(encoder: Path, out: Path, *more: str) -> int:
    return main(["predict", "cckg", "--board", NAME, "--split", "dev", "--encoder", str(encoder),
                 "--date", "2026-11-22", "--home", str(out / "home"), "--out",
                 str(out / "submissions" / NAME / "us" / "paths"), *more])


@pytest.mark.models
@pytest.mark.slow
@pytest.mark.usefixtures("unshipped")
def test_a_submission_and_its_triplets_are_written_without_training(
    encoder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    knowledge, listed = wrote(tmp_path / "kb.tsv", MORE), tmp_path / "triplets.tsv"
    more = ("--knowledge", str(knowledge), "--triplets", str(listed))
    assert predict(encoder, tmp_path, *more) == 0
    folder = tmp_path / "submissions" / NAME / "us" / "paths"
    assert main(["check", str(folder)]) == 0
    assert "8 graphs keep every constraint" in capsys.readouterr().out
    said = (folder / "submission.yaml").read_text()
    for words in ("of 8 items have the null graph", "kb.tsv (SHA-256 ", "Every label is ",
                  "constraints enforced in decoding", "nothing is drawn"):
        assert words in " ".join(said.split())
    lines = [line.split("\t") for line in listed.read_text().splitlines()]
    assert [line[0] for line in lines[:6]] == [
        "#format", "#board", "#split", "#knowledge", "#encoder", "#bringing"]
    assert lines[6] == ["item", "head", "relation", "tail", "head_from", "tail_from"]
    assert {line[0] for line in lines[7:]} <= {str(number) for number in range(1, 9)}
    assert {line[2] for line in lines[7:]} <= {
        "is a", "causes", "has context", "desires", "RelatedTo", "capable of"}
    assert {side for line in lines[7:] for side in line[4:]} <= {
        "premise", "conclusion", "both", "neither"}
    first = [path.read_bytes() for path in (listed, *sorted(folder.iterdir()))]
    assert predict(encoder, tmp_path, *more) == 0
    assert [path.read_bytes() for path in (listed, *sorted(folder.iterdir()))] == first


@pytest.mark.models
@pytest.mark.slow
@pytest.mark.usefixtures("unshipped")
def test_some_items_of_the_practice_board_get_graphs_of_the_knowledge_base(
    encoder: Path, tmp_path: Path
) -> None:
    golds = read_golds(load(NAME, Path("boards")), "dev", Path("boards") / NAME / "data/dev.tsv")
    triples = {"\t".join(edge) for gold in golds.items[:6] for edge in gold.graphs[0].edges}
    knowledge = wrote(tmp_path / "kb.tsv", "\n".join(sorted(triples)))
    null = Path("submissions") / NAME / "reference" / "null" / "predictions.dev.tsv"
    counts = []
    for more in ((), ("--no-constraints",)):
        out = tmp_path / str(len(more))
        assert predict(encoder, out, "--knowledge", str(knowledge), *more) == 0
        written = out / "submissions" / NAME / "us" / "paths" / "predictions.dev.tsv"
        graphs, nulls = ([line.split("\t")[1] for line in path.read_text().splitlines()]
                         for path in (written, null))
        counts.append(sum(a != b for a, b in zip(graphs, nulls, strict=True)))
    assert 3 <= counts[0] < counts[1] == 8


@pytest.mark.models
def test_faults_of_the_user_are_told(
    encoder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(code: int, said: str, found: int) -> None:
        assert found == code
        assert said in capsys.readouterr().err

    fails(2, "cckg needs no training", main(
        ["train", "cckg", "--board", NAME, "--out", str(tmp_path)]))
    fails(2, "kb.tsv:1: 1 column", predict(
        encoder, tmp_path, "--knowledge", str(wrote(tmp_path / "kb.tsv", "wrong\n"))))
    fails(2, "cannot be read", predict(encoder, tmp_path, "--knowledge", str(tmp_path)))
    fails(2, "--external is no option of cckg", predict(
        encoder, tmp_path, "--external", "retrieved"))
    fails(2, "takes one split", predict(
        encoder, tmp_path, "--split", "test", "--triplets", str(tmp_path / "list")))
    fails(2, "train cannot be asked for", predict(encoder, tmp_path, "--split", "train"))
    fails(3, "no model.safetensors", predict(tmp_path / "nothing", tmp_path))
    fails(2, "is for boards of the task", main(
        ["predict", "cckg", "--board", "anli-practice", "--split", "dev", "--out",
         str(tmp_path / "submissions" / "anli-practice" / "us" / "paths")]))
