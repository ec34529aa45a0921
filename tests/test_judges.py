"""SeCA and EA with a made-up judge, the real judge code with a tiny random model, and the judges
that come with the program: small, whole, and what their cards say they are."""

import json
import shutil
import socket
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scorer import boards
from scorer.core.errors import NotMeasured
from scorer.core.files import sha256, sha256_file
from scorer.core.records import TextPair
from scorer.lab.training import evaluate
from scorer.lab.training.edits import DEV, read_items
from scorer.metrics.base import READ_AT_ONCE
from scorer.metrics.catalogue import METRICS
from scorer.metrics.judged import ea, seca
from scorer.models import judge_card as cards
from scorer.models import sources
from scorer.models.judge_card import Card
from scorer.models.known import ENCODERS, JUDGES
from scorer.models.registry import Models
from tests import case_files
from tests.fakes import WordJudge
from tests.tiny_judges import (
    LABELS,
    made_up_pairs,
    tiny_adapter,
    tiny_encoder,
    tiny_judge,
    with_tokenizer,
    write_card,
)

CHAIN = (("trains", "causes", "support"), ("support", "is a", "goal"), ("goal", "desires", "x"))


def test_seca_asks_whether_the_judge_infers_the_gold_label() -> None:
    right, wrong, tie = seca([("b", CHAIN, "support"), ("b", CHAIN, "counter"),
                              ("b", (("a", "r", "c"),), "support")], judge=WordJudge(LABELS))
    assert (right.value, wrong.value) == (1, 0)
    assert right.parts["p support"] == pytest.approx(3 / 5, abs=1e-6)  # 1 + 2 of 3 + 2
    assert tie.value == 1, "a tie goes to the first label"


def test_ea_is_the_share_of_edges_without_which_the_judge_is_less_sure() -> None:
    [score] = ea([("b", "a", CHAIN, "support")], judge=WordJudge(LABELS[:2]))
    # support occurs in two edges; without either the share falls from 3/4 to 2/3
    assert score.value == score.parts["decided"] == 2 / 3
    assert score.parts["smallest difference"] == 0
    # 3/4 - 2/3 for the edges that have the word; nothing for the one that has not
    drops = [score.parts[f"edge {number}"] for number in (1, 2, 3)]
    assert sorted(drops) == pytest.approx([0, 3 / 4 - 2 / 3, 3 / 4 - 2 / 3], abs=1e-6)


def test_an_edge_that_the_judge_does_not_read_has_no_importance() -> None:
    # of two edges over the same concepts the last relation stays, as in the released code
    edges = (("a", "support", "b"), ("a", "r", "b"), ("b", "support", "c"))
    [score] = ea([("b", "a", edges, "support")], judge=WordJudge(LABELS[:2]))
    assert {name for name in score.parts if name.startswith("edge ")} == {"edge 2", "edge 3"}


class NoPairs(WordJudge):
    """Like the real judge, for no pairs: an empty table."""

    def probabilities(self, pairs: Any) -> Any:
        assert not pairs
        return np.zeros((0, len(self.labels)), np.float32)


def fan(count: int) -> tuple[tuple[str, str, str], ...]:
    """So many edges from one concept, one of them with the word that ``WordJudge`` looks for."""
    return (("a", "causes", "support"), *(("a", "is a", f"b{at}") for at in range(count - 1)))


def test_a_graph_of_too_many_edges_counts_0_flagged_and_the_judge_is_not_asked() -> None:
    many, among = ("b", "a", fan(33), "support"), ("b", "a", CHAIN, "support")
    wanted = (0, {"decided": 0}, "more than 32 edges, which are not judged")
    assert ea([many], judge=NoPairs(LABELS[:2])) == [wanted]
    judge = WordJudge(LABELS[:2])
    [one] = ea([among], judge=judge)
    assert ea([among, many, among], judge=judge) == [one, wanted, one]
    # Edges over the same concepts are one of those that are judged.
    [score] = ea([("b", "a", (*fan(32), *fan(32)), "support")], judge=judge)
    assert (score.value, score.flag) == (1 / 32, None)
    assert "edges:32" in METRICS["EA"].signature
    assert ea([], judge=NoPairs(LABELS[:2])) == seca([], judge=NoPairs(LABELS)) == []


class Counting(WordJudge):
    """Counts the characters that it reads at once."""

    most = 0

    def probabilities(self, pairs: Any) -> Any:
        self.most = max(self.most, sum(len(text) for pair in pairs for text in pair))
        return super().probabilities(pairs)


@pytest.mark.parametrize("metric", [ea, seca])
def test_a_judge_reads_a_file_of_large_graphs_in_portions(metric: Any) -> None:
    word = "x" * 300
    edges = tuple((f"a{at} {word}", "is a", f"b{at} {word}") for at in range(31))
    texts = ("b", "a") if metric is ea else ("b",)
    items = [(*texts, (*edges, ("a", "causes", f"support {at}")), "support") for at in range(128)]
    judge = Counting(LABELS[:2])
    scores = metric(items, judge=judge)
    assert judge.most <= READ_AT_ONCE + 33 * 32 * 650
    assert scores == [one for item in items for one in metric([item], judge=judge)]


def test_where_the_small_judges_are_missing_the_reason_names_the_option(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "EMBEDDED", tmp_path)
    for ask in (Models(), Models().tag):
        with pytest.raises(NotMeasured, match=(
                "no adapter 'ea-minilm' comes with this version, and there is no such folder; name "
                "another source with --model NAME=SOURCE")):
            ask("ea")


# ---- the real judge code ---------------------------------------------------------------------


def plain_loop(folder: Path, pairs: list[TextPair]) -> Any:
    """As the released scripts: batches of 8, padded to 128."""
    import torch
    from transformers import AutoTokenizer, BertForSequenceClassification

    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    model = BertForSequenceClassification.from_pretrained(folder).eval()
    rows = []
    for start in range(0, len(pairs), 8):
        batch = pairs[start : start + 8]
        inputs = tokenizer(
            [pair.first for pair in batch], [pair.second for pair in batch], padding="max_length",
            truncation="longest_first", max_length=128, return_tensors="pt",
        )
        with torch.inference_mode():
            rows.append(torch.softmax(model(**inputs).logits, dim=-1).numpy())
    return np.concatenate(rows)


@pytest.mark.models
def test_the_batched_judge_decides_as_the_plain_padded_loop(tmp_path: Path) -> None:
    folder = tiny_judge(tmp_path / "judge")
    judge = Models({"seca": str(folder)})("seca")
    pairs = made_up_pairs()
    ours, plain = judge.probabilities(pairs), plain_loop(folder, pairs)
    assert np.abs(ours - plain).max() < 1e-5
    assert (ours.argmax(axis=1) == plain.argmax(axis=1)).all()
    assert (ours == judge.probabilities(pairs)).all()
    assert len(set(plain.argmax(axis=1))) > 1  # the comparison is about something


# ---- what may be wrong with a judge's files --------------------------------------------------


def refused(source: Path | str, reason: str) -> None:
    """Loading gives this reason, in one sentence that names the option."""
    with pytest.raises(NotMeasured, match=reason) as caught:
        Models({"seca": str(source)})("seca")
    assert "\n" not in str(caught.value)


@pytest.mark.models
def test_weights_that_are_no_judge_s_are_a_reason_and_no_traceback(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    folder = tiny_judge(tmp_path / "judge")
    path = folder / "model.safetensors"
    for setting, size, reason in (
            ("max_position_embeddings", 64, "reads 64 tokens at most; expected 128"),
            ("vocab_size", 1000, "the tokenizer knows 30522 tokens, the judge 1000")):
        config = transformers.AutoConfig.from_pretrained(folder)
        setattr(config, setting, size)
        transformers.BertForSequenceClassification(config).save_pretrained(tmp_path / setting)
        refused(with_tokenizer(tmp_path / setting), reason)
    path.write_bytes(path.read_bytes()[:-1000])
    refused(folder, "model seca cannot be loaded from .*SafetensorError.* --model seca=SOURCE")
    refused(tiny_judge(tmp_path / "two", LABELS[:2]), "has 2 labels; expected 3")
    refused(tiny_judge(tmp_path / "turned", (LABELS[1], LABELS[0], LABELS[2])),
            "labels are counter, support, incorrect; expected")
    refused(tiny_encoder(tmp_path / "headless"), "its weights lack classifier.bias, so it is no "
            "trained classifier; name another with --model seca=SOURCE")


@pytest.mark.models
def test_outputs_that_are_not_numbers_are_a_reason(tmp_path: Path) -> None:
    folder, cache = tiny_judge(tmp_path / "judge"), tmp_path / "texts.sqlite"
    change(folder / "model.safetensors", "classifier.bias", float("nan"))
    judge = Models({"seca": str(folder)}, cache=cache)("seca")
    for _ in range(2):  # nothing of it is remembered
        with pytest.raises(NotMeasured, match=r"outputs are not numbers.*--model NAME=SOURCE"):
            judge.probabilities(made_up_pairs())


def change(path: Path, name: str, value: float) -> None:
    """Fill one tensor of a file with a value."""
    from safetensors.torch import load_file, save_file

    weights = load_file(path)
    weights[name] = weights[name] * 0 + value
    save_file(weights, path, {"format": "pt"})


def test_missing_weights_are_a_reason(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "nowhere"):
        refused(folder, "no model.safetensors in .*; name another source with --model")


@pytest.mark.claim("Weights in a format that can run code are refused.")
def test_pickled_weights_are_a_reason_that_says_how_to_convert_them(tmp_path: Path) -> None:
    (tmp_path / "pytorch_model.bin").write_bytes(b"code")
    refused(tmp_path, r"pytorch_model.bin, which can run code, and no model.safetensors; convert "
            r"it once as `scorer handbook judges` shows")


# ---- adapters --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("originals")
    tiny_adapter(folder / "adapter", tiny_encoder(folder / "base"))
    return folder


@pytest.fixture
def adapter(tmp_path: Path, originals: Path) -> Path:
    """An adapter, on a base in the folder beside it."""
    shutil.copytree(originals, tmp_path, dirs_exist_ok=True)
    write_card(tmp_path / "adapter", tmp_path / "base")
    return tmp_path / "adapter"


@pytest.fixture
def base(adapter: Path) -> Path:
    return adapter.parent / "base"


@pytest.mark.parametrize("library", ["torch", "peft"])
@pytest.mark.models
def test_a_missing_library_is_a_reason_with_the_command(
    library: str, adapter: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if library == "torch":
        monkeypatch.delitem(sys.modules, "scorer.models.transformers_judge", raising=False)
    monkeypatch.setitem(sys.modules, library, None)
    refused(f"adapter:{adapter}", rf"model seca needs the models extra \({library} is missing\): "
            r"pip install 'whyboard\[models\]'")


@pytest.mark.models
def test_an_adapter_is_merged_into_its_base(
    adapter: Path, base: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    import torch
    from peft import PeftModel
    from transformers import AutoModelForSequenceClassification

    from scorer.models.loading import quietly

    pairs = made_up_pairs()
    ours = Models({"seca": f"adapter:{adapter}"})("seca").probabilities(pairs)
    assert capfd.readouterr() == ("", "")
    with quietly(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # libraries of each other
        plain = AutoModelForSequenceClassification.from_pretrained(base, num_labels=3)
        whole = PeftModel.from_pretrained(plain, adapter).merge_and_unload()
    whole.save_pretrained(adapter / "whole")
    assert np.abs(ours - plain_loop(with_tokenizer(adapter / "whole"), pairs)).max() < 1e-5
    assert (ours[0] != ours[1]).any()
    assert torch.is_inference_mode_enabled() is False


@pytest.mark.models
def test_an_adapters_digest_covers_base_matrices_and_settings(adapter: Path, base: Path) -> None:
    models = Models({"seca": f"adapter:{adapter}"})
    digests = "".join(f"{sha256_file(path)}\n" for path in (
        base / "model.safetensors", adapter / "adapter_model.safetensors",
        adapter / "adapter_config.json"))
    tag = f"judge:seca-T128-steady-{sha256(digests.encode())[:12]}"
    assert models.tag("seca") == tag
    shutil.rmtree(base)  # a signature does without
    assert models.tag("seca") == tag
    refused(f"adapter:{adapter}", "no model.safetensors in ")


@pytest.mark.models
def test_an_adapter_whose_card_does_not_fit_is_refused(adapter: Path, base: Path) -> None:
    path = adapter / "card.json"
    weights = json.loads(path.read_text())["base"]["weights"]
    for reason, other in (
            ("labels are counter, support, incorrect; expected support",
             {"labels": ["counter", "support", "incorrect"]}),
            ("reads 64 tokens; expected 128", {"most_tokens": 64}),
            ("is an adapter of an adapter",
             {"base": {"source": f"adapter:{adapter}", "weights": weights}})):
        write_card(adapter, base, **other)
        refused(f"adapter:{adapter}", reason)
    for card in ("{}", '{"base": 3}', "null", "[" * 100_000):
        path.write_text(card)
        refused(f"adapter:{adapter}", "card.json is not a judge's card; make it with scorer judge")


@pytest.mark.models
def test_an_adapter_whose_files_are_missing_or_others_is_a_reason(
    adapter: Path, base: Path
) -> None:
    matrices = adapter / "adapter_model.safetensors"
    whole, weights = matrices.read_bytes(), base / "model.safetensors"
    change(matrices, "base_model.model.classifier.bias", 1.0)
    refused(f"adapter:{adapter}", "has digest .*, but its card says .*; fetch its files again")
    matrices.write_bytes(whole[:-10])
    write_card(adapter, base)
    refused(f"adapter:{adapter}", "cannot be loaded from .*SafetensorError")
    matrices.write_bytes(whole)
    write_card(adapter, base)
    change(weights, "pooler.dense.bias", 1.0)
    refused(f"adapter:{adapter}", "was made from weights with SHA-256 .*; install the base")
    for name in ("card.json", "adapter_config.json", "adapter_model.safetensors"):
        (adapter / name).unlink()
        refused(f"adapter:{adapter}", f"no {name} in adapter:")


CONFIGURED = case_files.read("adapters.yaml")


@pytest.mark.models
@pytest.mark.parametrize(("setting", "reason"), CONFIGURED)
def test_an_adapters_settings_are_checked_before_peft_sees_them(
    setting: dict[str, Any], reason: str, adapter: Path, base: Path
) -> None:
    path = adapter / "adapter_config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | setting))
    write_card(adapter, base)
    refused(f"adapter:{adapter}",
            f"model seca of .* cannot be used: .*{reason}.*--model seca=SOURCE")


@pytest.mark.models
def test_an_adapter_never_asks_the_network(
    adapter: Path, base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> Any:
        raise AssertionError("the network was asked")

    path = adapter / "adapter_config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {
        "base_model_name_or_path": "evil/model", "auto_mapping": {"parent_library": "evil"}}))
    write_card(adapter, base)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    assert len(Models({"seca": f"adapter:{adapter}"})("seca").probabilities(made_up_pairs())) == 42


# ---- the judges that come with the program -----------------------------------------------------

ROOT = Path(__file__).resolve().parent.parent
CARDS = cards.find([cards.EMBEDDED])


def test_every_judge_has_an_embedded_default() -> None:
    assert {info.source for info in JUDGES.values()} == {f"adapter:{card.name}" for card in CARDS}


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.name)
def test_an_embedded_judge_is_small_and_of_the_pinned_base(card: Card) -> None:
    folder = cards.EMBEDDED / card.name
    assert sum(path.stat().st_size for path in folder.iterdir()) < 10**6
    assert sources.digest(f"adapter:{card.name}") == card.weights
    assert card.base["weights"] == ENCODERS["minilm-l6"].weights
    assert card.labels == JUDGES[card.judge].labels


@pytest.mark.claim("The SeCA judge that comes with the program is not fit to rank, and the "
                   "documents say so.")
def test_the_embedded_seca_judge_is_not_fit_as_readme_and_decision_say() -> None:
    [card] = [card for card in CARDS if card.judge == "seca"]
    assert card.fitness is not None
    assert not card.fitness.fit


@pytest.mark.claim("The judges that come with the program answer as their cards say.")
@pytest.mark.models
@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.name)
def test_the_judge_answers_dev_as_its_card_says(card: Card, data: Path) -> None:
    dev = read_items(data / "explagraphs" / DEV)
    sets = (evaluate.ea_sets([], dev) if card.judge == "ea"
            else evaluate.seca_sets([], dev, boards.load("explagraphs")))
    _, about, pairs, expected = next(one for one in sets if one[0] == cards.DEV_GOLD)
    judge, kept = Models()(card.judge), card.evaluation(cards.DEV_GOLD)
    assert kept is not None
    assert evaluate.evaluation(cards.DEV_GOLD, about, judge.labels, expected,
                               judge.probabilities(pairs)).confusion == kept.confusion
