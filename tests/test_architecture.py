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
    "core": "",
    "core.renamed": "",
    "_version": "",
    "core.messages": "",
    "core.errors": "core.messages",
    "core.files": "core.errors",
    "core.package_data": "",
    "core.git": "",
    "core.share": "",
    "core.records": "",
    "core.results": "core.reading core.records",
    "core.rules": "",
    # Bytes, made into values with their places.
    "core.reading": "core.errors core.messages core.rules",
    # What is measured. Metrics take and return plain values.
    "core.graph": "core.messages core.records",
    "models": "_version core.errors core.files models.judge_card core.reading core.records",
    "models.judge_card": "core.errors core.files core.reading core.share",
    "metrics": "core.errors core.graph metrics.worked models core.records core.results",
    "metrics.catalogue": "metrics",
    "metrics.worked": "core.errors core.records",
    "tasks": "core.errors core.graph core.messages models core.reading core.records core.rules",
    "statistics": "core.errors models.judge_card core.records core.results core.share",
    # A board, and what is done with it.
    "boards": "boards.policy boards.recipes core.errors metrics.catalogue core.reading "
              "core.records tasks",
    "boards.open_fields": "boards",
    "boards.importing": "boards boards.golds boards.recipes core.errors core.files core.reading",
    "boards.policy": "core.reading",
    "boards.recipes": "core.reading",
    "boards.errata": "boards core.errors core.files core.reading core.records",
    "boards.golds": "boards boards.errata core.errors core.files core.reading",
    "boards.ratings": "boards core.errors core.reading",
    "boards.answers": "boards core.errors core.reading",
    "boards.probabilities": "boards core.errors core.reading",
    "boards.fetching": "boards boards.answers boards.golds boards.importing boards.imports "
                       "boards.ratings core.errors core.files",
    "boards.imports": "boards boards.golds core.errors core.files core.reading",
    "boards.submission": "core.errors core.files core.messages core.reading core.records",
    # What models are asked, and what their answers say.
    "boards.prompts": "boards boards.golds core.errors core.files models core.reading tasks",
    "site.formats": "people boards core.reading scoring.results scoring.results.past scoring.runs "
                    "boards.submission tasks",
    "pipeline.adopting": "_version people boards boards.open_fields core.errors core.files "
                         "metrics.catalogue core.package_data core.reading core.records "
                         "boards.submission tasks",
    "boards.integrity": "boards core.errors core.records tasks",
    "boards.integrity.names": "boards.integrity boards.submission",
    # From predictions to results.
    "scoring": "_version boards scoring.engines core.errors metrics.catalogue core.reading "
               "core.records core.results statistics tasks",
    "scoring.judging": "metrics.catalogue models models.judge_card core.results core.share "
                       "statistics",
    "scoring.leaderboard": "boards core.errors core.files metrics.catalogue models.judge_card "
                           "core.reading core.results scoring.results scoring.results.ranks "
                           "scoring scoring.judging core.share statistics boards.submission tasks",
    "scoring.results": "_version core.errors core.files metrics.catalogue core.reading "
                       "core.records core.results",
    "scoring.results.ranks": "metrics.catalogue core.results scoring.results statistics "
                             "boards.submission",
    "scoring.results.past": "core.errors core.files metrics.catalogue core.reading core.results "
                            "scoring.results scoring.results.ranks",
    "scoring.results.compare": "metrics.catalogue core.records core.results scoring.results "
                               "scoring.results.ranks statistics",
    "scoring.results.reproduce": "boards core.results boards.submission tasks",
    # What people answer about items.
    "people": "boards boards.policy core.errors core.files core.git core.graph core.messages "
              "core.reading core.records core.results core.rules core.share statistics tasks",
    "people.judged": "people boards boards.policy core.errors metrics.catalogue core.results "
                     "scoring.results tasks",
    "people.leaderboard": "people people.judged boards core.records scoring.results.ranks "
                          "scoring.leaderboard statistics boards.submission",
    "people.rated_golds": "people boards boards.golds boards.ratings core.errors "
                          "metrics.catalogue core.results scoring tasks",
    "people.answered": "people boards boards.answers boards.golds boards.probabilities "
                       "core.errors core.files scoring.results scoring.results.ranks statistics",
    "people.making": "people boards boards.golds core.errors core.files core.graph core.reading "
                     "core.records scoring boards.submission tasks",
    # Logs of other harnesses, of any task.
    "lab.logs": "core.errors core.results scoring.leaderboard statistics",
    # Our boards in other harnesses, and their logs as submissions.
    "lab.harnesses": "_version boards boards.golds lab.logs core.errors core.files "
                     "metrics.catalogue models boards.prompts core.reading core.records scoring "
                     "scoring.submissions tasks",
    # Gold that only the scoring job sees, and what may be said about it.
    "pipeline.hidden": "boards boards.golds boards.policy scoring.engines core.errors core.files "
                       "metrics.catalogue core.reading core.records core.results scoring "
                       "pipeline.hidden.handing",
    # Whole files: what is scored, and what goes out.
    "scoring.engines": "_version core.errors",
    "scoring.reference": "boards boards.golds core.errors core.files scoring boards.submission "
                         "tasks",
    "scoring.gold_report": "boards boards.golds boards.open_fields core.errors core.reading "
                           "core.rules scoring tasks",
    "scoring.per_reference": "boards boards.golds core.errors core.reading",
    "scoring.submissions": "_version boards boards.golds scoring.engines core.errors core.files "
                           "metrics.catalogue models core.reading core.results scoring.results "
                           "scoring boards.submission tasks",
    "pipeline.hidden.scoring": "boards core.errors core.files pipeline.hidden models "
                               "scoring.results scoring scoring.submissions",
    "scoring.runs": "_version scoring.engines core.errors core.files metrics.catalogue "
                    "core.reading core.results scoring.results scoring.results.past scoring "
                    "scoring.submissions boards.submission",
    # A boards for other people's tools.
    "boards.exporting": "boards boards.errata boards.golds boards.open_fields core.errors "
                        "core.files metrics.catalogue core.reading",
    # Judges: made from people's graphs, and measured.
    "lab": "",
    "lab.training": "boards core.errors core.files core.graph metrics models models.judge_card "
                    "core.reading core.records tasks",
    # Systems of the papers: they make data and predictions.
    "lab.systems": "boards core.errors core.files core.graph models core.reading core.records "
                   "statistics boards.submission tasks lab.training",
    # What people meet: the library, the site, the program.
    "api": "boards boards.golds core.errors core.files models core.reading core.results "
           "scoring.results scoring",
    # The very pairs that a metric matched, found by its own code when a site is built.
    "site.views.graphs.pairs": "core.graph metrics",
    "site": "_version people people.judged people.leaderboard boards boards.errata boards.golds "
            "boards.open_fields boards.policy core.errors boards.exporting core.files "
            "site.formats core.git core.graph boards.integrity boards.integrity.names "
            "core.messages metrics.catalogue metrics.worked models models.judge_card "
            "core.package_data boards.prompts core.reading core.records "
            "core.results scoring.results "
            "scoring.results.past scoring.results.ranks scoring.results.reproduce core.rules "
            "scoring scoring.gold_report scoring.judging scoring.leaderboard core.share "
            "statistics boards.submission tasks site.views.graphs.pairs",
    "pipeline": "",
    "pipeline.ci": "_version boards.golds people people.leaderboard boards boards.errata "
                   "boards.fetching boards.open_fields boards.policy scoring.engines core.errors "
                   "core.files core.git pipeline.hidden pipeline.hidden.scoring "
                   "boards.integrity.names metrics.catalogue models core.reading core.records "
                   "core.results "
                   "scoring.results scoring.results.past core.rules scoring.runs scoring "
                   "scoring.gold_report scoring.leaderboard scoring.submissions boards.submission",
    "pipeline.sending": "pipeline.ci core.errors core.files core.git core.reading "
                        "boards.submission",
    "pipeline.archive": "boards pipeline.ci core.errors core.files pipeline.hidden",
    "commands": "_version pipeline.adopting people people.answered people.judged "
                "people.leaderboard people.making people.rated_golds pipeline.archive boards "
                "boards.answers boards.fetching boards.golds boards.importing boards.imports "
                "boards.probabilities boards.open_fields boards.policy boards.ratings pipeline.ci "
                "lab.logs scoring.engines core.errors boards.exporting core.files lab.harnesses "
                "pipeline.hidden pipeline.hidden.scoring metrics.catalogue models "
                "models.judge_card core.package_data boards.prompts core.reading core.records "
                "core.results "
                "scoring.results scoring.results.compare scoring.results.past core.rules "
                "scoring.runs scoring scoring.gold_report scoring.leaderboard "
                "scoring.per_reference scoring.reference scoring.submissions pipeline.sending "
                "statistics boards.submission lab.systems tasks lab.training site",
    "pipeline.hidden.handing": "scoring.engines",
    "cli": "_version commands core.errors pipeline.hidden.handing",
    "documents": "people boards metrics.catalogue models models.judge_card boards.prompts "
                 "core.reading scoring.results core.rules boards.submission lab.systems tasks",
    "__init__": "_version api core.renamed core.errors scoring.results",
    "__main__": "cli",
}

LIBRARIES = {
    # Import name: the distribution that pyproject.toml declares, its extra, the parts that use it.
    "yaml": ("PyYAML", "", "pipeline.adopting boards.exporting lab.harnesses.lm_eval_folder "
             "core.reading scoring.reference site"),
    "numpy": ("numpy", "", "people commands lab.logs metrics models "
              "scoring.leaderboard statistics lab.systems tasks lab.training"),
    "scipy": ("scipy", "", "people.sureness boards.integrity.linking metrics statistics "
              "lab.systems"),
    "pydantic": ("pydantic", "", "people boards.records core.reading core.results "
                 "pipeline.ci.artifact models.judge_card models.lora site.formats "
                 "lab.harnesses.inspect_tasks "
                 "scoring.results lab.systems lab.training.trainer"),
    "pydantic_core": ("pydantic", "", "core.reading.values core.results"),
    "tqdm": ("tqdm", "", "pipeline.ci.gold commands lab.systems"),
    "networkx": ("networkx", "", "core.graph metrics.judge_texts metrics.trees lab.systems"),
    "pandas": ("pandas", "site", "core.results scoring.results.frames"),
    "jinja2": ("jinja2", "site", "site"),
    "markupsafe": ("markupsafe", "site", "site"),
    "pyvis": ("pyvis", "site", "site"),
    "homoglyphs_fork": ("homoglyphs-fork", "site", "boards.integrity.names"),
    "pyarrow": ("pyarrow", "parquet", "boards.exporting.parquet"),
    "pyrage": ("pyrage", "hidden", "pipeline.hidden.age"),
    "ijson": ("ijson", "logs", "lab.logs.reading"),
    "zstandard": ("zstandard", "logs", "lab.logs.packed"),
    "sklearn": ("scikit-learn", "baselines", "lab.systems tasks lab.training"),
    "threadpoolctl": ("threadpoolctl", "baselines", "lab.training.counts"),
    "torch": ("torch", "models", "models lab.systems lab.training"),
    "tokenizers": ("tokenizers", "models", "models boards.prompts lab.systems"),
    "transformers": ("transformers", "models", "models lab.systems lab.training"),
    "peft": ("peft", "models", "models lab.training"),
    "safetensors": ("safetensors", "models", "models lab.systems lab.training"),
    "huggingface_hub": ("huggingface-hub", "models", "models"),
    "anyio": ("anyio", "endpoint", "models.endpoint_judge models.exchange"),
    "httpx2": ("httpx2", "endpoint", "models.endpoint_judge models.exchange"),
    "ray": ("ray", "ray", "scoring.engines.ray"),
    "inspect_ai": ("inspect_ai", "inspect", "lab.harnesses.inspect_tasks"),
    "datasets": ("datasets", "lm-eval", "lab.harnesses.lm_eval_tasks"),
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


ROOMS = ("core", "models", "metrics", "statistics", "tasks", "boards", "scoring", "people", "lab",
         "pipeline", "site", "commands")
"""The folders of ``scorer``, each above those that it may import."""


def test_each_room_imports_only_rooms_before_it_and_only_commands_import_the_lab() -> None:
    assert {name.partition(".")[0] for name, path in MODULES.items()
            if len(path.relative_to(PACKAGE).parts) > 1} == set(ROOMS)
    for name, path in MODULES.items():
        room = name.partition(".")[0]
        below = {target.partition(".")[0] for found in imports(path) if (target := ours(found))}
        if room in ROOMS:
            assert below & set(ROOMS) <= set(ROOMS[:ROOMS.index(room) + 1]), name
        assert "lab" not in below or room in ("lab", "commands", "documents"), name


def test_nothing_is_imported_by_name_but_metrics_and_what_was_renamed() -> None:
    assert {module for module, path in MODULES.items()
            if "import_module" in path.read_text("utf-8")} == {"core.renamed", "metrics.catalogue"}


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
    "scorer/site/views/graphs/": "how its examples are shown",
    "scorer/site/views/graph_labels/": "its worked example is of the practice board",
    "scorer/metrics/": "metrics, each in its own file",
    "scorer/people/round_table.py": "the stages in which its items were made",
    "scorer/lab/training/": "makes judges for SeCA and EA of its data",
    "scorer/models/embedded/": "cards of these judges",
    "scorer/models/judge": "what these judges answer, and their cards",
    "scorer/models/endpoint": "the texts that such a judge asks by default",
    "scorer/site/judges/": "pages about these judges",
    "scorer/commands/judge.py": "trains and measures these judges",
    "scorer/core/rules.py": "the rules of every task",
    "scorer/boards/exporting/licences.py": "names of licences: share alike",
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
    assert callers == ["core/git.py"]


def test_a_key_is_hidden_before_anything_else_is_loaded(tmp_path: Path) -> None:
    modules = loaded("import scorer.cli", tmp_path)
    ours = {name.removeprefix("scorer.") for name in modules if name.startswith("scorer.")}
    assert ours == {
        "_version", "cli", "core", "core.errors", "core.messages", "core.renamed", "pipeline",
        "pipeline.hidden", "pipeline.hidden.handing", "scoring", "scoring.engines",
        "scoring.engines.process"}
    assert "yaml" not in modules


def test_the_site_needs_no_library_of_metrics_and_no_model(tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    parts = [f"scorer.{name}" for name in MODULES if part_of(name) == "site"]
    modules = loaded(f"import {', '.join(parts)}", tmp_path)
    assert not modules & {"torch", "transformers", "sklearn", "scipy"}
    ours = {name for name in modules if name.startswith("scorer.models.")}
    assert ours <= {"scorer.models.judge_card", "scorer.models.judges"}
