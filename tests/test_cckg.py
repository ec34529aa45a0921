"""Commonsense graphs of arguments: knowledge bases, shortest paths, pruning, constraints."""

import gzip
import json
import random
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
from scorer.lab.systems.cckg.graphs import (
    ConceptNetwork,
    Context,
    Cutter,
    Fitter,
    Remembered,
    Weighted,
    context_of,
    of_triples,
)
from scorer.lab.systems.cckg.knowledge import Knowledge, knowledge_of, read
from scorer.tasks.graphs.constraints import findings
from tests.tiny_systems import board_encoder, in_small_world

RELATIONS = ("is a", "causes", "not causes", "antonym of", "used for")


class Letters:
    """Vectors of the words of a text, as many axes as different words: cosines by counting."""

    def __init__(self) -> None:
        self.sentences: list[str] = []
        self._axes: dict[str, int] = {}

    def means(self, sentences: list[str]) -> NDArray[np.float32]:
        self.sentences += sentences
        vectors = np.zeros((len(sentences), 512), np.float32)
        for row, sentence in zip(vectors, sentences, strict=True):
            for word in sentence.lower().replace(".", "").split():
                row[self._axes.setdefault(word, len(self._axes))] += 1
        return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)


def knowledge(*triples: str) -> Knowledge:
    return knowledge_of((Edge(*triple.split("; ")) for triple in triples), "a test")


def context(base: Knowledge, premise: str, conclusion: str) -> Context:
    """What the base has to do with an argument, whose texts bring the concepts of one triple."""
    encoder = Letters()
    vectors = encoder.means(base.sentences(0, 1000)).astype("float16")
    return context_of(vectors, Remembered(encoder), (conclusion, premise), 1)


def sides(base: Knowledge, premise: str, conclusion: str) -> dict[Edge, tuple[str, str]]:
    """The edges of an argument's graph, and which text brought their ends."""
    graph = Cutter(base, Remembered(Letters())).graph(context(base, premise, conclusion))
    return {edge: (head, tail) for edge, head, tail in graph}


def test_triples_are_kept_once_in_the_order_of_their_names():
    base = knowledge("b; is a; c", "a; causes; c", "b; is a; c", "b; causes; a", "c; is a; c")
    assert base.sentences(0, 9) == ["a causes c", "b causes a", "b is a c"]


def test_of_equal_paths_the_first_by_name_is_taken_and_of_equal_triples_too():
    base = knowledge("a; is a; c", "c; is a; d", "a; is a; b", "b; used for; d", "b; is a; d")
    weighted = Weighted(ConceptNetwork(base), np.full(5, 7.0))
    first, last = (base.numbers[name] for name in "ad")
    pairs = weighted.path(weighted.distances([first])[first], first, last)
    assert [" ".join(base.edge(weighted.triple(pair))) for pair in pairs] == [
        "b is a d", "a is a b"]


@pytest.mark.claim("Distances in a knowledge base are those of networkx on random networks.")
def test_distances_are_those_of_networkx_on_random_networks():
    rng = random.Random(5)
    for _ in range(20):
        triples = {(f"c{rng.randrange(12):02}", rng.choice(RELATIONS), f"c{rng.randrange(12):02}")
                   for _ in range(25)}
        base = knowledge_of((Edge(*triple) for triple in triples), "a test")
        costs = np.array([float(rng.randrange(1, 9)) for _ in base.triples])
        other = networkx.Graph()
        other.add_nodes_from(range(len(base.concepts)))
        for (head, _, tail), weight in zip(base.triples.tolist(), costs, strict=True):
            before = other.edges[head, tail]["weight"] if other.has_edge(head, tail) else 99
            other.add_edge(head, tail, weight=min(before, weight))
        weighted = Weighted(ConceptNetwork(base), costs)
        ours = weighted.distances([*range(len(base.concepts))])
        for source, distances in networkx.all_pairs_dijkstra_path_length(other):
            for target in other:
                assert ours[source][target] == distances.get(target, float("inf"))
                if target in distances and source != target:
                    pairs = weighted.path(ours[source], source, target)
                    assert sum(costs[weighted.triple(pair)] for pair in pairs) == distances[target]


def test_a_graph_is_cut_out_by_the_triples_nearest_to_both_texts():
    # "cats purr" is nearest to (cats; causes; purr), "joy is good" to (joy; is a; good). Between
    # them, the way over calm shares no word with the texts; the way over purr shares two.
    base = knowledge("cats; causes; purr", "purr; causes; joy", "joy; is a; good",
                     "cats; is a; calm", "calm; is a; rest", "rest; is a; good")
    assert sides(base, "cats purr", "joy is good") == {
        ("cats", "causes", "purr"): ("premise", "premise"),
        ("purr", "causes", "joy"): ("premise", "conclusion"),
        ("joy", "is a", "good"): ("conclusion", "conclusion")}


def test_what_both_texts_bring_is_of_both_and_what_lies_between_of_neither():
    base = knowledge("cats; causes; purr", "purr; causes; rest", "rest; is a; joy",
                     "joy; is a; good")
    assert {*sides(base, "cats purr", "cats purr").values()} == {("both", "both")}
    assert sides(base, "cats purr", "joy good")["purr", "causes", "rest"] == ("premise", "neither")
    apart = knowledge("a; is a; b", "c; is a; d")  # no path leads from one to the other
    assert len(sides(apart, "a b", "c d")) == 2


def test_pruning_removes_what_nothing_hangs_on_and_keeps_every_connection():
    # Equal ways lead from a to c, and from c to e: over b and over d. One of each is enough, and
    # the concept nearer to the texts stays.
    base = knowledge("a; is a; b", "b; is a; c", "b; is a; d", "c; is a; e", "d; is a; e",
                     "e; is a; f", "x; is a; c")
    network = ConceptNetwork(base)
    left = Cutter(base, Remembered(Letters()))._pruned(
        {*range(len(network.pairs))},
        {base.numbers["a"]: "premise", base.numbers["f"]: "conclusion"}, "a d f")
    names = {base.concepts[end] for pair in left for end in network.pairs[pair]}
    assert names == {"a", "b", "d", "e", "f"}


BOARD = load("explagraphs-practice", Path("boards")).settings
TEXTS = ("Cats are good pets.", "Cats purr and calm people.")
CHAIN = ("purr; causes; calm", "calm; is a; rest", "rest; causes; good", "cats; is a; pets",
         "pets; desires; calm")


def fitted(*triples: str) -> str | None:
    """The graph that is grown for an item of the board, which keeps its constraints."""
    base = knowledge(*triples)
    graph = Fitter(base, Remembered(Letters()), BOARD).graph(context(base, *TEXTS[::-1]), TEXTS)
    assert graph is None or not findings(BOARD, TEXTS, graph).broken
    return graph and graph.text


def test_a_graph_for_a_board_keeps_its_constraints_or_there_is_none():
    assert fitted(*CHAIN) is not None
    assert fitted("cat; is a; pet", "pet; desires; calm", "purr; causes; calm") is not None  # cat|s
    assert fitted("dogs; is a; good", "good; causes; joy", "joy; causes; dogs") is None
    assert fitted("purr; causes; calm", "cats; is a; pets") is None


def test_relations_that_a_board_lacks_and_long_concepts_are_not_used_for_it():
    assert fitted(*CHAIN, "purr; RelatedTo; cats") == fitted(*CHAIN)
    assert fitted(*CHAIN, "purr; is a; four words are many", "four words are many; is a; cats") \
        == fitted(*CHAIN)


def wrote(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_triples_are_read_from_tabs(tmp_path):
    file = wrote(tmp_path / "kb.tsv", "Cats\tIsA\tgood  pets\r\ncats\tNotCauses\tallergy\n\n")
    base = read(file, RELATIONS)
    assert [base.edge(number) for number in range(2)] == [
        ("cats", "is a", "good pets"), ("cats", "not causes", "allergy")]
    assert base.source.startswith("kb.tsv (SHA-256 ")


ASSERTIONS = "".join(
    f"/a/[/r/{relation}/,{start}/,{end}/]\t/r/{relation}\t{start}\t{end}\t"
    f"{json.dumps({'dataset': '/d/test', 'weight': weight})}\n"
    for relation, start, end, weight in (
        ("IsA", "/c/en/guinea_pig/n/wn/animal", "/c/en/pet", 1.0),
        ("Antonym", "/c/en/pet", "/c/en/wild_animal", 2),
        ("RelatedTo", "/c/en/pet", "/c/en/joy", 1.5),
        ("IsA", "/c/en/cat", "/c/en/spy", 0.5),
        ("IsA", "/c/en/cat", "/c/fr/chat", 1.0),
        ("Synonym", "/c/de/katze", "/c/de/mieze", 1.0),
        ("IsA", "/c/en/cat", "/c/en/" + "x" * 300, 1.0),
        ("FormOf", "/c/en/cat/n", "/c/en/cat/v", 1.0))).encode()


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_english_assertions_of_enough_weight_are_read_from_conceptnet(tmp_path, pack):
    base = read(wrote(tmp_path / "dump.csv", pack(ASSERTIONS)), RELATIONS)
    assert [base.edge(number) for number in range(len(base.triples))] == [
        ("guinea pig", "is a", "pet"), ("pet", "RelatedTo", "joy"),
        ("pet", "antonym of", "wild animal")]


HEAD = b"/a/x\t/r/IsA\t/c/en/a\t/c/en/b\t"


@pytest.mark.parametrize(("content", "words"), [
    (b"a\tis a\n", r":1: 'a\tis a'; expected head, relation and tail"),
    (b"a\tis a\tb\nc\t\td\n", r":2: 'c\t\td'"),
    (b"a\tis a\tb\x00\n", r":1: 'a\tis a\tb\x00'"),
    (b"a\tis a\t\xff\n", ":1: 'utf-8' codec can't decode byte 0xff"),
    (b"a\tis a\t" + b"x" * 201 + b"\n", ":1: "),
    (b"a\tis a\t" + b"x" * 2_000_000, "1048576 bytes in one"),
    (ASSERTIONS + b"/a/x\t/r/IsA\t/c/en/a\n", ":9: "),
    (HEAD + b"{broken\n", "broken'; expected"),
    (HEAD + b'{"weight": null}\n', ":1: "),
    (HEAD + b"[" * 100_000 + b"\n", ":1: "),
    (b"", "no triple"),
    (b"PK\x03\x04rest", ":1: "),
    (gzip.compress(b"a\tis a\tb\n" * 99, mtime=0)[:-9], "as text or packed by gzip"),
    (gzip.compress(bytes(3_000_000), mtime=0), "1048576 bytes in one"),
], ids=range(14))
def test_a_hostile_file_is_refused_in_words(tmp_path, content, words):
    with pytest.raises(UsageError) as fault:
        read(wrote(tmp_path / "kb", content), RELATIONS)
    assert words in str(fault.value)
    assert len(str(fault.value)) < 400


def test_a_small_file_that_unpacks_to_very_much_is_left_early(tmp_path):
    bomb = wrote(tmp_path / "bomb.gz", gzip.compress(b"a\tis a\tb\n" * 100_000))
    assert bomb.stat().st_size < 10_000
    with pytest.raises(UsageError, match="more than 50 lines"):
        read(bomb, RELATIONS, 50)


def test_vectors_are_computed_once_for_each_encoder(tmp_path):
    base = knowledge(*(f"a{one}; is a; b{one}" for one in range(10)))
    encoder = Letters()
    first = of_triples(base, encoder, "one", tmp_path)
    assert np.array_equal(of_triples(base, encoder, "one", tmp_path), first)
    of_triples(base, encoder, "another", tmp_path)
    assert len(encoder.sentences) == 20


NAME = "explagraphs-practice"
MORE = "".join(f"{line}\n" for line in (
    "tipping\tIsA\trewards", "rewards\tCauses\tgood service", "good service\tHasContext\twaiter",
    "waiter\tDesires\tfair wages", "fair wages\tRelatedTo\ttipping", "guests\tCapableOf\ttipping"))


@pytest.fixture(scope="module", autouse=True)
def world(tmp_path_factory):
    yield from in_small_world(tmp_path_factory.mktemp("world"), NAME, 8)


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    return board_encoder(tmp_path_factory, NAME)


@pytest.fixture
def predict(encoder, monkeypatch):
    """The words that ask for a submission in a folder, with a tiny encoder."""
    system = pytest.importorskip("scorer.lab.systems.cckg.system")
    monkeypatch.setattr(system, "ENCODER", str(encoder))
    return lambda out, *more, board=NAME: [
        "predict", "cckg", "--board", board, "--split", "dev", "--date", "2026-11-22", "--home",
        str(out / "home"), "--out", str(out / "submissions" / board / "us" / "paths"), *more]


@pytest.mark.models
@pytest.mark.slow
def test_a_submission_and_its_triplets_are_written_without_training(predict, tmp_path, capsys):
    golds = read_golds(load(NAME, Path("boards")), "dev", Path("boards") / NAME / "data/dev.tsv")
    triples = {"\t".join(edge) for gold in golds.items[:6] for edge in gold.graphs[0].edges}
    base = wrote(tmp_path / "kb.tsv", MORE + "\n".join(sorted(triples)))
    listed, folder = tmp_path / "triplets.tsv", tmp_path / "submissions" / NAME / "us" / "paths"
    gold, null = (Path("submissions") / NAME / "reference" / name / "predictions.dev.tsv"
                  for name in ("gold", "null"))
    words = predict(tmp_path, "--knowledge", str(base), "--triplets", str(listed),
                    "--labels", str(gold))
    contents = []
    for _ in range(2):
        assert main(words) == 0
        contents.append([path.read_bytes() for path in (listed, *sorted(folder.iterdir()))])
    assert contents[0] == contents[1]
    assert main(["check", str(folder)]) == 0
    assert "8 graphs keep every constraint" in capsys.readouterr().out
    meta = " ".join((folder / "submission.yaml").read_text().split())
    for part in ("of 8 items have the null graph", "kb.tsv (SHA-256 ",
                 "constraints enforced in decoding", "nothing is drawn"):
        assert part in meta
    graphs, nulls = ([line.split("\t")[1] for line in path.read_text().splitlines()]
                     for path in (folder / "predictions.dev.tsv", null))
    assert sum(a != b for a, b in zip(graphs, nulls, strict=True)) >= 3
    lines = [line.split("\t") for line in listed.read_text().splitlines()]
    assert [line[0] for line in lines[:6]] == [
        "#format", "#board", "#split", "#knowledge", "#encoder", "#bringing"]
    assert lines[6] == ["item", "head", "relation", "tail", "head_from", "tail_from"]
    items, *_, before, after = map(set, zip(*lines[7:], strict=True))
    assert items == {str(number) for number in range(1, 9)}
    assert before | after <= {"premise", "conclusion", "both", "neither"}


@pytest.mark.models
def test_faults_of_the_user_are_reported(predict, tmp_path, fails):
    fails(2, "cckg needs no training",
          "train", "cckg", "--board", NAME, "--out", str(tmp_path))
    bad = str(wrote(tmp_path / "kb.tsv", "wrong\n"))
    fails(2, "kb.tsv:1: 'wrong'; expected", *predict(tmp_path, "--knowledge", bad))
    fails(2, "cannot be read", *predict(tmp_path, "--knowledge", str(tmp_path)))
    fails(2, "takes one split", *predict(
        tmp_path, "--split", "test", "--triplets", str(tmp_path / "list")))
    fails(2, "kb.tsv: is read too", *predict(
        tmp_path, "--knowledge", bad, "--triplets", f"{tmp_path}/here/../kb.tsv"))
    fails(2, "list: cannot be written", *predict(tmp_path, "--triplets", f"{bad}/list"))
    fails(2, "train cannot be asked for", *predict(tmp_path, "--split", "train"))
    fails(2, "is for boards of the task", *predict(tmp_path, board="anli-practice"))
