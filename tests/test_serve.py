"""A built site is served on this machine, and nothing else is."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.run_helpers import ROOT

PAGE, OTHER, MISSING = b"<h1>Home</h1>", b"<h1>Other</h1>", b"<h1>Not found</h1>"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site, and what does not belong to it."""
    top = tmp_path_factory.mktemp("serve")
    site = top / "_site"
    for path, content in (("index.html", PAGE), ("404.html", MISSING), ("other/index.html", OTHER),
                          ("empty/notes.txt", b"notes"), ("../outside/index.html", b"secret")):
        (site / path).parent.mkdir(parents=True, exist_ok=True)
        (site / path).write_bytes(content)
    return site


@pytest.fixture(scope="module")
def port(folder: Path) -> Iterator[int]:
    """Where ``scorer site serve`` listens."""
    with subprocess.Popen(
        [sys.executable, "-m", "scorer", "site", "serve", "--out", str(folder), "--port", "0"],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    ) as process:
        assert process.stdout is not None
        output = process.stdout.readline()
        yield int(output.partition("127.0.0.1:")[2].split()[0])
        process.terminate()


def ask(port: int, path: str, *lines: str, verb: str = "GET") -> tuple[int, bytes, bytes]:
    """Status, head and body of an answer to exactly these words."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as line:
        words = "\r\n".join([f"{verb} {path} HTTP/1.0", *lines, "", ""])
        line.sendall(words.encode("latin-1"))
        answer = b""
        while block := line.recv(65536):
            answer += block
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), head, body


@pytest.mark.parametrize("host", [
    "localhost", "LOCALHOST:8000", "127.0.0.1", "127.0.0.1:1", "[::1]", "[::1]:8000"])
def test_this_machine_is_answered_by_any_of_its_names(port: int, host: str) -> None:
    for path, content in (("/", PAGE), ("/other/?a=b", OTHER), ("/empty/notes.txt", b"notes")):
        status, _, body = ask(port, path, f"Host: {host}")
        assert (status, body) == (200, content)


@pytest.mark.parametrize("lines", [
    (), ("Host:",), ("Host: evil.example",), ("Host: evil.example:8000",),
    ("Host: localhost.evil.example",), ("Host: 127.0.0.1.evil.example",),
    ("Host: evil.example#localhost",), ("Host: user@localhost",), ("Host: 0.0.0.0",),
    ("Host: localhost:8000:8000",), ("Host: localhost", "Host: evil.example")])
def test_a_name_that_is_not_this_machine_s_is_refused(port: int, lines: tuple[str, ...]) -> None:
    status, _, body = ask(port, "/", *lines)
    assert status == 421
    assert PAGE not in body
    assert b"localhost, 127.0.0.1 and [::1] alone" in body
    assert ask(port, "/", *lines, verb="HEAD")[0] == 421


@pytest.mark.parametrize("path", [
    "/../outside/index.html", "/%2e%2e/outside/index.html", "/..%2foutside/index.html",
    "/empty/", "/none"])
def test_what_is_no_page_of_the_site_has_the_site_s_own_page_for_that(port: int, path: str) -> None:
    status, _, body = ask(port, path, "Host: localhost")
    assert (status, body) == (404, MISSING)


def test_a_folder_s_address_without_its_slash_leads_to_the_page_here(port: int) -> None:
    status, head, _ = ask(port, "/other", "Host: localhost")
    assert status == 301
    assert b"\r\nLocation: /other/\r\n" in head + b"\r\n"
    _, head, _ = ask(port, "//evil.example/..", "Host: localhost")
    assert b"\r\nLocation: /evil.example/../\r\n" in head + b"\r\n"


def test_while_a_site_is_away_that_is_said(port: int, folder: Path) -> None:
    folder.rename(folder.with_name("away"))
    try:
        status, _, body = ask(port, "/other/", "Host: localhost")
    finally:
        folder.with_name("away").rename(folder)
    assert (status, b"no whole site here now" in body) == (503, True)
    assert ask(port, "/other/", "Host: localhost")[2] == OTHER
