"""``scorer ci``: what the workflows on GitHub call, one verb a step."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scorer.commands import options, running
from scorer.commands.options import Action, Option, VerbGroup, from_environment, option

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scorer.ci.main_branch import CiJob
    from scorer.ci.plan import CiPlan


def _plan(variable: str = "WHYBOARD_PLAN") -> CiPlan:
    from scorer.ci.plan import from_json
    from scorer.errors import DataError

    try:
        return from_json(json.loads(os.environ.get(variable, "")))
    except ValueError as fault:
        raise DataError(f"{variable} holds no plan; make one with: scorer ci plan") from fault


def _fetch(given: argparse.Namespace, jobs: Iterable[CiJob]) -> None:
    """Bring the data of those boards that some jobs are of."""
    from scorer.board import load_all
    from scorer.ci import gold

    wanted = {job.board for job in jobs}
    gold.fetch_public([board for board in load_all(given.root / "boards") if board.id in wanted],
                      given.home)


def _validate(given: argparse.Namespace) -> int:
    from scorer.ci import runner, validate
    from scorer.ci.review import markdown

    review = validate.run(given.root, runner.event(), given.root / "boards", given.home)
    runner.summary(markdown(review))
    runner.annotate(review.problems)
    return review.code


def _annotations(given: argparse.Namespace) -> int:
    from scorer.ci import answers, runner

    found = answers.run(given.root, runner.event(), given.home)
    runner.summary(answers.markdown(found))
    runner.annotate(found.problems)
    runner.annotate(found.notes, "warning")
    return 2 if found.total else 0


def _make_plan(given: argparse.Namespace) -> int:
    from datetime import UTC, datetime

    from scorer.ci import plan, runner
    from scorer.ci.github import GitHub

    main = options.main_branch(given)
    _fetch(given, main.jobs())
    again = os.environ.get("RETRY_ERRORS") == "true"
    made = plan.make(main, given.home, retry_errors=again,
                     day=str(datetime.now(UTC).date()), github=GitHub.here())
    runner.output("plan", made.to_json())
    runner.output("count", len(made.jobs))
    runner.output("commit", made.commit)
    runner.say(f"{len(made.jobs)} to score, {len(made.rejected)} rejected, {made.left} left")
    return 0


def _score(given: argparse.Namespace) -> int:
    from scorer.ci import gold, score
    from scorer.ci.errors import TryAgain
    from scorer.ci.hidden import ScoringSettings
    from scorer.ci.runner import say
    from scorer.engines.process import usual_memory
    from scorer.hidden.age import own_identity

    identity, plan = own_identity(), _plan()
    _fetch(given, plan.jobs)
    device = gold.device_of(given.device, given.models)
    say(f"models run on {device}")
    settings = ScoringSettings(given.home, given.models, os.environ.get("WHYBOARD_GOLD_SOURCE", ""),
                              identity, device, given.memory or usual_memory())
    again = score.run(plan, options.main_branch(given), settings, given.handed)
    if again:
        raise TryAgain(f"this machine failed on {len(again)} submissions; the next run tries again")
    return 0


def _publish(given: argparse.Namespace) -> int:
    from scorer.ci import publish
    from scorer.ci.comments import tell
    from scorer.ci.git import Repository
    from scorer.ci.github import GitHub
    from scorer.ci.main_branch import Main
    from scorer.ci.runner import say
    from scorer.engines.process import close_memory

    close_memory()
    plan, repository, boards = _plan(), Repository(given.root), given.root / "boards"
    _fetch(given, plan.jobs)
    commit, done = publish.publish(repository, plan, given.handed, boards, home=given.home,
                                   failed=os.environ.get("SCORE_RESULT") == "failure")
    say(f"{done.message().strip()}, in {commit[:12]}")
    tell(Main.read(repository, commit, boards), done.outcomes, plan.day, GitHub.here(),
         os.environ.get("WHYBOARD_SITE_URL", ""))
    return 0


def _comment(given: argparse.Namespace) -> int:
    """For a repository whose results a private one pushes."""
    from datetime import UTC, datetime

    from scorer.ci.comments import tell
    from scorer.ci.github import GitHub

    tell(options.main_branch(given), (), str(datetime.now(UTC).date()), GitHub.here(),
         os.environ.get("WHYBOARD_SITE_URL", ""))
    return 0


def _states(given: argparse.Namespace) -> dict[str, Any]:
    """The state of every submission, and what the codes of errors mean."""
    from scorer.ci.errors import CODES
    from scorer.ci.states import disowned_json, states, status_json

    main = options.main_branch(given)
    found = status_json(list(states(main)), main.commit, disowned_json(main))
    return {**found, "codes": CODES}


def _site(given: argparse.Namespace) -> int:
    from scorer.board import load_all
    from scorer.ci import gold
    from scorer.ci.runner import say
    from scorer.website.build import build

    gold.fetch_public(load_all(given.root / "boards"), given.home)
    report = build(given.root, given.out, home=given.home, status=_states(given))
    for warning in report.warnings:
        say(f"warning: {warning}")
    say(str(report))
    return 0


def _status(given: argparse.Namespace) -> int:
    options.write_json("-", _states(given))
    return 0


def _audit(given: argparse.Namespace) -> int:
    from scorer.ci import audit
    from scorer.ci.runner import say

    found = list(audit.findings(options.main_branch(given)))
    for line in found:
        say(line)
    say(f"{len(found)} findings" + ("; what to do: scorer handbook maintainers" if found else ""))
    return 3 if found else 0


def _moved(given: argparse.Namespace) -> int:
    from scorer.ci import generated, runner
    from scorer.ci.git import Repository
    from scorer.errors import SubmissionError, UsageError

    if given.base is None and "GITHUB_EVENT_PATH" not in os.environ:
        raise UsageError("name the commit before the change with --base")
    base = given.base or generated.base_of(runner.event())
    if base is None:
        runner.say("no pull request: nothing to compare with")
        return 0
    found = generated.moved(Repository(given.root), base, given.head)
    runner.annotate(found)
    if found:
        raise SubmissionError(found)
    runner.say(f"every result of {base} is as it was, or has a version that says why not")
    return 0


def _doctor(given: argparse.Namespace) -> int:
    from scorer.ci import doctor
    from scorer.ci.runner import say

    found = doctor.findings(given.root, given.home)
    for line in found:
        say(line)
    say(f"{len(found)} findings; what GitHub must know: sh .github/settings.sh")
    return 3 if found else 0


def _attack(given: argparse.Namespace) -> int:
    from scorer.board import policy
    from scorer.errors import UsageError
    from scorer.hidden.release import simulation

    if given.runs < 1 or given.items < policy.FEWEST_ITEMS:
        raise UsageError(f"--runs is at least 1, --items at least {policy.FEWEST_ITEMS}")
    print(simulation.table(items=given.items, runs=given.runs), end="")
    return 0


_COMMON: tuple[Option, ...] = (options.root, options.home)
_HANDED = option("--handed", type=Path, default=Path("_outcomes"), metavar="DIR",
                 help="where score writes outcomes and publish reads them (default: _outcomes)")

VERB = VerbGroup("ci", "the steps of the workflows on GitHub", (
    Action("validate", "check the pull request of this run and score it without models", _validate,
           "scorer ci validate", _COMMON),
    Action("annotations", "check what the pull request of this run changes below annotations/",
           _annotations, "scorer ci annotations", (options.root, options.home)),
    Action("plan", "say which merged files are to be scored", _make_plan, "scorer ci plan",
           _COMMON),
    Action("score", "score what the plan names", _score, "scorer ci score --models no", (
        *_COMMON, _HANDED,
        from_environment("--models", "WHYBOARD_MODELS", "auto", choices=("auto", "no", "fetch"),
                         help="as for scorer score (default: $WHYBOARD_MODELS or auto)"),
        from_environment("--device", "WHYBOARD_DEVICE", "auto", choices=("auto", "cpu", "cuda"),
                         help="where models run (default: $WHYBOARD_DEVICE or auto, the GPU if "
                         "there is one)"),
        from_environment("--memory", "WHYBOARD_MEMORY", type=running.positive, metavar="GB",
                         help="most memory of the worker, in GiB (Linux; default: "
                         "$WHYBOARD_MEMORY, or three quarters of the machine's)"),
    )),
    Action("publish", "write results and ledger of what was scored, and comment", _publish,
           "scorer ci publish", (*_COMMON, _HANDED)),
    Action("site", "build the site with the states of all submissions", _site,
           "scorer ci site --out _site", (
               *_COMMON,
               option("--out", type=Path, default=Path("_site"),
                      help="the built site (default: _site)"))),
    Action("status", "print the state of every submission as JSON", _status,
           "scorer ci status > status.json", (options.root,)),
    Action("audit", "name everything on the main branch that is not as it should be", _audit,
           "scorer ci audit", (options.root,)),
    Action("moved", "fail where a change moves committed results without a new version", _moved,
           "scorer ci moved --base origin/main", (
               options.root,
               option("--base", metavar="COMMIT", help="the commit before the change (default: "
                      "that of the pull request)"),
               option("--head", metavar="COMMIT", default="HEAD",
                      help="the commit after it (default: HEAD)"))),
    Action("comment", "post or correct the comments on merged pull requests", _comment,
           "scorer ci comment", (options.root,)),
    Action("doctor", "name what a checkout lacks", _doctor, "scorer ci doctor", _COMMON),
    Action("simulate-attack", "print what attacks on hidden gold find, by policy", _attack,
           "scorer ci simulate-attack --runs 20", (
               option("--items", type=int, default=400, help="items of the split (default: 400)"),
               option("--runs", type=int, default=10,
                      help="attackers to take the mean of (default: 10)"))),
))
