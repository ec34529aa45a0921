"""What must be set on GitHub once, as a script for GitHub's own program ``gh``.

Environments, secrets, variables and required checks are read off the workflows that ``ci doctor``
compares with the files, so that the script sets what they use. It is printed and never run by us.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import Any, NamedTuple
from urllib.parse import quote as url_quote

from scorer._version import __version__
from scorer.board import load_all
from scorer.ci import workflows
from scorer.ci.git import Repository
from scorer.ci.github import MAINTENANCE, ON_BEHALF
from scorer.errors import DataError, UsageError, excerpt

MAIN = "main"
ACTIONS_APP = 15368
"""The id of GitHub Actions among the apps that report checks."""
ADMINISTRATOR = 5
"""The id of the role of administrators of a repository."""
LABELS = (MAINTENANCE, ON_BEHALF, "gold", "submission", "withdrawal")
"""What the pipeline and the issue forms use."""
_NAME = re.compile(r"[A-Za-z0-9._-]{1,100}/[A-Za-z0-9._-]{1,100}")
_ORIGIN = re.compile(r"github\.com[:/]([^/\s]+/[^/\s]+?)(?:\.git)?/?$")
_PLAIN = re.compile(r"\w[\w .-]{0,99}")
"""What a group of machines and an environment may be called: both come into a shell script."""
_USED = re.compile(r"\b(secrets|vars)\.(\w+)")


class NamedSetting(NamedTuple):
    """A secret or variable that workflows read."""

    kind: str
    """``secrets`` or ``vars``."""
    name: str
    environment: str
    """Where it is set; empty for the repository."""


class RepositorySettings(NamedTuple):
    """What the workflows of a repository need there."""

    environments: tuple[str, ...]
    named: tuple[NamedSetting, ...]
    checks: tuple[str, ...]
    """Jobs that a pull request must pass."""
    runner_group: str
    """The group of machines of one's own that score; empty where a hosted machine does."""


def of(root: Path) -> RepositorySettings:
    """What the workflows of a repository need."""
    return _needed([workflows.document(root, name, {}) for name in workflows.of(root)])


def _needed(documents: Sequence[Mapping[str, Any]]) -> RepositorySettings:
    jobs = [job for document in documents for job in document["jobs"].values()]
    used: dict[tuple[str, str], set[str]] = {}
    for job in jobs:
        for kind, name in _USED.findall(json.dumps(job)):
            used.setdefault((kind, name), set()).add(job.get("environment", ""))
    named = [NamedSetting(kind, name, where.pop() if len(where) == 1 else "")
             for (kind, name), where in sorted(used.items())]
    machines = [job["runs-on"] for job in jobs if isinstance(job.get("runs-on"), Mapping)]
    group = next((machine["group"] for machine in machines if "group" in machine), "")
    environments = {job["environment"] for job in jobs if "environment" in job}
    return RepositorySettings(
        tuple(sorted(_plain(name, "environment") for name in environments)),
        tuple(named),
        tuple(job for document in documents if "pull_request" in document["on"]
              for job in document["jobs"]),
        _plain(group, "runner group") if group else "")


def _plain(name: object, what: str) -> str:
    """A name that the script may hold. Raises DataError for any other."""
    if not isinstance(name, str) or not _PLAIN.fullmatch(name):
        raise DataError(
            f"{workflows.FOLDER}: {excerpt(str(name))} is no name for the {what}; expected 1 to "
            "100 letters, digits, spaces, dots, hyphens and underscores, the first a letter, a "
            "digit or an underscore; rename it on GitHub and in the file")
    return name


def repository_of(root: Path, named: str | None) -> str:
    """``OWNER/NAME`` as given, or as the remote origin says. Raises UsageError for neither."""
    if named is None:
        told = Repository(root).run("remote", "get-url", "origin", check=False).stdout
        found = _ORIGIN.search(told.decode(errors="replace").strip())
        named = found[1] if found else ""
    if not _NAME.fullmatch(named):
        raise UsageError(f"{excerpt(named)} is no repository on GitHub; name yours with "
                         "--repository OWNER/NAME")
    return named


def ruleset(checks: Sequence[str], *, alone: bool = False) -> dict[str, Any]:
    """The rules of the main branch. ``alone``: administrators may merge a pull request of theirs
    without a review; nobody else is there to give one."""
    bypass: list[dict[str, Any]] = [
        {"actor_id": None, "actor_type": "DeployKey", "bypass_mode": "always"}]
    if alone:
        bypass.append({"actor_id": ADMINISTRATOR, "actor_type": "RepositoryRole",
                       "bypass_mode": "pull_request"})
    return {
        "name": MAIN, "target": "branch", "enforcement": "active", "bypass_actors": bypass,
        "conditions": {"ref_name": {"include": ["~DEFAULT_BRANCH"], "exclude": []}},
        "rules": [
            {"type": "deletion"}, {"type": "non_fast_forward"},
            {"type": "pull_request", "parameters": {
                "required_approving_review_count": 1, "dismiss_stale_reviews_on_push": True,
                "require_code_owner_review": True, "require_last_push_approval": False,
                "required_review_thread_resolution": False,
                "allowed_merge_methods": ["squash", "merge"]}},
            {"type": "required_status_checks", "parameters": {
                "strict_required_status_checks_policy": False,
                "required_status_checks": [{"context": name, "integration_id": ACTIONS_APP}
                                           for name in checks]}},
        ],
    }


def script(root: Path, repository: str, *, scoring: str = "", alone: bool = False) -> str:
    """The script, whole. ``scoring``: the private repository that scores, if one does."""
    wanted = of(root)
    named = [(setting, repository) for setting in wanted.named]
    if scoring:
        keys = _needed([workflows.private(root, repository)]).named
        named = [*((setting, scoring) for setting in keys if setting.name in _OF_SCORING),
                 *((setting, where) for setting, where in named
                   if setting.name not in _OF_SCORING)]
    hidden = any(board.hides_gold for board in load_all(root / "boards"))
    parts = [_head(repository), *_actions(), *_environments(wanted.environments)]
    for setting, where in named:
        if hidden or setting.name not in _OF_GOLD:
            environment = f" --env {quote(setting.environment)}" if setting.environment else ""
            parts.append(_OF_NAME[setting.name].format(
                name=setting.name, place=f"--repo {quote(where)}{environment}"))
    parts += [*_runners(repository, wanted.runner_group), *_rest(),
              *_main(ruleset(wanted.checks, alone=alone))]
    return "\n".join([*parts, f"echo {_DONE}"]) + "\n"


_DONE = '"Set. What a checkout lacks: scorer ci doctor"'


def _head(repository: str) -> str:
    return f"""\
#!/usr/bin/env bash
# What GitHub must know of {repository}, once. Printed by scorer ci setup (whyboard {__version__})
# from the definitions behind .github/workflows. Read it, log in with `gh auth login` as an
# administrator of the repository, then run it: bash setup.sh. It may be run again.
set -euo pipefail
repository={quote(repository)}
here="repos/$repository"
keys=$(mktemp -d)
trap 'rm -rf "$keys"' EXIT
put() {{ gh api --silent --method "$2" "$here$1" --input -; }}
has() {{ grep -Fx -- "$1" > /dev/null; }}
gh auth status > /dev/null
"""


def _put(path: str, document: Mapping[str, Any], method: str = "PUT") -> str:
    return f"put '{path and '/' + path}' {method} <<'JSON'\n{json.dumps(document)}\nJSON"


def _actions() -> Iterator[str]:
    yield "echo 'Actions: those of GitHub alone, pinned, with read permissions'"
    yield _put("actions/permissions", {"enabled": True, "allowed_actions": "selected",
                                       "sha_pinning_required": True})
    yield _put("actions/permissions/selected-actions", {
        "github_owned_allowed": True, "verified_allowed": False, "patterns_allowed": []})
    yield _put("actions/permissions/workflow", {
        "default_workflow_permissions": "read", "can_approve_pull_request_reviews": False})
    yield _put("actions/permissions/fork-pr-contributor-approval",
               {"approval_policy": "all_external_contributors"})


def _environments(names: Sequence[str]) -> Iterator[str]:
    policy = {"deployment_branch_policy": {"protected_branches": False,
                                           "custom_branch_policies": True}}
    for name in names:
        place = f"environments/{url_quote(name)}"
        yield f"\necho {quote(f'Environment {name}: branch {MAIN} alone')}"
        yield _put(place, policy)
        yield (f'gh api "$here/{place}/deployment-branch-policies" --jq ".branch_policies[].name" '
               f"| has {MAIN} ||\n"
               f'  gh api --silent --method POST "$here/{place}/deployment-branch-policies" '
               f"-f name={MAIN} -f type=branch")


_PUBLISH_KEY = """
echo 'The publisher pushes to main with a deploy key; its private half is kept nowhere else'
if gh secret list {place} --json name --jq '.[].name' | has {name}; then
  echo '  there already; for a new one delete this secret and the deploy key, then run this again'
else
  ssh-keygen -q -t ed25519 -N '' -C publisher -f "$keys/publish"
  gh repo deploy-key add "$keys/publish.pub" --repo "$repository" --allow-write --title publisher
  gh secret set {name} {place} < "$keys/publish"
fi"""
_GOLD_IDENTITY = """
echo 'Hidden gold: the key that opens it; keep the file, and a copy off line'
gold_key=${{GOLD_KEY:-$HOME/whyboard.key}}
[ -e "$gold_key" ] || scorer gold key "$gold_key"
tail -n 1 "$gold_key" | gh secret set {name} {place}"""
_GOLD_SOURCE = """\
gh variable set {name} {place} --body "${{GOLD_SOURCE:-age:gold}}\""""
_SITE_URL = """
echo 'Pages: built by a workflow'
if gh api --silent "$here/pages" 2> /dev/null; then method=PUT; else method=POST; fi
gh api --silent --method "$method" "$here/pages" -f build_type=workflow
gh variable set {name} {place} --body "$(gh api "$here/pages" --jq .html_url)\""""
_MEMORY = """
# GiB that a scoring worker may use, if not three quarters of the machine's:
# gh variable set {name} {place} --body 12"""

_OF_NAME = {"PUBLISH_KEY": _PUBLISH_KEY, "WHYBOARD_GOLD_IDENTITY": _GOLD_IDENTITY,
            "WHYBOARD_GOLD_SOURCE": _GOLD_SOURCE, "WHYBOARD_MEMORY": _MEMORY,
            "WHYBOARD_SITE_URL": _SITE_URL}
"""How each secret and variable is set."""
_OF_GOLD = ("WHYBOARD_GOLD_IDENTITY", "WHYBOARD_GOLD_SOURCE")
"""Needed by boards with hidden gold alone."""
_OF_SCORING = ("PUBLISH_KEY", *_OF_GOLD, "WHYBOARD_MEMORY")
"""What the repository has in which the jobs run that score and publish."""


_NEEDS = f"score.yml of {MAIN} alone (needs an organisation)"


def _runners(repository: str, group: str) -> Iterator[str]:
    if not group:
        return
    owner = repository.partition("/")[0]
    served = f"{repository}/{workflows.FOLDER}/score.yml@refs/heads/{MAIN}"
    document = {"name": group, "visibility": "selected", "allows_public_repositories": True,
                "restricted_to_workflows": True, "selected_workflows": [served]}
    yield f"""
echo {quote(f"Runner group {group}: this repository and {_NEEDS}")}
groups="orgs/{owner}/actions/runner-groups"
if ! gh api "$groups" --jq '.runner_groups[].name' | has {quote(group)}; then
  id=$(gh api --method POST "$groups" --jq .id --input - <<'JSON'
{json.dumps(document)}
JSON
)
  gh api --silent --method PUT "$groups/$id/repositories/$(gh api "$here" --jq .id)"
fi"""


def _rest() -> Iterator[str]:
    yield "\necho 'Labels, merging, reports of security'"
    for label in LABELS:
        yield f'gh label create {label} --repo "$repository" --force'
    yield _put("", {"allow_rebase_merge": False, "allow_squash_merge": True,
                      "allow_merge_commit": True}, "PATCH")
    scanning = {name: {"status": "enabled"}
                for name in ("secret_scanning", "secret_scanning_push_protection")}
    yield (_put("", {"security_and_analysis": scanning}, "PATCH").replace(
        " <<'JSON'", " <<'JSON' || echo '  secret scanning is not offered here'", 1))
    yield ('gh api --silent --method PUT "$here/private-vulnerability-reporting" ||\n'
           "  echo '  private reports are not offered here'")


def _main(rules: Mapping[str, Any]) -> Iterator[str]:
    yield f"""
echo 'Ruleset of {MAIN}, last: from now on changes come by pull request'
number=$(gh api "$here/rulesets" --jq '.[] | select(.name == "{rules["name"]}") | .id')
if [ -n "$number" ]; then place="/rulesets/$number" method=PUT; else place=/rulesets method=POST; fi
put "$place" "$method" <<'JSON'
{json.dumps(rules, indent=1)}
JSON"""
