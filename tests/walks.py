"""The commands of a page of ours, to be run as they stand there."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def commands(page: Path) -> str:
    """Every line of shell that a page shows, in order."""
    return "\n".join(re.findall(r"^```sh\n(.*?)^```$", page.read_text("utf-8"), re.M | re.S))
