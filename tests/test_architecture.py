"""The map of the code: which part may import which, and where each library may be used.

A part is a module or a package of ``scorer``. Imports go one way, from a part to those named beside
it. A new module needs a line here; a new import that the map does not show needs a reason.
"""

import ast
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

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "scorer"

MAP = {
    # Values and words: no part of ours below them.
    "_version": "",
    "messages": "",
    "errors": "messages",
    "files": "errors",
    "package_data": "",
    "git": "",
    "share": "",
    "records": "",
    "rules": "",
    # Bytes, made into values with their places.
    "reading": "errors messages rules",
    # What is measured. Metrics take and return plain values.
    "graph": "messages records",
    "models": "_version errors files models.judge_card reading records",
    "models.judge_card": "errors files reading share",
    "metrics": "errors graph metrics.worked models records",
    "metrics.catalogue": "metrics",
    "metrics.worked": "errors records",
    "tasks": "errors graph messages models reading records rules",
    "statistics": "errors models.judge_card records share",
    # A board, and what is done with it.
    "board": "board.policy board.recipes errors metrics.catalogue reading records tasks",
    "board.open_fields": "board",
    "board.importing": "board board.golds board.recipes errors files reading",
    "board.policy": "reading",
    "board.recipes": "reading",
    "board.errata": "board errors files reading records",
    "board.golds": "board board.errata errors files reading",
    "board.ratings": "board errors reading",
    "board.answers": "board errors reading",
    "board.probabilities": "board errors reading",
    "board.fetching": "board board.answers board.golds board.importing board.imports board.ratings "
                      "errors files",
    "board.imports": "board board.golds errors files reading",
    "submission": "errors files messages reading records",
    # What models are asked, and what their answers say.
    "prompts": "board board.golds errors files models reading tasks",
    "formats": "annotations board reading results runs submission tasks",
    "adopting": "_version annotations board board.open_fields errors files metrics.catalogue "
                "package_data reading records submission tasks",
    "integrity": "board errors records tasks",
    "integrity.names": "integrity submission",
    # From predictions to results.
    "scoring": "_version board errors metrics.catalogue reading records statistics "
               "tasks",
    "scoring.judging": "metrics.catalogue models models.judge_card records",
    "scoring.leaderboard": "board errors files metrics.catalogue models.judge_card reading records "
                           "results results.ranks scoring scoring.judging share statistics "
                           "submission tasks",
    "results": "errors files metrics.catalogue reading records",
    "results.ranks": "metrics.catalogue records results statistics submission",
    "results.reproduce": "board records submission tasks",
    # What people answer about items.
    "annotations": "board board.policy errors files git graph messages reading records "
                   "rules share statistics tasks",
    "annotations.judged": "annotations board board.policy errors metrics.catalogue records results "
                          "tasks",
    "annotations.leaderboard": "annotations annotations.judged board records results.ranks "
                               "scoring.leaderboard statistics submission",
    "annotations.rated_golds": "annotations board board.golds board.ratings "
                               "errors metrics.catalogue records scoring tasks",
    "annotations.answered": "annotations board board.answers board.golds board.probabilities "
                            "errors files results results.ranks statistics",
    "annotations.making": "annotations board board.golds errors files graph reading records "
                          "scoring submission tasks",
    # Logs of other harnesses, of any task.
    "comparing": "errors records scoring.leaderboard statistics",
    # Our boards in other harnesses, and their logs as submissions.
    "harnesses": "_version board comparing errors files metrics.catalogue models prompts reading "
                 "records scoring scoring.submissions tasks",
    # Gold that only the scoring job sees, and what may be said about it.
    "hidden": "board board.golds board.policy engines errors files metrics.catalogue reading "
              "records scoring hidden.handing",
    # Whole files: what is scored, and what goes out.
    "engines": "_version errors",
    "scoring.reference": "board board.golds errors files scoring submission tasks",
    "scoring.gold_report": "board board.golds board.open_fields errors reading rules scoring "
                           "tasks",
    "scoring.per_reference": "board board.golds errors reading",
    "scoring.submissions": "board board.golds engines errors files metrics.catalogue models "
                           "reading records results scoring submission tasks",
    "hidden.scoring": "board errors files hidden models results scoring scoring.submissions",
    "runs": "_version engines errors files metrics.catalogue reading records results results.ranks "
            "scoring scoring.submissions statistics submission",
    # A board for other people's tools.
    "exporting": "board board.errata board.golds board.open_fields errors files metrics.catalogue "
                 "reading scoring",
    # Judges: made from people's graphs, and measured.
    "training": "board errors files graph metrics models models.judge_card reading records tasks",
    # Systems of the papers: they make data and predictions.
    "systems": "board errors files graph models reading records statistics submission tasks "
               "training",
    # What people meet: the library, the site, the program.
    "api": "board board.golds errors files models reading records results scoring",
    # The very pairs that a metric matched, found by its own code when a site is built.
    "website.views.graphs.pairs": "graph metrics",
    "website": "_version annotations annotations.judged annotations.leaderboard board "
               "board.errata board.golds "
               "board.open_fields board.policy errors exporting files formats git graph "
               "integrity integrity.names messages "
               "metrics.catalogue metrics.worked models models.judge_card package_data prompts "
               "reading records results results.ranks results.reproduce rules scoring "
               "scoring.gold_report scoring.judging scoring.leaderboard share statistics "
               "submission tasks website.views.graphs.pairs",
    "ci": "_version annotations annotations.leaderboard board board.errata "
          "board.fetching "
          "board.open_fields board.policy engines errors files git hidden "
          "hidden.scoring integrity.names metrics.catalogue models reading records results rules "
          "runs scoring scoring.gold_report scoring.leaderboard scoring.submissions submission",
    "sending": "ci errors files git reading submission",
    "archive": "board ci errors files hidden",
    "commands": "_version adopting annotations annotations.answered "
                "annotations.judged annotations.leaderboard annotations.making "
                "annotations.rated_golds archive board "
                "board.answers board.fetching board.golds board.importing board.imports "
                "board.probabilities "
                "board.open_fields board.policy board.ratings ci comparing engines errors "
                "exporting files harnesses hidden "
                "hidden.scoring metrics.catalogue models models.judge_card package_data prompts "
                "reading records results results.ranks rules runs scoring scoring.gold_report "
                "scoring.leaderboard scoring.per_reference scoring.reference scoring.submissions "
                "sending statistics submission systems tasks training website",
    "hidden.handing": "engines",
    "cli": "_version commands errors hidden.handing",
    "documents": "annotations board metrics.catalogue models models.judge_card prompts reading "
                 "results rules submission systems tasks",
    "__init__": "_version api errors results",
    "__main__": "cli",
}

LIBRARIES = {
    # Import name: the distribution that pyproject.toml declares, its extra, the parts that use it.
    "yaml": ("PyYAML", "", "adopting exporting harnesses.lm_eval_folder reading "
             "scoring.reference website"),
    "numpy": ("numpy", "", "annotations commands comparing metrics models "
              "scoring.leaderboard statistics systems tasks training"),
    "scipy": ("scipy", "", "annotations.sureness integrity.linking metrics statistics systems"),
    "pydantic": ("pydantic", "", "annotations board.records reading "
                 "ci.artifact models.judge_card formats harnesses.inspect_tasks "
                 "results runs.error_records systems training.trainer"),
    "pydantic_core": ("pydantic", "", "reading.values"),
    "tqdm": ("tqdm", "", "ci.gold commands systems"),
    "networkx": ("networkx", "", "graph metrics.judge_texts metrics.trees systems"),
    "pandas": ("pandas", "site", "records results.frames"),
    "jinja2": ("jinja2", "site", "website"),
    "markupsafe": ("markupsafe", "site", "website"),
    "pyvis": ("pyvis", "site", "website"),
    "homoglyphs_fork": ("homoglyphs-fork", "site", "integrity.names"),
    "pyarrow": ("pyarrow", "parquet", "exporting.parquet"),
    "pyrage": ("pyrage", "hidden", "hidden.age"),
    "ijson": ("ijson", "logs", "comparing.reading"),
    "zstandard": ("zstandard", "logs", "comparing.packed"),
    "sklearn": ("scikit-learn", "baselines", "systems tasks training"),
    "threadpoolctl": ("threadpoolctl", "baselines", "training.counts"),
    "torch": ("torch", "models", "models systems training"),
    "tokenizers": ("tokenizers", "models", "models prompts systems"),
    "transformers": ("transformers", "models", "models systems training"),
    "peft": ("peft", "models", "models training"),
    "safetensors": ("safetensors", "models", "models systems training"),
    "huggingface_hub": ("huggingface-hub", "models", "models"),
    "anyio": ("anyio", "endpoint", "models.endpoint_judge models.exchange"),
    "httpx2": ("httpx2", "endpoint", "models.endpoint_judge models.exchange"),
    "ray": ("ray", "ray", "engines.ray"),
    "inspect_ai": ("inspect_ai", "inspect", "harnesses.inspect_tasks"),
    "datasets": ("datasets", "lm-eval", "harnesses.lm_eval_tasks"),
}

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


def part_of(module: str) -> str | None:
    """The part that a module belongs to: the longest name of the map that it begins with."""
    names = [name for name in MAP if module == name or module.startswith(f"{name}.")]
    return max(names, key=len, default=None)


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
@pytest.mark.parametrize("module", MODULES)
def test_a_module_has_its_place_and_imports_only_what_the_map_shows(module: str) -> None:
    part = part_of(module)
    assert part is not None, f"scorer.{module} is new: give it a line in MAP of {Path(__file__)}"
    for found in imports(MODULES[module]):
        target = ours(found)
        if target is not None and part_of(target) != part:
            assert part_of(target) in MAP[part].split(), f"{found}; the map allows: {MAP[part]}"


@pytest.mark.parametrize("module", MODULES)
def test_a_library_is_used_only_where_the_map_shows(module: str) -> None:
    for found in imports(MODULES[module]):
        top = found.module.partition(".")[0]
        if top in sys.stdlib_module_names or top == "scorer":
            continue
        assert top in LIBRARIES, f"{found}: a new library; declare it, and place it in LIBRARIES"
        places = LIBRARIES[top][2].split()
        inside = any(module == place or module.startswith(f"{place}.") for place in places)
        assert inside, f"{found}; its places are: {', '.join(places)}"


def test_the_map_names_no_module_that_is_gone() -> None:
    packages = {name.rpartition(".")[0] for name in MODULES}
    assert set(MAP) <= set(MODULES) | packages


def test_the_map_has_no_cycle() -> None:
    modules = {name: {target for found in imports(path) if (target := ours(found)) in MODULES}
               for name, path in MODULES.items()}
    folders: dict[str, set[str]] = {}
    for name, below in modules.items():
        folder = name.partition(".")[0]
        folders.setdefault(folder, set()).update(
            other for target in below if (other := target.partition(".")[0]) != folder)
    for graph in ({name: set(below.split()) for name, below in MAP.items()}, modules, folders):
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as cycle:
            pytest.fail(f"imports go round: {' <- '.join(cycle.args[1])}")


def test_nothing_is_imported_by_name_but_metrics_by_their_catalogue() -> None:
    assert [module for module, path in MODULES.items()
            if "import_module" in path.read_text("utf-8")] == ["metrics.catalogue"]


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
KNOW_THEM = {
    "scorer/tasks/graphs/": "the task itself",
    "scorer/website/views/graphs/": "how its examples are shown",
    "scorer/website/views/graph_labels/": "its worked example is of the practice board",
    "scorer/boards/": "boards that come with the program",
    "scorer/metrics/": "metrics, each in its own file",
    "scorer/annotations/round_table.py": "the stages in which its items were made",
    "scorer/training/": "makes judges for SeCA and EA of its data",
    "scorer/models/embedded/": "cards of these judges",
    "scorer/models/judge": "what these judges answer, and their cards",
    "scorer/website/judges/": "pages about these judges",
    "scorer/commands/judge.py": "trains and measures these judges",
    "scorer/rules.py": "the rules of every task",
    "scorer/exporting/licences.py": "names of licences: share alike",
    "scorer/api.py": "its examples are of that board",
    "templates/judge": "pages about these judges",
    "templates/glossary.html": "explains the words",
    "templates/home-hero.html": "prose: says what is scored",
    "templates/metrics.html": "prose: which metrics are given by models",
    "templates/statistics.html": "prose: which metrics have which interval",
}


def test_only_a_benchmark_s_own_files_name_it() -> None:
    found = {
        f"{name}:{number}": line.strip()
        for folder in (PACKAGE, ROOT / "templates", ROOT / "site" / "assets")
        for path in sorted(folder.rglob("*"))
        if path.suffix in {".py", ".html", ".js"} and "vendor" not in path.parts
        for name in [path.relative_to(ROOT).as_posix()] if not name.startswith(tuple(KNOW_THEM))
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


@pytest.mark.parametrize("baselines", [False, True])
def test_scoring_a_file_without_models_loads_nothing_slow_but_numpy(
    tmp_path: Path, baselines: bool
) -> None:
    if baselines:
        (tmp_path / "results").symlink_to(ROOT / "results")
    reference = ROOT / "submissions" / "explagraphs-practice" / "reference"
    file = reference / "edited-gold" / "predictions.dev.tsv"
    modules = loaded(
        "from scorer.cli import main\n"
        f"assert main(['score', {str(file)!r}, '--board', 'explagraphs-practice',"
        " '--split', 'dev', '--models', 'no']) == 0",
        tmp_path,
    )
    assert modules & HEAVY == {"numpy"}
    assert "numpy.ma" not in modules


def test_the_program_answers_help_without_anything_heavy(tmp_path: Path) -> None:
    code = "from scorer.cli import parser; parser().format_help()"
    assert not loaded(code, tmp_path) & (HEAVY | {"pydantic"})


def test_git_is_called_in_one_module() -> None:
    callers = [path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py")
               if '"git",' in path.read_text("utf-8")]
    assert callers == ["git.py"]


def test_a_key_is_hidden_before_anything_else_is_loaded(tmp_path: Path) -> None:
    modules = loaded("import scorer.cli", tmp_path)
    ours = {name.removeprefix("scorer.") for name in modules if name.startswith("scorer.")}
    assert ours == {"_version", "cli", "engines", "engines.process", "errors",
                    "hidden", "hidden.handing", "messages"}
    assert "yaml" not in modules


def test_the_site_needs_no_library_of_metrics_and_no_model(tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    parts = [f"scorer.{name}" for name in MODULES if part_of(name) == "website"]
    modules = loaded(f"import {', '.join(parts)}", tmp_path)
    assert not modules & {"torch", "transformers", "sklearn", "scipy"}
    ours = {name for name in modules if name.startswith("scorer.models.")}
    assert ours <= {"scorer.models.judge_card", "scorer.models.judges"}
