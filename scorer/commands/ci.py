"""``scorer ci``: what the workflows on GitHub call, one verb a step."""

from __future__ import annotations

import os
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from scorer.commands import options
from scorer.commands.options import Action, Args, Option, VerbGroup, from_environment, option
from scorer.core.errors import SubmissionError, UsageError, counted

if TYPE_CHECKING:
    from scorer.pipeline.ci.main_branch import Main


def _retry() -> bool:
    """Whether somebody asked that final failures are tried again."""
    return os.environ.get("RETRY_ERRORS") == "true"


def today() -> str:
    """The day as UTC has it, YYYY-MM-DD."""
    return str(datetime.now(UTC).date())


def _day() -> str:
    """The day of the run, as its plan says it; today by hand."""
    try:
        return str(date.fromisoformat(os.environ.get("WHYBOARD_DAY") or today()))
    except ValueError as fault:
        raise UsageError("WHYBOARD_DAY holds no day as YYYY-MM-DD; scorer ci plan says it"
                         ) from fault


def _main(root: Path, commit: str = "HEAD") -> Main:
    """What lies at a commit of a checkout, with the boards of its work tree."""
    from scorer.pipeline.ci.git import Repository
    from scorer.pipeline.ci.main_branch import Main

    repository = Repository(root)
    return Main(repository, repository.commit(commit), root / "boards")


def _validate(args: Args) -> int:
    from scorer.pipeline.ci import pull, runner, validate
    from scorer.pipeline.ci.git import Repository

    repository = Repository(args.root)
    review = validate.check(repository, pull.bring(repository, runner.event()),
                            args.root / "boards", args.home, scored=True)
    runner.summary(validate.markdown(review))
    runner.annotate(review.problems)
    return review.code


def _annotations(args: Args) -> int:
    from scorer.pipeline.ci import answers, pull, runner
    from scorer.pipeline.ci.git import Repository

    repository = Repository(args.root)
    review = answers.check(repository, pull.bring(repository, runner.event()))
    runner.summary(answers.markdown(review))
    runner.annotate(review.problems)
    runner.annotate(review.notes, "warning")
    return review.code


def _plan(args: Args) -> None:
    from scorer.pipeline.ci import runner

    main, day = _main(args.root), today()
    waiting = main.pending(day, retry_errors=_retry())
    jobs = main.batch(waiting)
    runner.output("count", len(jobs))
    runner.output("commit", main.commit)
    runner.output("day", day)
    runner.say(f"{len(jobs)} to score, {len(waiting) - len(jobs)} left for the next run")


def _score(args: Args) -> None:
    from scorer.models.registry import device_here
    from scorer.pipeline.ci import runner, score
    from scorer.pipeline.ci.validate import fetch_data
    from scorer.pipeline.hidden.sealed import own_identity
    from scorer.scoring.engines.process import usual_memory

    identity, main = own_identity(), _main(args.root)
    jobs = main.batch(main.pending(_day(), retry_errors=_retry()))
    fetch_data({job.board: main.board(job) for job in jobs}.values(), args.home)
    device = device_here() if args.models != "no" else "cpu"
    runner.say(f"models run on {device}")
    source = os.environ.get("WHYBOARD_GOLD_SOURCE", "")
    settings = score.ScoringSettings(args.home, args.models, source, identity, device,
                                     args.memory or usual_memory())
    again = score.run(jobs, main, settings, args.handed)
    if again:
        raise runner.TryAgain(f"this machine failed on {len(again)} submissions; the next run "
                              "tries again")


def _publish(args: Args) -> None:
    from scorer.pipeline.ci import comments, publish, runner

    planned = _main(args.root, os.environ.get("WHYBOARD_COMMIT", ""))
    run = publish.WorkflowRun(planned, _day(), args.handed,
                              os.environ.get("SCORE_RESULT") == "failure", _retry())
    commit, published = publish.publish(run)
    runner.say(f"{published.message().strip()}, in {commit[:12]}")
    if {"GITHUB_REPOSITORY", "GITHUB_TOKEN"} <= os.environ.keys():
        comments.comment(_main(args.root, commit), run.jobs, run.day,
                         os.environ["GITHUB_REPOSITORY"], os.environ.get("WHYBOARD_SITE_URL", ""))


def _site(args: Args) -> None:
    from scorer.pipeline.ci import runner
    from scorer.pipeline.ci.validate import fetch_data
    from scorer.site.build import build

    main = _main(args.root)
    fetch_data(main.boards.values(), args.home)
    report = build(args.root, args.out, home=args.home, status=main.status_json(today()))
    for warning in report.warnings:
        runner.say(f"warning: {warning}")
    runner.say(str(report))


def _status(args: Args) -> None:
    options.write_json("-", _main(args.root).status_json(today()))


def _audit(args: Args) -> int:
    from scorer.pipeline.ci import audit
    from scorer.pipeline.ci.runner import say
    from scorer.pipeline.ci.validate import fetch_data

    main = _main(args.root)
    fetch_data({job.board: main.board(job) for job in audit.recent(main)}.values(), args.home)
    lines = list(audit.findings(main, args.home))
    for line in lines:
        say(line)
    say(counted(len(lines), "finding")
        + ("; what to do: scorer handbook run-a-board" if lines else ""))
    return 3 if lines else 0


def _moved(args: Args) -> None:
    from scorer.pipeline.ci import audit, runner
    from scorer.pipeline.ci.git import Repository

    if args.base is None and "GITHUB_EVENT_PATH" not in os.environ:
        raise UsageError("name the commit before the change with --base")
    # a push is the publisher's own, which may replace what maintainers removed
    base = args.base or runner.value_at(runner.event(), "pull_request", "base", "sha")
    if base is None:
        runner.say("no pull request: nothing to compare with")
        return
    problems = list(audit.moved(Repository(args.root), base, "HEAD"))
    runner.annotate(problems)
    if problems:
        raise SubmissionError(problems)
    runner.say(f"every result of {base} is as it was, or has a version that says why not")


def _doctor(args: Args) -> int:
    from scorer.pipeline.adopting import repository
    from scorer.pipeline.ci.runner import say

    lines = repository.lacking(args.root, args.home)
    for line in lines:
        say(line)
    say(f"{counted(len(lines), 'finding')}; what GitHub must know: sh .github/settings.sh")
    return 3 if lines else 0


_COMMON: tuple[Option, ...] = (options.root, options.home)
_HANDED = options.folder("--handed", "where score writes outcomes and publish reads them (default: "
                         "_outcomes)", default=Path("_outcomes"))

CI = VerbGroup((
    Action("validate", "check the pull request of this run and score it without models", _validate,
           "scorer ci validate", _COMMON),
    Action("annotations", "check what the pull request of this run changes below annotations/",
           _annotations, "scorer ci annotations", (options.root,)),
    Action("plan", "say whether merged files are to be scored", _plan, "scorer ci plan",
           (options.root,)),
    Action("score", "score merged files without a result", _score, "scorer ci score --models no", (
        *_COMMON, _HANDED,
        from_environment("--models", "WHYBOARD_MODELS", "auto", choices=("auto", "no", "fetch"),
                         help="as for scorer score (default: $WHYBOARD_MODELS or auto)"),
        from_environment("--memory", "WHYBOARD_MEMORY", type=options.positive, metavar="GB",
                         help="most memory of the worker, in GiB (Linux; default: "
                         "$WHYBOARD_MEMORY, or three quarters of the machine's)"),
    )),
    Action("publish", "write what was scored onto the main branch, and comment", _publish,
           "scorer ci publish", (options.root, _HANDED)),
    Action("site", "build the site with the states of all submissions", _site,
           "scorer ci site --out _site", (
        *_COMMON,
        option("--out", "the built site (default: _site)", type=Path, default=Path("_site")))),
    Action("status", "print the state of every submission as JSON", _status,
           "scorer ci status > status.json", (options.root,)),
    Action("audit", "name everything on the main branch that is not as it should be", _audit,
           "scorer ci audit", _COMMON),
    Action("moved", "fail where a change moves committed results without a new version", _moved,
           "scorer ci moved --base origin/main", (
        options.root,
        option("--base", "the commit before the change (default: that of the pull request)",
               metavar="COMMIT"))),
    Action("doctor", "name what a checkout lacks", _doctor, "scorer ci doctor", _COMMON),
))
