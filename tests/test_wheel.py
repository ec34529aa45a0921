"""The wheel, installed in an empty environment and used outside the checkout by a stranger."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from scorer import __version__
from tests.ci_world import META

ROOT = Path(__file__).resolve().parent.parent

pytestmark = pytest.mark.wheel

USE = """
import sys
import scorer
gold = ("cats are good pets", "cats purr at home", "support",
        "(cats; is a; pets)(cats; capable of; purr)(purr; at location; home)")
assert scorer.check([gold[2:]], board="explagraphs-practice").ok
result = scorer.score([gold[2:]], [gold], board="explagraphs-practice")
for metric in ("SA", "StCA", "G-BLEU", "G-ROUGE-2", "G-ROUGE-L"):
    assert result.metrics[metric].value == 1, metric
assert result.metrics["GED"].value == 0
assert result.signature()
absent = {"torch", "transformers", "mkdocs", "jinja2", "sklearn", "pandas"} & set(sys.modules)
assert not absent, absent
print(scorer.__version__, scorer.__file__)
"""


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of a new environment with the wheel and its core dependencies, as locked."""
    folder = tmp_path_factory.mktemp("empty")
    pins = re.findall(r"^([\w.-]+==[^\s;\\]+)", (ROOT / "locks/demo.txt").read_text(), re.M)
    (folder / "pins.txt").write_text("\n".join(pins))
    run([sys.executable, "-m", "venv", folder / "venv"], folder)
    programs = folder / "venv" / "bin"
    run([programs / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
         "--only-binary", ":all:", "--constraint", folder / "pins.txt", wheel], folder)
    return programs


def run(command: list[str | Path], folder: Path) -> str:
    """Run a program outside the checkout; its standard output. A failure shows what it said."""
    ran = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False,
        env={name: value for name, value in os.environ.items()
             if not name.startswith(("PYTHON", "WHYBOARD"))},
    )
    assert ran.returncode == 0, f"{command}\n{ran.stdout}\n{ran.stderr}"
    return ran.stdout


def test_the_wheel_carries_what_the_program_needs_and_no_tests(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {f"scorer/{name}" for name in (
        "py.typed", "_boards/explagraphs/board.yaml", "_boards/explagraphs-practice/data/dev.tsv",
        "_repository/CHANGELOG.md", "_repository/docs/run-a-board.md", "_repository/mkdocs.yml",
        "_repository/site/index.md", "_repository/templates/table.html")} <= names
    assert {name.partition("/")[0] for name in names} == {
        "scorer", f"whyboard-{__version__}.dist-info"}


@pytest.mark.claim("The installed package scores without a checkout.")
def test_the_library_scores_outside_the_checkout(installed: Path, tmp_path: Path) -> None:
    said = run([installed / "python", "-c", USE], tmp_path)
    assert said.startswith(__version__)
    assert str(ROOT) not in said


def test_the_program_checks_and_scores_outside_the_checkout(
    installed: Path, tmp_path: Path
) -> None:
    gold = (ROOT / "boards/explagraphs-practice/data/dev.tsv").read_text("utf-8").splitlines()
    rows = [line.split("\t")[2:4] for line in gold]
    (tmp_path / "mine.tsv").write_text("".join("\t".join(row) + "\n" for row in rows), "utf-8")
    where = ["--board", "explagraphs-practice", "--split", "dev"]
    said = run([installed / "scorer", "check", "mine.tsv", *where], tmp_path)
    assert "can be scored on explagraphs-practice dev" in said
    run([installed / "scorer", "score", "mine.tsv", *where, "--json", "out.json"], tmp_path)
    assert '"schema": 1' in (tmp_path / "out.json").read_text("utf-8")
    assert run([installed / "scorer", "handbook"], tmp_path).startswith("# Handbook\n")
    said = run([installed / "scorer", "board", "list"], tmp_path)
    assert said.split() == sorted(path.parent.name for path in ROOT.glob("boards/*/board.yaml"))


def test_the_program_sends_a_submission_without_any_extra(installed: Path, tmp_path: Path) -> None:
    mine = "submissions/anli-practice/my-team/my-system"
    where, fork = tmp_path / "clone", tmp_path / "fork.git"
    where.mkdir()
    for folder in ("boards/anli-practice", "submissions"):
        shutil.copytree(ROOT / folder, where / folder)
    for words in (["init", "--quiet", "--initial-branch=main"], ["add", "."],
                  ["-c", "user.name=Lab", "-c", "user.email=lab@example.org", "commit", "--quiet",
                   "--message=Begin"], ["remote", "add", "origin", str(where)],
                  ["fetch", "--quiet", "origin"],
                  ["config", "user.name", "Me"], ["config", "user.email", "me@example.org"],
                  ["init", "--quiet", "--bare", str(fork)], ["remote", "add", "fork", str(fork)]):
        run(["git", *words], where)
    run([installed / "scorer", "new", "anli-practice", "my-team", "my-system"], where)
    gold = (ROOT / "boards/anli-practice/data/dev.tsv").read_text("utf-8").splitlines()
    (where / mine / "predictions.dev.tsv").write_text("1\n" * len(gold))
    (where / mine / "submission.yaml").write_text(META)
    said = run([installed / "scorer", "submit", mine, "--owner", "me#1001", "--push"], where)
    assert "my-team" in said
    assert run(["git", "--git-dir", fork, "branch", "--list"], where).strip()
