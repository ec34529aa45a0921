"""The commands of a page of ours, run as they stand there, by an installed program."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent


class Walk(NamedTuple):
    """What the commands of a page made."""

    made: Path
    said: str
    environment: dict[str, str]


def commands(page: Path) -> str:
    """Every line of shell that a page shows, in order."""
    return "\n".join(re.findall(r"^```sh\n(.*?)^```$", page.read_text("utf-8"), re.M | re.S))


def walked(page: Path, folder: Path, repository: str, last: str = "") -> Walk:
    """A page's commands in a shell that begins in an empty folder; ``repository``: the folder that
    they make there, ``last``: commands of ours after them.

    pip finds the wheel in a folder, and its dependencies are ours.
    """
    wheels, work = folder / "wheels", folder / "work"
    work.mkdir()
    subprocess.run([sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", wheels,
                    ROOT], check=True, capture_output=True)
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("PYTHON", "WHYBOARD", "PIP_", "GIT_"))}
    packages = next(path for path in sys.path if path.endswith("site-packages"))
    environment |= {
        "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels), "PIP_NO_DEPS": "1",
        "PIP_IGNORE_INSTALLED": "1", "HOME": str(work),
        "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PYTHONPATH": packages, "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    ran = subprocess.run(["bash", "-euc", f"{commands(page)}\n{last}"], cwd=work,
                         env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    made = work / repository
    environment["PATH"] = f"{made}/.venv/bin:{environment['PATH']}"
    return Walk(made, ran.stdout, environment)
