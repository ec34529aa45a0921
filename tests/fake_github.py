"""The program ``gh`` as far as the pipeline asks it: comments on pull requests, in a folder."""

import json
import sys
from pathlib import Path
from typing import Any

OURSELVES = "github-actions[bot]"
GH = f"""#!{sys.executable} -IS
import json, re, sys, time
from pathlib import Path
folder = Path(__file__).parent
assert sys.argv[1:3] == ["api", "--method"], sys.argv
method, path, *more = sys.argv[3:]
failures = json.loads((folder / "failures").read_text())
if failures:
    first, *rest = failures
    (folder / "failures").write_text(json.dumps(rest))
    late = first == "late"
    time.sleep(60 * late)
    print("[[]]" if late else first)
    sys.exit(f"gh: no (HTTP {{first}})" if first.isdigit() else 0)
comments = json.loads((folder / "comments").read_text())
if method == "GET":
    assert more == ["--paginate", "--slurp"]
    [number] = re.fullmatch(r"repos/o/r/issues/(\\d+)/comments\\?per_page=100", path).groups()
    shown = [comment for comment in comments if comment["on"] == int(number)]
    print(json.dumps([shown[at:at + 100] for at in range(0, max(1, len(shown)), 100)]))
    sys.exit()
assert more == ["--input", "-"]
document = json.load(sys.stdin)
if method == "POST":
    [number] = re.fullmatch(r"repos/o/r/issues/(\\d+)/comments", path).groups()
    comments.append({{"id": len(comments) + 1, "on": int(number), **document,
                     "user": {{"login": {OURSELVES!r}}}}})
else:
    [number] = re.fullmatch(r"repos/o/r/issues/comments/(\\d+)", path).groups()
    comments[int(number) - 1] |= document
(folder / "comments").write_text(json.dumps(comments))
print("{{}}")
"""


class FakeGitHub:
    """Pull requests by their numbers, and the comments on them; ``folder`` holds the program."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.pulls: dict[int, dict[str, Any]] = {}
        folder.mkdir(exist_ok=True)
        (folder / "gh").write_text(GH)
        (folder / "gh").chmod(0o755)
        (folder / "comments").write_text("[]")
        self.fail()

    def fail(self, *answers: str) -> None:
        """What the next requests get instead of an answer: a status, or any text;
        ``late``: no comments, after a minute."""
        (self.folder / "failures").write_text(json.dumps(answers))

    @property
    def comments(self) -> list[dict[str, Any]]:
        """All comments."""
        known: list[dict[str, Any]] = json.loads((self.folder / "comments").read_text())
        return known

    def say(self, number: int, *bodies: str) -> None:
        """Have a stranger comment on a pull request."""
        more = [{"id": at, "on": number, "body": body, "user": {"login": "mallory"}}
                for at, body in enumerate(bodies, start=len(self.comments) + 1)]
        (self.folder / "comments").write_text(json.dumps(self.comments + more))

    def on(self, number: int) -> list[str]:
        """The texts of our comments on a pull request."""
        return [comment["body"] for comment in self.comments
                if comment["on"] == number and comment["user"]["login"] == OURSELVES]
