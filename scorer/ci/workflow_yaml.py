"""YAML as workflows need it: ``on`` stays a key, nothing is shared, tags stand beside pins."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import yaml

from scorer.ci.definition import Pin

HEAD = """\
# Generated from scorer/ci/workflows.py; change it there, then: scorer ci workflows --write
# The commits and tags of actions are kept as they are here, so Dependabot may change them.
"""
_BOOL = "tag:yaml.org,2002:bool"


class _Loader(yaml.SafeLoader):
    """Reads ``true`` and ``false`` as such, and ``on``, ``yes`` and ``no`` as text."""


class _Dumper(yaml.SafeDumper):
    """Writes what ``_Loader`` reads, without anchors."""

    def ignore_aliases(self, data: Any) -> bool:
        """Write what occurs twice twice."""
        return True


for _kind in (_Loader, _Dumper):
    _kind.yaml_implicit_resolvers = {
        letter: [(tag, pattern) for tag, pattern in resolvers if tag != _BOOL]
        for letter, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    _kind.add_implicit_resolver(_BOOL, re.compile(r"^(?:true|false)$"), list("tf"))


def load(text: str) -> Any:
    """A workflow as plain values. Raises yaml.YAMLError if it is no YAML."""
    return yaml.load(text, Loader=_Loader)  # noqa: S506  # a SafeLoader


def dump(document: Mapping[str, Any], pins: Mapping[str, Pin]) -> str:
    """A workflow as text; the tag of every pinned action stands beside it."""
    text = yaml.dump(dict(document), Dumper=_Dumper, sort_keys=False, width=10**6,
                     allow_unicode=True)
    tags = {f"{action}@{pin.commit}": pin.tag for action, pin in pins.items()}
    tags = {action: f" # {tag}" for action, tag in tags.items() if tag}
    text = re.sub(r"(?<=uses: )(\S+@[0-9a-f]{40})$",
                  lambda found: found[1] + tags.get(found[1], ""), text, flags=re.M)
    assert load(text) == document
    return HEAD + text
