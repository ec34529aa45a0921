"""Two made boards of narratives with hostile text in every field that a stranger writes."""

from __future__ import annotations

from pathlib import Path

from tests.browser.tiny_site import (
    CLOSE,
    HEBREW,
    IMAGE,
    LINK,
    MANY,
    MARKS,
    PLAIN,
    QUOTE,
    SCRIPT,
    SLY,
    TEMPLATE,
    add_board,
    add_submission,
    copy_pages,
    score_all,
)

ITEMS = (
    ("r-1", "Ann left two cups of tea on the table.",
     "The floor was wet and the cat looked guilty.", "The cat jumped onto the table.",
     "Ann drank her tea in the garden, and then a second cup.", "1"),
    ("r-2", "The bus was late again.", "Tom was happy to be at work early.",
     "Tom waited for it and read.", "Tom took his bicycle.", "2"),
    (f"r-3 {SCRIPT}", f"An attacker wrote {IMAGE} {TEMPLATE}.", f"Nothing happened {LINK} {QUOTE}.",
     f"Everything was escaped {CLOSE} {MARKS}.", f"Somebody had it run {MANY} {HEBREW}.", "1"),
)
"""Ids, observations, hypotheses and labels."""

CONTEXTS = (
    ("The bus was late again.", "Tom was happy to be at work early.",
     ("Tom took his bicycle.", "A neighbour gave Tom a lift.")),
    ("Ann left two cups of tea on the table.", "The cat looked guilty.",
     ("The cat jumped onto the table.",)),
    (f"An attacker wrote {IMAGE}.", f"Nothing happened {QUOTE}.",
     (f"Everything was escaped {SCRIPT} {CLOSE}.", f"{MANY} {HEBREW}", TEMPLATE)),
)
"""Observations and references."""

TEXTS = {
    ("sly-team", "payloads"): ("", f"The cat {SCRIPT} {IMAGE} {HEBREW}",
                               f"{CLOSE} {QUOTE} {TEMPLATE} {MARKS} {MANY[:300]}"),
    ("fair-team", "tales"): ("Tom took his old bicycle.", "Her cat jumped onto the table.",
                             "Everything was escaped."),
}
LABELS = {("sly-team", "payloads"): "212", ("fair-team", "tales"): "122"}


def make_narrative_root(folder: Path, examples: str = "public") -> Path:
    """A checkout with both boards and two scored submissions each."""
    copy_pages(folder)
    add_board(folder, "riddles", ITEMS, like="anli-practice", title=f"riddles {IMAGE}",
              metrics=["accuracy"], examples=examples)
    add_board(
        folder, "tales", [(*texts, *references) for *texts, references in CONTEXTS],
        like="anlg-practice", title=f"tales {IMAGE}", ranking=["ROUGE-L"], examples=examples,
        metrics=["BLEU-1", "BLEU-2", "ROUGE-L", "CIDEr"],
        settings={"most_references": 3, "null": "obs1"})
    for (team, system), texts in TEXTS.items():
        known = SLY if team == "sly-team" else PLAIN | {"system": f"{team} {system}"}
        # With ids before them, because a line may not be empty.
        keyed = [f"{number}\t{text}" for number, text in enumerate(texts, 1)]
        for board, lines in (("tales", ["context_id\thypothesis", *keyed]),
                             ("riddles", list(LABELS[team, system]))):
            add_submission(folder, board, team, system, known, lines)
    score_all(folder)
    return folder
