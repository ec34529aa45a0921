"""A data folder of made-up items, laid out like that of the ExplaGraphs board."""

from pathlib import Path

from scorer.training.rows import STANCES

FINAL = "(trains; has property; clean)(clean; is a; good)(trains; is a; good)"
FIRST = "(trains; is a; good)(good; is a; clean)"


def made_up_data(folder: Path) -> Path:
    """40 items of 40 beliefs; three quarters of them have a first graph unlike the last."""
    lines, rounds = [], []
    for n in range(40):
        texts = f"Trains number {n} are good.\tTrains are clean.\t{STANCES[n % 2]}"
        lines.append(f"{texts}\t{FINAL}")
        rounds.append(f"{texts}\t{FINAL if n % 4 == 0 else FIRST}\t{FINAL}")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "train.tsv").write_text("\n".join(lines) + "\n")
    (folder / "dev.tsv").write_text("\n".join(lines[:6]))
    (folder / "refinement_graphs_train.tsv").write_text("\n".join(rounds) + "\n")
    return folder
