"""A repository with a hidden board of its own keys, and gold whose every row carries a canary."""

import hashlib
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from scorer.pipeline.hidden import sealed
from scorer.pipeline.hidden.sealed import Identity
from tests import canary
from tests.canary import Canary
from tests.ci_world import ALICE, META, World, owned

BOARD = "canary"
SECRET = sealed.new_identity().splitlines()[-1]
GOLD = ("age:gold", SECRET)
"""Source and identity, as a runner has them."""


@dataclass
class HiddenWorld(World):
    """A world whose main branch has the board ``canary``, its gold sealed beside it."""

    made: Canary | None = None

    def submission(self, team: str, at: int = 0, author: int = ALICE) -> dict[str, bytes]:
        """A submission with the wrong label in the first ``5 * at`` rows, of a team of its own: the
        first graphs have relations that only this team chose."""
        assert self.made is not None
        place = f"submissions/{BOARD}/{team}/a-system"
        lines = Path(self.made.jobs[at].predictions).read_text("utf-8").splitlines(keepends=True)
        for row, byte in enumerate(hashlib.sha256(team.encode()).digest()[:8]):
            relation = ("causes", "desires", "is a", "part of")[byte % 4]
            lines[row] = re.sub(r"; [^;]*; ", f"; {relation}; ", lines[row], count=1)
        return {**owned(team, author), f"{place}/submission.yaml": META.encode(),
                f"{place}/predictions.dev.tsv": "".join(lines).encode()}

    def leaks(self) -> list[str]:
        """Every file of this world in which anything secret stands, objects of git unpacked."""
        assert self.made is not None
        clones = [path.parent for path in self.folder.rglob(".git")]
        for number, repository in enumerate([self.origin, *clones]):
            with (self.folder / f"objects-{number}").open("wb") as file:
                subprocess.run(["git", "-C", repository, "cat-file", "--batch-all-objects",
                                "--unordered", "--batch"], stdout=file, check=True)
        return self.made.leaks(SECRET, below=self.folder)


def make(seed: Path, folder: Path) -> HiddenWorld:
    """The world below ``folder``; what nobody may see lies apart of it."""
    made = canary.make(folder / "apart")
    board = made.board.folder
    files = {f"boards/{BOARD}/{path.relative_to(board)}": path.read_bytes()
             for path in board.rglob("*") if path.is_file()}
    recipient = Identity(SECRET).recipient
    files[f"gold/{BOARD}.dev.age"] = sealed.encrypted(made.gold.to_bytes(), [recipient])
    (folder / "world").mkdir()
    world = HiddenWorld.of(seed, folder / "world", made=made)
    world.push(files)
    world.boards.unlink()
    shutil.copytree(seed.parent / "boards", world.boards)
    shutil.copytree(board, world.boards / BOARD)
    # tests do not wait
    world.patch({"scorer/pipeline/ci/score.py": (r"PACE = 120\.0", "PACE = 0.0")})
    return world
