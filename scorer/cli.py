"""The program ``scorer``: one verb, one file in ``commands/``; errors become exit codes here.

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


def parser() -> argparse.ArgumentParser:
    """The whole command line; ``docs`` and tests read it too."""
    from scorer.commands import VERBS
    from scorer.commands.options import declare

    top = argparse.ArgumentParser(
        prog="scorer",
        description="Check, score and publish explanations. `scorer VERB --help` shows examples.",
    )
    top.add_argument("--version", action="version", version=f"whyboard {__version__}")
    top.set_defaults(parser=top)
    verbs = top.add_subparsers(dest="verb", required=True, metavar="VERB")
    for verb in VERBS:
        declare(verbs, verb)
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
    options, unknown = parser().parse_known_args(arguments)
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
