"""The map of the code: which room may import which, and where each library may be used.

A room is a folder of ``scorer``. Imports go one way, from a room to those named beside it. A new
import that the map does not show needs a reason.
"""

import ast
import importlib.util
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

from scorer.commands import VERBS
from scorer.core.renamed import RENAMED
from tests import case_files

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "scorer"

MAP = {
    "core": "",
    "models": "core",
    "metrics": "core models",
    "statistics": "core",
    "tasks": "core models",
    "boards": "core metrics models tasks",
    "scoring": "boards core metrics models statistics tasks",
    "people": "boards core metrics scoring statistics tasks",
    "lab": "boards core metrics models scoring statistics tasks",
    "pipeline": "boards core metrics models people scoring tasks",
    "site": "boards core metrics models people scoring statistics tasks",
    "commands": "boards core lab metrics models people pipeline scoring site statistics tasks",
    # Modules beside the rooms.
    "_version": "",
    "api": "boards core models scoring",
    "documents": "boards core lab metrics models people scoring tasks",
    "cli": "commands core pipeline",
    "__init__": "api core scoring",
    "__main__": "cli",
}
"""Room -> the rooms that it may import beside the version's number, each above those it imports."""

MOST_ROOMS = 12

CASES = case_files.read("architecture.yaml")
LIBRARIES: dict[str, tuple[str, str, str]] = CASES["libraries"]
HEAVY = frozenset(LIBRARIES) - {"yaml", "pydantic", "pydantic_core"} | {
    "mkdocs", "networkx", "pandas", "safetensors"}


class Import(NamedTuple):
    """One imported module, and the line that says so."""

    module: str
    path: Path
    line: int

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line} imports {self.module}"


def module_name(path: Path) -> str:
    """``metrics.bleu`` of ``scorer/metrics/bleu.py``; a package is named by its folder."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if len(parts) > 1 and parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def room_of(module: str) -> str:
    """The folder of ``scorer`` that a module lies in, or the module itself."""
    return module.partition(".")[0]


@cache
def imports(path: Path) -> tuple[Import, ...]:
    """Every import of a file, those in functions and those for type checking included."""
    return tuple(_imports(path))


def _imports(path: Path) -> Iterator[Import]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            for name in node.names:
                yield Import(name.name, path, node.lineno)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: a relative import; write scorer. ..."
            assert node.module is not None
            for name in node.names:
                full = f"{node.module}.{name.name}"
                inside = full.removeprefix("scorer.") in MODULES
                yield Import(full if inside else node.module, path, node.lineno)


def ours(found: Import) -> str | None:
    """The module of ours that an import names, or None if it is not ours."""
    top, _, rest = found.module.partition(".")
    return (rest or "__init__") if top == "scorer" else None


@pytest.mark.claim("Every module imports only what the map of the code allows.")
@pytest.mark.parametrize("room", MAP)
def test_a_room_imports_only_what_the_map_shows(room: str) -> None:
    for module in (name for name in MODULES if room_of(name) == room):
        for found in imports(MODULES[module]):
            other = room_of(ours(found) or room)
            assert other in (room, "_version", *MAP[room].split()), f"{found}; see MAP"


def test_a_library_is_used_only_where_the_map_shows() -> None:
    for module, found in ((name, one) for name, path in MODULES.items() for one in imports(path)):
        top = found.module.partition(".")[0]
        if top in sys.stdlib_module_names or top == "scorer":
            continue
        assert top in LIBRARIES, f"{found}: declare it, and place it in cases/architecture.yaml"
        places = LIBRARIES[top][2].split()
        inside = any(module == place or module.startswith(f"{place}.") for place in places)
        assert inside, f"{found}; its places are: {', '.join(places)}"


def test_the_map_has_every_room_and_no_cycle() -> None:
    assert set(MAP) == set(map(room_of, MODULES))
    assert sum((PACKAGE / room).is_dir() for room in MAP) <= MOST_ROOMS
    modules = {name: {target for found in imports(path) if (target := ours(found)) in MODULES}
               for name, path in MODULES.items()}
    for graph in ({room: set(below.split()) for room, below in MAP.items()}, modules):
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as cycle:
            pytest.fail(f"imports go round: {' <- '.join(cycle.args[1])}")


def test_nothing_is_imported_by_name_but_verbs_metrics_systems_and_what_was_renamed() -> None:
    assert {module for module, path in MODULES.items()
            if "import_module" in path.read_text("utf-8")} == {
                "commands", "core.renamed", "lab.systems.registry", "metrics.catalogue"}


def test_every_library_is_declared_where_it_is_used() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    declared = {"": project["dependencies"], **project["optional-dependencies"]}
    names = {extra: {_distribution(line) for line in lines} for extra, lines in declared.items()}
    for library, (distribution, extra, _) in LIBRARIES.items():
        assert distribution.lower() in names[extra], f"{library}: declare {distribution} in {extra}"


def _distribution(requirement: str) -> str:
    return requirement.lower().partition(">")[0].partition("<")[0].partition("=")[0].strip()


def loaded(code: str, folder: Path) -> set[str]:
    """The modules that a new interpreter has loaded after running some code in ``folder``."""
    report = "\nimport sys; print('\\n'.join(['loaded:', *sys.modules]))"
    ran = subprocess.run(
        [sys.executable, "-c", code + report], cwd=folder, check=True, capture_output=True,
        text=True, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    return set(ran.stdout.partition("loaded:\n")[2].split())


BENCHMARKS = re.compile(r"\b(belief|stance|StCA|SeCA|SA|EA)\b")
"""Words of one benchmark, which generic code must not know."""


def test_only_a_benchmark_s_own_files_name_it() -> None:
    found = {
        f"{name}:{number}": line.strip()
        for folder in (PACKAGE, ROOT / "templates", ROOT / "site" / "assets")
        for path in sorted(folder.rglob("*"))
        if path.suffix in {".py", ".html", ".js"} and "vendor" not in path.parts
        for name in [path.relative_to(ROOT).as_posix()]
        if not name.startswith(tuple(CASES["know ExplaGraphs"]))
        for number, line in enumerate(path.read_text("utf-8").split("\n"), start=1)
        if BENCHMARKS.search(line)
    }
    assert not found, "use task.gate_metric, MetricUse.label_only, the board's names of columns"


def test_import_scorer_loads_nothing_heavy(tmp_path: Path) -> None:
    assert not loaded("import scorer; scorer.score, scorer.check", tmp_path) & HEAVY


@pytest.mark.claim("Checking a submission needs Python, PyYAML and pydantic alone.")
def test_check_runs_on_the_standard_library_pyyaml_and_pydantic(tmp_path: Path) -> None:
    file = tmp_path / "predictions.tsv"
    file.write_text("support\t(cats; is a; pets)(pets; capable of; purr)(purr; causes; joy)\n")
    modules = loaded(
        "from scorer.cli import main\n"
        f"assert main(['check', {str(file)!r}, '--board', 'explagraphs-practice']) == 0",
        tmp_path,
    )
    assert not modules & HEAVY
    assert "yaml" in modules
    assert "scorer.scoring.evaluate" not in modules


def test_scoring_without_models_loads_nothing_slow_but_numpy_and_no_lab(tmp_path: Path) -> None:
    (tmp_path / "results").symlink_to(ROOT / "results")  # baselines to compare with
    reference = ROOT / "submissions" / "explagraphs-practice" / "reference"
    file = reference / "edited-gold" / "predictions.dev.tsv"
    modules = loaded(
        "import sys; sys.modules['scorer.lab'] = None\n"  # as if its folder were gone
        "from scorer.cli import main\n"
        f"assert main(['score', {str(file)!r}, '--board', 'explagraphs-practice',"
        " '--split', 'dev', '--models', 'no']) == 0",
        tmp_path,
    )
    assert modules & HEAVY == {"numpy"}
    assert "numpy.ma" not in modules


HELP = """
import sys
from scorer.cli import parser
for verb in ("", *sys.argv[2:]):
    parser(verb).format_help()
    for name in {*sys.argv[1].split()} & {*sys.modules}:
        print(verb, "loads", name)
        del sys.modules[name]
"""


def test_the_help_of_no_verb_loads_what_takes_long() -> None:
    heavy = " ".join(HEAVY | {"pydantic"})
    ran = subprocess.run([sys.executable, "-c", HELP, heavy, *VERBS], cwd=ROOT, check=True,
                         capture_output=True, text=True)
    assert ran.stdout == ""


def test_only_the_commands_that_use_the_lab_need_it() -> None:
    users = {name for name, path in MODULES.items() if room_of(name) != "lab"
             for found in imports(path) if (ours(found) or "").startswith("lab.")}
    assert users == {*CASES["lab"]}
    at_once = re.compile(r"^(?:from|import) scorer\.lab", re.MULTILINE)
    assert {name for name in users if at_once.search(MODULES[name].read_text("utf-8"))} == {
        "commands.judge", "commands.train"}


def test_git_is_called_in_one_module() -> None:
    callers = [path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py")
               if '"git",' in path.read_text("utf-8")]
    assert callers == ["core/git.py"]


def test_a_key_is_hidden_before_anything_else_is_loaded(tmp_path: Path) -> None:
    modules = loaded("import scorer.cli", tmp_path)
    ours = {name.removeprefix("scorer.") for name in modules if name.startswith("scorer.")}
    assert ours == {
        "_version", "cli", "core", "core.errors", "core.renamed", "core.rules", "pipeline",
        "pipeline.hidden", "pipeline.hidden.handing"}
    assert "yaml" not in modules


def test_the_site_needs_no_library_of_metrics_and_no_model(tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    parts = [f"scorer.{name}" for name in MODULES if room_of(name) == "site"]
    modules = loaded(f"import {', '.join(parts)}", tmp_path)
    assert not modules & {"torch", "transformers", "sklearn", "scipy"}
    ours = {name for name in modules if name.startswith("scorer.models.")}
    assert ours <= {"scorer.models.judge_card", "scorer.models.known"}


@pytest.mark.slow
def test_mypy_finds_nothing_in_the_program() -> None:
    pytest.importorskip("mypy")
    ran = subprocess.run([sys.executable, "-m", "mypy", "--strict", "scorer"], cwd=ROOT,
                         capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr


# ---- what older documentation imports ----------------------------------------------------------


def test_an_old_import_gives_the_module_of_today() -> None:
    for old, new in RENAMED.items():
        module = importlib.import_module(old)
        assert module is importlib.import_module(new)
        assert (module.__name__, module.__spec__.name) == (new, new)


LINES = """
from scorer.records import Edge, ItemScore
from scorer import graph
from scorer.errors import excerpt
from scorer.board import Board
from scorer.integrity import flags, survey
from scorer.results.signature import short
import scorer.reading.tsv
from scorer.website.views.base import ExampleView
import scorer.board.golds, scorer.boards.golds
import scorer.website.pages, scorer.site.pages
import sys
assert sys.modules['scorer.board.golds'] is sys.modules['scorer.boards.golds']
assert sys.modules['scorer.website.pages'] is sys.modules['scorer.site.pages']
"""


@pytest.mark.whole
def test_lines_of_the_documentation_of_version_0_1_run_and_load_nothing_twice() -> None:
    subprocess.run([sys.executable, "-c", LINES], check=True)


def test_a_name_that_never_was_is_still_unknown() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"scorer\.boardless"):
        importlib.import_module("scorer.boardless")
    assert importlib.util.find_spec("scorer.board.nowhere") is None
