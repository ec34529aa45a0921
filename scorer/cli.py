"""The program ``scorer``: verbs stand in ``commands``; errors become exit codes here.

Exit codes: 0 fine, 1 a bug (with its traceback), 2 the user's or the submission's fault, 3 our
data or environment.
"""

from __future__ import annotations

import argparse
import errno
import gc
import os
import sys
from collections.abc import Sequence

from scorer._version import __version__
from scorer.core.errors import WhyboardError, printable
from scorer.pipeline.hidden.handing import hide_key


def parser(verb: str | None = None) -> argparse.ArgumentParser:
    """The whole command line, which docs and tests read; or of a verb alone its options."""
    from scorer.commands import VERBS, load
    from scorer.commands.options import declare

    top = argparse.ArgumentParser(
        prog="scorer",
        description="Check, score and publish explanations. `scorer VERB --help` shows examples.",
    )
    top.add_argument("--version", action="version", version=f"whyboard {__version__}")
    top.set_defaults(parser=top)
    verbs = top.add_subparsers(dest="verb", required=True, metavar="VERB")
    for name, (_, words) in VERBS.items():
        if verb in (None, name):
            declare(verbs, name, words, load(name))
        else:
            verbs.add_parser(name, help=words)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; returns the exit code. Without ``arguments`` this process is the program,
    and may begin again."""
    if arguments is None:
        hide_key()
        # Our products of matrices are small: more threads only wait for each other, at full speed.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # it would look for some
        gc.set_threshold(100_000, 50, 100)  # imports make little garbage: a twentieth is saved
    words = sys.argv[1:] if arguments is None else arguments
    verb = next((word for word in words if not word.startswith("-")), "")
    options, unknown = parser(verb).parse_known_args(words)
    if unknown:
        options.parser.error(printable(f"unrecognized arguments: {' '.join(unknown)}; choose from "
                                       "those above"))
    try:
        code = int(options.run(options) or 0)
        sys.stdout.flush()
        return code
    except WhyboardError as fault:
        print(fault, file=sys.stderr)
        return fault.exit_code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as fault:
        if fault.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        print(f"the output cannot be written ({fault.strerror}); make room", file=sys.stderr)
        return 3
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return 130
