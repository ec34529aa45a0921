"""``scorer ci``: what the workflows on GitHub call, one verb a step."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scorer.commands import options, running

if TYPE_CHECKING:
    from scorer.ci.plan import Plan
    from scorer.ci.state import Main

EXAMPLE = """examples:
  scorer ci workflows --check
  scorer ci doctor
  scorer ci status
  scorer ci moved --base main
  scorer ci simulate-attack
"""


def register(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the verb."""
    parser = verbs.add_parser(
        "ci", help="the steps of the workflows on GitHub", epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("what", choices=sorted(_STEPS),
                        help="validate a pull request; plan, score and publish what is merged; "
                        "build the site; audit, status; moved: whether a change keeps committed "
                        "results; workflows and doctor for maintainers; simulate-attack prints "
                        "what attacks on hidden gold find, by policy")
    parser.add_argument("--root", type=Path, default=Path(), help="the checkout (default: .)")
    parser.add_argument("--handed", type=Path, default=Path("_outcomes"), metavar="DIR",
                        help="outcomes: score writes them, publish reads them")
    parser.add_argument("--out", type=Path, default=Path("_site"), help="the built site")
    parser.add_argument("--models", choices=("auto", "no", "fetch"),
                        default=os.environ.get("WHYBOARD_MODELS", "auto"),
                        help="as for score (default: $WHYBOARD_MODELS or auto)")
    parser.add_argument("--base", metavar="COMMIT",
                        help="moved: the commit before the change (default: that of the pull "
                        "request)")
    parser.add_argument("--head", metavar="COMMIT", default="HEAD",
                        help="moved: the commit after it (default: HEAD)")
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"),
                        default=os.environ.get("WHYBOARD_DEVICE", "auto"),
                        help="score: where models run (default: $WHYBOARD_DEVICE or auto, the GPU "
                        "if there is one)")
    parser.add_argument("--memory", type=running.positive, metavar="GB",
                        default=os.environ.get("WHYBOARD_MEMORY") or None,
                        help="score: most memory of the worker, in GiB (Linux; default: "
                        "$WHYBOARD_MEMORY, or three quarters of the machine's)")
    parser.add_argument("--items", type=int, default=400,
                        help="simulate-attack: items of the split (400)")
    parser.add_argument("--runs", type=int, default=10,
                        help="simulate-attack: attackers to take the mean of (10)")
    parser.add_argument("--write", action="store_true", help="workflows: write them")
    parser.add_argument("--check", action="store_true",
                        help="workflows: fail where a file is not what the program says")
    options.home(parser)
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Do one step; exit 75 means that the next run takes it up."""
    return _STEPS[given.what](given)


def _main(given: argparse.Namespace) -> Main:
    from scorer.ci.git import Repository
    from scorer.ci.state import Main

    repository = Repository(given.root)
    return Main.read(repository, repository.commit("HEAD"), given.root / "boards")


def _plan(variable: str = "WHYBOARD_PLAN") -> Plan:
    from scorer.ci.plan import from_json
    from scorer.errors import DataError

    try:
        return from_json(json.loads(os.environ.get(variable, "")))
    except ValueError as fault:
        raise DataError(f"{variable} holds no plan; make one with: scorer ci plan") from fault


def _validate(given: argparse.Namespace) -> int:
    from scorer.ci import runner, validate

    def tell(judgement: validate.Judgement) -> None:
        runner.summary(validate.markdown(judgement))
        runner.annotate(judgement.problems)

    return validate.run(given.root, runner.event(), given.root / "boards", given.home, tell)


def _make_plan(given: argparse.Namespace) -> int:
    from datetime import UTC, datetime

    from scorer.ci import gold, plan, runner
    from scorer.ci.github import GitHub

    gold.fetch_public(given.root / "boards", given.home)
    again = os.environ.get("RETRY_ERRORS") == "true"
    made = plan.make(_main(given), given.home, retry_errors=again,
                     day=str(datetime.now(UTC).date()), github=GitHub.here())
    runner.output("plan", made.to_json())
    runner.output("count", len(made.jobs))
    runner.output("commit", made.commit)
    runner.say(f"{len(made.jobs)} to score, {len(made.rejected)} rejected, {made.left} left")
    return 0


def _score(given: argparse.Namespace) -> int:
    from scorer.ci import gold, score
    from scorer.ci.errors import TryAgain
    from scorer.ci.runner import say
    from scorer.engines.limits import usual_memory
    from scorer.hidden.age import own_identity

    identity = own_identity()
    gold.fetch_public(given.root / "boards", given.home)
    device = gold.device_of(given.device, given.models)
    say(f"models run on {device}")
    settings = score.Settings(given.home, given.models,
                              os.environ.get("WHYBOARD_GOLD_SOURCE", ""), identity, device,
                              given.memory or usual_memory())
    again = score.run(_plan(), _main(given), settings, given.handed)
    if again:
        raise TryAgain(f"this machine failed on {len(again)} submissions; the next run tries again")
    return 0


def _publish(given: argparse.Namespace) -> int:
    from scorer.ci import gold, publish
    from scorer.ci.comments import tell
    from scorer.ci.git import Repository
    from scorer.ci.github import GitHub
    from scorer.ci.runner import say
    from scorer.ci.state import Main
    from scorer.engines.quiet import close_memory

    close_memory()
    plan, repository, boards = _plan(), Repository(given.root), given.root / "boards"
    gold.fetch_public(boards, given.home)
    commit, done = publish.publish(repository, plan, given.handed, boards, home=given.home,
                                   failed=os.environ.get("SCORE_RESULT") == "failure")
    say(f"{done.message().strip()}, in {commit[:12]}")
    tell(Main.read(repository, commit, boards), done.outcomes, plan.day, GitHub.here(),
         os.environ.get("WHYBOARD_SITE_URL", ""))
    return 0


def _states(given: argparse.Namespace) -> dict[str, Any]:
    """The state of every submission, and what the codes of errors mean."""
    from scorer.ci import state
    from scorer.ci.errors import CODES

    main = _main(given)
    found = state.status_json(list(state.states(main)), main.commit, state.disowned_json(main))
    return {**found, "codes": CODES}


def _site(given: argparse.Namespace) -> int:
    from scorer.ci import gold
    from scorer.ci.runner import say
    from scorer.website.build import build

    gold.fetch_public(given.root / "boards", given.home)
    say(str(build(given.root, given.out, home=given.home, status=_states(given))))
    return 0


def _status(given: argparse.Namespace) -> int:
    from scorer.files import json_bytes

    sys.stdout.write(json_bytes(_states(given)).decode())
    return 0


def _audit(given: argparse.Namespace) -> int:
    from scorer.ci import audit
    from scorer.ci.runner import say

    found = list(audit.findings(_main(given)))
    for line in found:
        say(line)
    say(f"{len(found)} findings")
    return 3 if found else 0


def _moved(given: argparse.Namespace) -> int:
    from scorer.ci import results_guard, runner
    from scorer.ci.git import Repository
    from scorer.errors import SubmissionError, UsageError

    if given.base is None and "GITHUB_EVENT_PATH" not in os.environ:
        raise UsageError("name the commit before the change with --base")
    base = given.base or results_guard.base_of(runner.event())
    if base is None:
        runner.say("no pull request: nothing to compare with")
        return 0
    found = results_guard.findings(Repository(given.root), base, given.head)
    runner.annotate(found)
    if found:
        raise SubmissionError(found)
    runner.say(f"every result of {base} is as it was, or has a version that says why not")
    return 0


def _workflows(given: argparse.Namespace) -> int:
    from scorer.ci import workflows
    from scorer.ci.runner import say
    from scorer.errors import DataError

    if given.write:
        for path in workflows.write(given.root):
            say(str(path))
    stale = workflows.stale(given.root)
    if stale:
        raise DataError(f"not what the program says: {', '.join(stale)}; run: "
                        "scorer ci workflows --write")
    return 0


def _doctor(given: argparse.Namespace) -> int:
    from scorer.ci import doctor
    from scorer.ci.runner import say

    found = doctor.findings(given.root)
    for line in found:
        say(line)
    say(f"{len(found)} findings; what a setting on GitHub must be: docs/maintainers.md")
    return 3 if found else 0


def _attack(given: argparse.Namespace) -> int:
    from scorer.board import policy
    from scorer.errors import UsageError
    from scorer.hidden.release import simulation

    if given.runs < 1 or given.items < policy.FEWEST_ITEMS:
        raise UsageError(f"--runs is at least 1, --items at least {policy.FEWEST_ITEMS}")
    print(simulation.table(items=given.items, runs=given.runs), end="")
    return 0


_STEPS = {"validate": _validate, "plan": _make_plan, "score": _score, "publish": _publish,
          "site": _site, "status": _status, "audit": _audit, "workflows": _workflows,
          "doctor": _doctor, "moved": _moved, "simulate-attack": _attack}
