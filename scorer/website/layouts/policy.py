"""What a browser may load and run on a page: the content security policy. Pure.

Hosts of static sites send no headers of ours, so the policy is an element of the page. Scripts that
stand in the theme's page are allowed one by one, by digest; nothing else inline ever runs. Digests
are taken before bodies are put in, so what slips into a body would not be allowed either.
"""

from __future__ import annotations

import base64
import hashlib
import re

from scorer.errors import DataError

CHARSET = '<meta charset="utf-8">'
"""With this every page begins; the policy stands right behind it, before anything is loaded."""
POLICY = '<meta http-equiv="Content-Security-Policy"'
DATA = 'type="application/json"'


def policed(html: str) -> str:
    """A page of the theme with the policy that its own scripts need, in place of an older one.

    Raises DataError if the page does not declare its encoding as every page of ours does.
    """
    bare = _OWN.sub("", html)
    if CHARSET not in bare:
        raise DataError(f"the theme's page has no {CHARSET}")
    return bare.replace(CHARSET, CHARSET + _metas(bare), 1)


def digests(html: str) -> list[str]:
    """The scripts that stand in a page, as a policy names them; data are no scripts.

    >>> digests('<script>1</script><script type="application/json">2</script>')
    ["'sha256-a4ayc/80/OGda4BO/1o/V0etpOqiLx1JwB5S3beHW0s='"]
    """
    found = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
             for settings, text in _SCRIPT.findall(html) if text and DATA not in settings]
    return [f"'sha256-{digest}'" for digest in dict.fromkeys(found)]


def _metas(html: str) -> str:
    rules = {
        "default-src": "'none'",
        "script-src": " ".join(["'self'", *digests(html)]),
        # The theme's drawings and the interactive graph set styles of elements.
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data:",
        "font-src": "'self'",
        "connect-src": "'self'",
        "worker-src": "'self'",
        "object-src": "'none'",
        "base-uri": "'self'",
        "form-action": "'self'",
    }
    text = "; ".join(f"{name} {allowed}" for name, allowed in rules.items())
    return (f'{POLICY} content="{text}">'
            '<meta name="referrer" content="no-referrer">')


_SCRIPT = re.compile(r"<script\b([^>]*)>(.*?)</script>", re.DOTALL)
_OWN = re.compile(POLICY + r'[^>]*><meta name="referrer"[^>]*>')
