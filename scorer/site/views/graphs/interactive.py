"""The interactive graph: the page draws its own drawing again with the vis-network file that comes
with pyvis, loaded only when a reader asks for it (``site/assets/network.js``).
"""

from __future__ import annotations

from pathlib import Path


def script() -> Path:
    """The vis-network file of the installed pyvis; not imported, for that imports IPython."""
    import pyvis

    found = sorted(Path(pyvis.__file__).parent.glob("lib/vis-*/vis-network.min.js"))
    return found[-1]
