"""A repository with a hidden board of its own keys, and gold whose every row carries a canary."""

import hashlib
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from scorer.pipeline.hidden import age
from scorer.pipeline.hidden.age import Identity
from tests import canary
from tests.canary import Canary
from tests.ci_world import ALICE, LOGINS, META, World, git

BOARD = "canary"
SECRET = age.new_identity().splitlines()[-1]


@dataclass
class HiddenWorld(World):
    """A world whose main branch has the board ``canary``, its gold sealed beside it."""

    made: Canary | None = None

    def submission(self, team: str, at: int = 0, author: int = ALICE) -> dict[str, bytes]:
        """A submission with the wrong label in the first ``5 * at`` rows, of a team of its own."""
        assert self.made is not None
        path = self.made.root / f"submissions/{BOARD}/team/system-{at}/predictions.dev.tsv"
        place = f"submissions/{BOARD}/{team}/a-system"
        return {**owned(team, author), f"{place}/submission.yaml": META.encode(),
                f"{place}/predictions.dev.tsv": _said_by(team, path.read_text("utf-8")).encode()}

    def leaks(self) -> list[str]:
        """Every file of this world in which anything secret stands, and every object of its git."""
        assert self.made is not None
        seen: set[str] = set()
        for number, repository in enumerate([self.origin, *self.clones()]):
            self._unpack(repository, self.folder / "objects" / str(number), seen)
        return self.made.leaks(SECRET, below=[self.folder])

    def clones(self) -> Iterator[Path]:
        """Every checkout that a job made."""
        for place in self.folder.rglob(".git"):
            yield place.parent

    def _unpack(self, repository: Path, place: Path, seen: set[str]) -> None:
        """Write the objects of a repository that were not seen before as one file: packed, nothing
        could be found in them."""
        place.mkdir(parents=True, exist_ok=True)
        listed = git(repository, "cat-file", "--batch-all-objects", "--batch-check")
        oids = {line.split(" ")[0] for line in listed.splitlines()
                if line.split(" ")[1] in ("blob", "commit")} - seen
        seen |= oids
        content = git_bytes(repository, "".join(f"{oid}\n" for oid in oids).encode())
        (place / "all").write_bytes(content)


def owned(team: str, *accounts: int) -> dict[str, bytes]:
    """The owners' file of a team."""
    owners = ", ".join(f"{LOGINS.get(account, 'somebody')}#{account}" for account in accounts)
    return {f"submissions/teams/{team}.yaml": f"owners: [{owners}]\n".encode()}


def _said_by(team: str, predictions: str) -> str:
    """Predictions whose first graphs have relations that only this team chose."""
    lines = predictions.splitlines(keepends=True)
    for row, byte in enumerate(hashlib.sha256(team.encode()).digest()[:8]):
        relation = ("causes", "desires", "is a", "part of")[byte % 4]
        lines[row] = re.sub(r"; [^;]*; ", f"; {relation}; ", lines[row], count=1)
    return "".join(lines)


def git_bytes(repository: Path, oids: bytes) -> bytes:
    ran = subprocess.run(["git", "-C", repository, "cat-file", "--batch"], input=oids,
                         capture_output=True, check=True)
    return ran.stdout


def make(seed: Path, folder: Path, apart: Path) -> HiddenWorld:
    """The world below ``folder``; what nobody may see lies ``apart`` of it."""
    made = canary.make(apart)
    board = made.board.folder
    files = {f"boards/{BOARD}/{path.relative_to(board)}": path.read_bytes()
             for path in board.rglob("*") if path.is_file()}
    recipient = Identity(SECRET).recipient
    files[f"gold/{BOARD}.dev.age"] = age.seal(made.gold.to_bytes(), [recipient])
    world = HiddenWorld.of(seed, folder, made=made)
    world.push(files)
    world.boards.unlink()
    shutil.copytree(seed.parent / "boards", world.boards)
    shutil.copytree(board, world.boards / BOARD)
    # tests do not wait
    world.patch({"scorer/pipeline/ci/score.py": (r"PACE = 120\.0", "PACE = 0.0")})
    return world
