"""What no workflow of this repository may do, and what each must; judged on the YAML as it is.

The reasons stand in docs/maintainers.md. zizmor and the schema of GitHub find other things.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from scorer.ci.workflows import ADOPTED_LITERAL, LITERAL

EVENTS = frozenset({"push", "pull_request", "merge_group", "schedule", "workflow_dispatch",
                    "workflow_call"})
"""Everything else runs for strangers with more than a stranger should have."""
FOREIGN = frozenset({"pull_request", "merge_group"})
"""Events at which a stranger's files or words are about."""
MOST_MINUTES = 120
HOSTED = re.compile(r"ubuntu-[0-9.]+")
_PINNED = re.compile(r"actions/[a-z-]+@[0-9a-f]{40}|\./\.github/workflows/[a-z]+\.yml")
_VERB = re.compile(r"(exec )?python -m scorer ci [a-z]+( --[a-z]+)*")

Node = Mapping[str, Any]


def findings(document: Any, name: str) -> Iterator[str]:
    """Every breach of the policy in a workflow, one line each."""
    if not isinstance(document, dict) or not isinstance(document.get("jobs"), dict):
        yield f"{name}: no workflow"
        return
    events = _events(document)
    yield from (f"{name}: the event {event} is banned" for event in sorted(events - EVENTS))
    if document.get("permissions") != {}:
        yield f"{name}: permissions at the top must be {{}}"
    if "env" in document or "defaults" in document:
        yield f"{name}: env and defaults belong to a step"
    yield from _concurrency(document, name, events)
    for key, job in document["jobs"].items():
        yield from (f"{name}, job {key}: {said}" for said in _job(job, events))


def _events(document: Node) -> set[str]:
    on = document.get("on")
    return {on} if isinstance(on, str) else set(on or ())


def _concurrency(document: Node, name: str, events: set[str]) -> Iterator[str]:
    told = document.get("concurrency")
    if not isinstance(told, dict) or "group" not in told:
        yield f"{name}: no concurrency group"
    elif told.get("cancel-in-progress") is not False and not events & FOREIGN:
        yield f"{name}: what scores or publishes is never cancelled"


def _job(job: Node, events: set[str]) -> Iterator[str]:
    permissions = job.get("permissions")
    if not isinstance(permissions, dict):
        yield "permissions must be named one by one"
        permissions = {}
    writes = {scope for scope, level in permissions.items() if level != "read"}
    secret = "secrets" in _texts(job)
    machine = job.get("runs-on", "")
    own_machine = "uses" not in job and not (isinstance(machine, str) and HOSTED.fullmatch(machine))
    if "uses" in job:
        yield from _action(job["uses"])
        if "secrets" in job:
            yield "a called workflow gets no secrets"
    elif not 0 < _number(job.get("timeout-minutes")) <= MOST_MINUTES:
        yield f"timeout-minutes must be 1 to {MOST_MINUTES}"
    if events & FOREIGN:
        if writes:
            yield f"a pull request may not write: {', '.join(sorted(writes))}"
        if secret or "environment" in job:
            yield "a pull request sees no secret and no environment"
        if own_machine:
            yield "a pull request runs on hosted machines only"
    if secret and "environment" not in job:
        yield "a secret needs an environment"
    if own_machine and writes:
        yield "a machine of our own may not write"
    if "container" in job or "services" in job or "strategy" in job:
        yield "no container, service or matrix is used"
    if {"pull-requests", "contents"} & writes and "environment" not in job:
        yield "who writes needs an environment"
    for number, step in enumerate(job.get("steps", ()), start=1):
        yield from (f"step {number}: {said}" for said in _step(step, job, events))


def _step(step: Node, job: Node, events: set[str]) -> Iterator[str]:
    if "uses" in step:
        yield from _action(step["uses"])
    line = step.get("run")
    if line is not None:
        if "${{" in line:
            yield "an expression inside run"
        if line not in (*LITERAL, *ADOPTED_LITERAL) and not _VERB.fullmatch(line):
            yield "run is neither one line of scorer ci nor a known literal"
    if "shell" in step or "working-directory" in step or "continue-on-error" in step:
        yield "no shell, working-directory or continue-on-error is used"
    inputs = step.get("with", {})
    action = str(step.get("uses", "")).partition("@")[0]
    if "allow-unsafe-pr-checkout" in inputs:
        yield "allow-unsafe-pr-checkout"
    if action == "actions/checkout":
        yield from _checkout(inputs, job, events)
    if action == "actions/cache" or "cache" in inputs:
        yield "no cache is used: a poisoned one would reach what scores"


def _checkout(inputs: Node, job: Node, events: set[str]) -> Iterator[str]:
    kept = inputs.get("persist-credentials")
    if kept is not False and not ("ssh-key" in inputs and "environment" in job):
        yield "persist-credentials must be false, but where a deploy key pushes"
    if "repository" in inputs or "submodules" in inputs:
        yield "nothing but this repository is checked out"
    ref = str(inputs.get("ref", ""))
    if "head" in ref or "pull/" in ref or ("pull_request" in events and "merge" in ref):
        yield "a pull request is never checked out by its own reference"


def _action(uses: Any) -> Iterator[str]:
    if not isinstance(uses, str) or not _PINNED.fullmatch(uses):
        yield f"{ascii(uses)[:80]} is not an action of GitHub's own at a 40-digit commit"


def _texts(node: Any) -> str:
    """Everything inside expressions, to look for what they use."""
    if isinstance(node, Mapping):
        return " ".join(_texts(value) for value in node.values())
    if isinstance(node, list):
        return " ".join(_texts(value) for value in node)
    return " ".join(re.findall(r"\$\{\{(.*?)\}\}", str(node)))


def _number(value: Any) -> int:
    return value if isinstance(value, int) else 0
