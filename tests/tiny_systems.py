"""Systems in seconds: a small board, a tiny random encoder, and the words of commands."""

import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from scorer.core.files import sha256
from scorer.lab.systems.records import Data

BOARDS = Path("boards")
DATE = "2026-11-22"


def in_small_world(root: Path, board: str, rows: int) -> Iterator[Path]:
    """Work in a folder with a board and its reference rows, each split but train of so many rows;
    other boards are there as they are."""
    shutil.copytree(BOARDS / board, root / "boards" / board)
    for other in BOARDS.iterdir():
        if other.name != board:
            (root / "boards" / other.name).symlink_to(other.resolve())
    shutil.copytree(Path("submissions") / board / "reference",
                    root / "submissions" / board / "reference")
    about = root / "boards" / board / "board.yaml"
    for file in [*(root / "boards" / board / "data").glob("*.tsv"),
                 *(root / "submissions").rglob("predictions.*.tsv")]:
        if file.stem != "train":
            file.write_text("".join(file.read_text("utf-8").splitlines(True)[:rows]), "utf-8")
        about.write_text(re.sub(
            rf"({file.stem}: {{file: {file.name}, rows: )\d+(,.* sha256: )[0-9a-f]{{64}}",
            lambda line, file=file: (f"{line[1]}{len(file.read_text('utf-8').splitlines())}"
                                     f"{line[2]}{sha256(file.read_bytes())}"),
            about.read_text("utf-8")), "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        yield root


def fixed(patch: pytest.MonkeyPatch, course: Any, **settings: Any) -> None:
    """Have a kind of course with these settings, whatever is asked."""
    patch.setattr(course, "of", classmethod(lambda cls, _, **more: cls(**{**more, **settings})))


class ByHeart(Data):
    """Learns from everything, and is measured on it."""

    def parts(self, seed: int) -> tuple[list[Any], list[Any]]:
        return [*self.golds], [*self.golds]


def train(system: str, board: str, out: Path, *more: str) -> list[str]:
    return ["train", system, "--board", board, "--out", str(out), *more]


def predict(system: Path | str, out: Path, *more: str, split: str = "dev") -> list[str]:
    """``out``: as ``submission`` gives it."""
    return ["predict", str(system), "--board", out.parent.parent.name, "--split", split,
            "--out", str(out), "--date", DATE, *more]


def submission(folder: Path, board: str, system: str = "system") -> Path:
    return folder / "submissions" / board / "us" / system


Fails = Callable[..., None]
"""The fixture ``fails``."""


def board_encoder(factory: pytest.TempPathFactory, board: str) -> Path:
    """A tiny encoder that knows the words of a board."""
    files = sorted((BOARDS / board / "data").glob("*.tsv"))
    return tiny_encoder(factory.mktemp("encoder"),
                        [file.read_text().replace("\t", " ") for file in files])


def tiny_encoder(folder: Path, texts: Iterable[str]) -> Path:
    """Two layers of width 64 that know the words of some texts."""
    tokenizers = pytest.importorskip("tokenizers")
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    words = sorted({word for text in texts for word in text.lower().replace(".", " . ").split()})
    special = {f"{name}_token": f"[{name.upper()}]" for name in ("pad", "unk", "cls", "sep")}
    known = {word: place for place, word in enumerate([*special.values(), *words])}
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel(known, special["unk_token"]))
    made.normalizer = tokenizers.normalizers.Lowercase()
    made.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    made.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(name, known[name]) for name in ("[CLS]", "[SEP]")])
    transformers.PreTrainedTokenizerFast(tokenizer_object=made, **special).save_pretrained(folder)
    torch.manual_seed(5)
    transformers.BertModel(transformers.BertConfig(
        vocab_size=len(known), hidden_size=64, num_hidden_layers=2, num_attention_heads=4,
        intermediate_size=128, max_position_embeddings=256, initializer_range=0.1,
        hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0,
    )).save_pretrained(folder)
    return folder


END = "<|endoftext|>"


def tiny_gpt2(folder: Path, texts: Iterable[str] = (), words: int = 257, **config: Any) -> Path:
    """A GPT-2 of random weights whose tokenizer knows bytes, and what is frequent in some texts."""
    tokenizers = pytest.importorskip("tokenizers")
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    tokenizer.train_from_iterator(texts, tokenizers.trainers.BpeTrainer(
        vocab_size=words, special_tokens=[END], show_progress=False,
        initial_alphabet=sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())))
    sizes = {"n_embd": 16, "n_layer": 1, "n_head": 2, "n_positions": 4096, **config}
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, model_max_length=sizes["n_positions"],
        **dict.fromkeys(("eos_token", "bos_token", "unk_token", "pad_token"), END),
    ).save_pretrained(folder)
    torch.manual_seed(5)
    transformers.GPT2LMHeadModel(transformers.GPT2Config(
        vocab_size=tokenizer.get_vocab_size(), bos_token_id=0, eos_token_id=0, embd_pdrop=0.0,
        resid_pdrop=0.0, attn_pdrop=0.0, **sizes)).save_pretrained(folder)
    return folder
