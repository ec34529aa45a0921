"""``scorer compare``: is one system better than another, and how sure is that?"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from scorer.commands import options
from scorer.commands.options import Args, Verb, option
from scorer.core.errors import UsageError


def _compare(args: Args) -> None:
    if args.a == args.b:
        raise UsageError(f"{args.a} twice; name two systems or logs")
    if not args.board and not args.split:
        from scorer.lab.logs import comparing

        a, b = Path(args.a), Path(args.b)
        if comparing.looks_like_a_log(a) or comparing.looks_like_a_log(b):
            logs = comparing.compare(a, b, metrics=args.metric or (), lower=args.lower or (),
                                     cluster=args.cluster)
            _shown(args.json, logs.document, logs.text)
            return
    for name in ("lower", "cluster"):
        if getattr(args, name):
            raise UsageError(f"--{name} is for logs of other harnesses, named without --board")
    missing = [f"--{name}" for name in ("board", "split") if getattr(args, name) is None]
    if missing:
        args.parser.error(f"the following arguments are required: {', '.join(missing)}")
    from scorer.scoring.comparing import Finder, compare, document, text

    board = options.board_of(args)
    folders = args.results or [Path("results"), args.home / "results"]
    finder = Finder(board, args.split, folders, args.home, args.boards)
    results = finder.result(args.a), finder.result(args.b)
    pair = compare(board, (args.a, args.b), results, args.metric or ())
    _shown(args.json, lambda: document(pair), lambda: text(pair))


def _shown(json: str | None, document: Callable[[], Any], text: Callable[[], str]) -> None:
    """Write the document where it was asked for, and the text unless that is standard output."""
    if json:
        options.write_json(json, document())
    if json != "-":
        print(text())


COMPARE = Verb(_compare, """\
scorer compare my-team/first my-team/second --board explagraphs --split dev
scorer compare my-team/first reference/nearest-neighbour --board explagraphs-practice --split dev
scorer compare predictions.dev.tsv my-team/first --board explagraphs --split dev
scorer compare a/x b/y --board explagraphs --split dev --metric GED --metric G-BLEU --json -
scorer compare logs/first.eval logs/second.eval
scorer compare out/first out/second --metric exact_match --cluster topic""", (
    option("a", "TEAM/SYSTEM, or a submission's folder or a file of predictions (packed by gzip or "
           "not; - for standard input), which is scored without models; or, without --board, a log "
           "of inspect_ai (.eval, .json) or samples of lm-evaluation-harness (samples_*.jsonl, or "
           "the folder of a run) of any task", metavar="A"),
    option("b", "the same of the other system", metavar="B"),
    option("--board", "board name or path; needed for everything but logs"),
    option("--split", "split whose items are compared; needed for everything but logs"),
    option("--metric", "compare this metric only; may be repeated (default: all)", action="append",
           metavar="ID"),
    options.folder("--results", "folder of results; may be repeated (default: results, then "
                   "results below --home)", action="append"),
    option("--lower", "of logs: lower is better for this metric; may be repeated (default: as the "
           "log says, else higher)", action="append", metavar="ID"),
    option("--cluster", "of logs: samples with the same value of this field (inspect_ai: metadata, "
           "lm-evaluation-harness: doc) belong together", metavar="FIELD"),
    option("--json", "write every number and row there; - for standard output", metavar="OUT"),
    *options.folders,
))
