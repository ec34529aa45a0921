"""The addresses of all pages, for those who search (sitemaps.org, protocol 0.9)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from urllib.parse import quote

from scorer.site.exports.words import xml

MOST = 50_000
"""Addresses in one file, as the protocol has it."""
_SPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"


def sitemap(site_url: str, paths: Iterable[str], most: int = MOST) -> dict[str, bytes]:
    """The files by name: ``sitemap.xml``, an index of others if there are too many addresses.

    ``paths`` are relative to the site's root and end with a slash; the root's own is empty.
    """
    urls = [site_url + quote(path) for path in sorted(set(paths))]
    if len(urls) <= most:
        return {"sitemap.xml": _file("urlset", "url", urls)}
    parts = {
        f"sitemap-{number}.xml": _file("urlset", "url", urls[start:start + most])
        for number, start in enumerate(range(0, len(urls), most), start=1)
    }
    return {"sitemap.xml": _file("sitemapindex", "sitemap", [site_url + name for name in parts]),
            **parts}


def _file(root: str, element: str, urls: Sequence[str]) -> bytes:
    lines = [f"<{element}><loc>{xml(url)}</loc></{element}>" for url in urls]
    head = f'<?xml version="1.0" encoding="UTF-8"?>\n<{root} xmlns="{_SPACE}">'
    return "\n".join([head, *lines, f"</{root}>", ""]).encode()
