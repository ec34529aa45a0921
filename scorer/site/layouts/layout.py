"""A page of the theme with a place for a title and one for a body, and its policy. Pure.

Pages are put together here and not by the theme, so that nothing foreign is ever read as Markdown.

The policy says what a browser may load and run. Hosts of static sites send no headers of ours, so
it is an element of the page. Scripts that stand in the theme's page are allowed one by one, by
digest; nothing else inline ever runs. Digests are taken before bodies are put in, so what slips
into a body would not be allowed either.
"""

from __future__ import annotations

import base64
import hashlib
import re
from html import escape

from scorer.core.errors import DataError

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
    hashes = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
              for settings, text in _SCRIPT.findall(html) if text and DATA not in settings]
    return [f"'sha256-{digest}'" for digest in dict.fromkeys(hashes)]


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


TITLE = "wb-title-here"
SLOT = '<div id="wb-slot"><h1>wb-slot</h1></div>'
LAYOUT = "_/_/_/_/"
"""Address of the page that pages are stamped from: as deep as an example, and no
neighbour of any other page, so that every link on it climbs to the root first."""
SLIM = "_/_/_/e/"
"""The one for examples, thousands of them, and everything of a board: without side bars
(``templates/theme/slim.html``), and as deep."""
ROOT_FROM_LAYOUT = "../" * LAYOUT.count("/")


class PageLayout:
    """A page of the theme with a place for a title and one for a body."""

    def __init__(self, html: str) -> None:
        self.html = html
        self.before, slot, self.after = html.partition(SLOT)
        if not slot or TITLE not in self.before:
            raise DataError("the theme's page has no place for a title or a body; "
                            "see scorer/site/layouts/layout.py")

    def page(self, title: str, body: str, head: str = "") -> str:
        """The layout with a title and a body, which may be foreign text and stay as they are.

        ``head`` is markup of ours for the end of the page's head.
        """
        name = escape(title)
        before = self.before.replace("</head>", f"{head}</head>", 1).replace(TITLE, name)
        if ' id="table"' in body:
            before = before.replace(TO_CONTENT, TO_CONTENT + TO_TABLE, 1)
        return before + body + self.after.replace(TITLE, name)

    def within(self, section: str) -> PageLayout:
        """The same layout with one entry of the navigation marked as the current one."""
        link = f'<li class="md-tabs__item"><a href="{ROOT_FROM_LAYOUT}{section}/"'
        marked = link.replace("md-tabs__item", "md-tabs__item md-tabs__item--active")
        return PageLayout(self.html.replace(link, marked))

    def moved(self, depth: int) -> PageLayout:
        """The same layout for pages at another depth."""
        old, new = ROOT_FROM_LAYOUT, "../" * depth
        html = self.html.replace(old, new).replace(old[:-1] + '"', new[:-1] + '"')
        return PageLayout(policed(html) if POLICY in html else html)


def minify(html: str) -> str:
    """Without empty lines and indentation; only for markup without preformatted text."""
    return _BLANKS.sub("\n", html)


_BLANKS = re.compile(r"\n\s+")


def shorten_tabs(html: str) -> str:
    """Without line ends in the tabs, which stand on every page.

    >>> shorten_tabs('<nav class="md-tabs">\\n<ul>\\n<li>\\nHome\\n</li>\\n</ul></nav>\\n')
    '<nav class="md-tabs"><ul><li>Home</li></ul></nav>\\n'
    """
    return _TABS.sub(lambda match: match[0].replace("\n", ""), html)


_TABS = re.compile(r'<nav class="md-tabs".*?</nav>', re.DOTALL)


def patch_theme(html: str) -> str:
    """A page of the theme with its policy, and the way past the navigation, which the theme gives
    only to pages whose headings it has read itself."""
    html = html.replace('<main class="md-main"', f'<main id="{CONTENT}" class="md-main"', 1)
    return policed(_SKIP.sub(rf"\1{TO_CONTENT}", html))


CONTENT = "content"
"""Where the link that skips the navigation leads."""
TO_CONTENT = f'<a href="#{CONTENT}" class="md-skip">Skip to content</a>'
TO_TABLE = '<a href="#table" class="md-skip">Skip to the table</a>'
"""For pages that have a table to go to."""
_SKIP = re.compile(r'(<div data-md-component="skip">)(?:\s*<a [^>]*class="md-skip">[^<]*</a>)?')
