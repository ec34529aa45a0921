"""``python -m scorer``."""

import sys

from scorer.cli import main

if __name__ == "__main__":
    sys.exit(main())
