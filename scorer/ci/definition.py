"""What a workflow is made of, as values: the YAML, the policy test and the replay read the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple


class Pin(NamedTuple):
    """An action at a commit, and the tag that stands beside it for people and Dependabot."""

    commit: str
    tag: str


@dataclass(frozen=True)
class Step:
    """One step: an action with its inputs, or one line that calls the program."""

    uses: str | None = None
    inputs: Mapping[str, Any] = field(default_factory=dict)
    run: str | None = None
    name: str | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    id: str | None = None
    condition: str | None = None

    def document(self, pins: Mapping[str, Pin]) -> dict[str, Any]:
        """As in the YAML."""
        uses = f"{self.uses}@{pins[self.uses].commit}" if self.uses else None
        return _present(**{"name": self.name, "id": self.id, "if": self.condition, "uses": uses,
                           "with": dict(self.inputs), "env": dict(self.env), "run": self.run})


@dataclass(frozen=True)
class Job:
    """One job: where it runs, what it may, and its steps; or a workflow that it calls."""

    permissions: Mapping[str, str]
    steps: tuple[Step, ...] = ()
    minutes: int = 10
    runs_on: Any = "ubuntu-24.04"
    needs: tuple[str, ...] = ()
    condition: str | None = None
    environment: Any = None
    outputs: Mapping[str, str] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)
    calls: str | None = None

    def document(self, pins: Mapping[str, Pin]) -> dict[str, Any]:
        """As in the YAML."""
        head = _present(**{"needs": list(self.needs), "if": self.condition})
        if self.calls is not None:
            return {**head, "permissions": dict(self.permissions), "uses": self.calls}
        return head | _present(**{
            "runs-on": self.runs_on, "timeout-minutes": self.minutes,
            "environment": self.environment, "outputs": dict(self.outputs),
            "env": dict(self.env),
        }) | {"permissions": dict(self.permissions),
              "steps": [step.document(pins) for step in self.steps]}


@dataclass(frozen=True)
class Workflow:
    """One file of ``.github/workflows``."""

    name: str
    on: Mapping[str, Any]
    concurrency: Mapping[str, Any]
    jobs: Mapping[str, Job]

    def document(self, pins: Mapping[str, Pin]) -> dict[str, Any]:
        """As in the YAML: no permission but those that a job names."""
        return {
            "name": self.name, "on": dict(self.on), "permissions": {},
            "concurrency": dict(self.concurrency),
            "jobs": {name: job.document(pins) for name, job in self.jobs.items()},
        }


def _present(**entries: Any) -> dict[str, Any]:
    return {name: value for name, value in entries.items() if value not in (None, {}, [])}
