"""A GitHub in a folder: a bare repository, pull requests, a runner, and the program ``gh``.

The runner does what a step of a workflow says: actions of GitHub are imitated, every ``run:`` line
of our own is run as it stands in the YAML. The repository is what ``scorer board init`` makes, with
the practice board and two rows: as small as can be, for most jobs copy and read all of it.
"""

import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import pytest
import yaml

from scorer.cli import main
from scorer.pipeline.adopting import repository
from scorer.pipeline.ci.git import Repository
from scorer.scoring.leaderboard import files as leaderboards
from tests.fake_github import FakeGitHub

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ".github/workflows"
BOARD = "explagraphs-practice"
GOLD = (ROOT / "submissions" / BOARD / "reference" / "edited-gold" / "predictions.dev.tsv")
META = """\
system: A system
team: A team
date: 2026-01-31
description: Answers.
training_data: None.
saw_dev_gold: no
"""
ALICE, MALLORY = 1001, 6666
LOGINS = {ALICE: "alice", MALLORY: "mallory"}
IDENTITY = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1",
            **{f"GIT_{who}_{what}": f"{who.lower()}@example.org"
               for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}}


def git(folder: Path, *words: str, stdin: bytes = b"", env: Mapping[str, str] = {}) -> str:
    """Run git in a folder as somebody; returns what it says."""
    ran = subprocess.run(["git", "-C", folder, *words], input=stdin, capture_output=True,
                         env={**os.environ, **IDENTITY, **env}, check=False)
    assert ran.returncode == 0, ran.stderr.decode()
    return ran.stdout.decode().strip()


def make_origin(folder: Path) -> Path:
    """A bare repository with the practice board and two rows of its split dev."""
    seed, origin = folder / "seed", folder / "origin.git"
    repository.init(seed, "My benchmark")
    shutil.copytree(ROOT / "boards" / BOARD, seed / "boards" / BOARD)
    for part in ("submissions", "results"):
        for name in ("edited-gold", "null"):
            row = Path(part, BOARD, "reference", name)
            shutil.copytree(ROOT / row, seed / row, ignore=shutil.ignore_patterns("*test.*"))
    leaderboards.write(seed / "results", seed / "boards", seed / "submissions")
    git(folder, "init", "--quiet", "--bare", "--initial-branch=main", str(origin))
    git(origin, "config", "uploadpack.allowFilter", "true")
    git(seed, "init", "--quiet", "--initial-branch=main")
    git(seed, "add", "--all")
    git(seed, "commit", "--quiet", "--message=Start")
    git(seed, "push", "--quiet", str(origin), "main")
    (seed / "boards").rename(folder / "boards")
    shutil.rmtree(seed)
    return origin


def folder_of(team: str, system: str = "a-system") -> str:
    return f"submissions/{BOARD}/{team}/{system}"


def good(team: str, system: str = "a-system", rows: bytes | None = None, author: int = ALICE
         ) -> dict[str, bytes]:
    """The files of a submission that can be scored, with those of a new team."""
    place = folder_of(team, system)
    return {**owned(team, author),
            f"{place}/submission.yaml": META.encode(),
            f"{place}/predictions.dev.tsv": mine(team, system) if rows is None else rows}


def owned(team: str, *accounts: int) -> dict[str, bytes]:
    """The owners' file of a team."""
    owners = ", ".join(f"{LOGINS.get(account, 'somebody')}#{account}" for account in accounts)
    return {f"submissions/teams/{team}.yaml": f"owners: [{owners}]\n".encode()}


def mine(team: str, system: str = "a-system") -> bytes:
    """Predictions whose bytes nobody else has."""
    first, *rest = GOLD.read_bytes().split(b"\n")
    return b"\n".join([first.replace(b"(", f"({team} {system}".encode(), 1), *rest])


@dataclass
class World:
    """The repository, its clones and its pull requests."""

    folder: Path
    origin: Path
    program: Path = ROOT
    """What holds the package ``scorer`` of the processes that a runner begins."""

    def __post_init__(self) -> None:
        self.github = FakeGitHub(self.folder / "github")

    @classmethod
    def of(cls, origin: Path, folder: Path, **more: Any) -> Self:
        """A world in a folder, whose repository begins as a copy of another."""
        made = cls(folder, folder / "origin.git", **more)
        shutil.copytree(origin, made.origin)
        made.boards.symlink_to((origin.parent / "boards").resolve())
        return made

    @property
    def boards(self) -> Path:
        """The boards of the main branch."""
        return self.folder / "boards"

    @property
    def tip(self) -> str:
        return git(self.origin, "rev-parse", "main")

    def clone(self, name: str, ref: str = "origin/main") -> Path:
        """A checkout as the action makes it: whole history, no branch."""
        place = self.repository(name, f"file://{self.origin}").folder
        git(place, "checkout", "--quiet", "--detach", ref)
        return place

    def repository(self, name: str = "publisher", origin: str = "") -> Repository:
        """A fresh clone to publish from: objects and references alone, no file of them."""
        place = self.folder / name
        shutil.rmtree(place, ignore_errors=True)
        git(self.folder, "clone", "--quiet", "--no-tags", "--no-checkout",
            origin or str(self.origin), str(place))
        return Repository(place)

    def commit(self, files: Mapping[str, Any], parent: str | None = None,
               ref: str = "refs/made/last") -> str:
        """A commit made of objects alone: any name, any mode; a reference names it.

        A value is content, None for removal, or ``(mode, content or object id)``.
        """
        when = os.environ.get("GIT_COMMITTER_DATE") or f"{int(time.time())} +0000"
        lines = [f"feature done\nfeature force\ncommit {ref}\nmark :1\n"
                 f"committer Somebody <somebody@example.org> {when}\ndata 7\nChange\n\n"
                 f"from {parent or self.tip}\n".encode()]
        for path, value in files.items():
            mode, content = value if isinstance(value, tuple) else ("100644", value)
            name = "".join(f"\\{byte:03o}" for byte in os.fsencode(path))
            if content is None:
                lines.append(f'D "{name}"\n'.encode())
            elif isinstance(content, str):
                lines.append(f'M {mode} {content} "{name}"\n'.encode())
            else:
                head = f'M {mode} inline "{name}"\ndata {len(content)}\n'.encode()
                lines.append(head + content + b"\n")
        lines.append(b"get-mark :1\ndone\n")
        return git(self.origin, "fast-import", "--quiet", stdin=b"".join(lines))

    def push(self, files: Mapping[str, Any], parent: str | None = None) -> str:
        """Make a commit the tip of the main branch; returns it."""
        return self.commit(files, parent, "refs/heads/main")

    def open(self, files: Mapping[str, Any], author: int = ALICE, parent: str | None = None,
             head: str | None = None) -> int:
        """Open a pull request from a fork; returns its number."""
        number = len(self.github.pulls) + 1
        head = head or self.commit(files, parent)
        git(self.origin, "update-ref", f"refs/pull/{number}/head", head)
        self.github.pulls[number] = {"head": head, "author": author, "base": self.tip}
        return number

    def event(self, number: int, **more: Any) -> dict[str, Any]:
        """What GitHub tells a workflow about a pull request; every text is hostile."""
        pull = self.github.pulls[number]
        evil = 'zzz";echo${IFS}"pwned";#`id`$(id)${{ secrets.X }}'
        return {"pull_request": {
            "number": number, "title": evil, "body": "::error::pwned\n" + evil,
            "user": {"id": pull["author"], "login": LOGINS[pull["author"]]}, "labels": [],
            "head": {"sha": pull["head"], "ref": evil, "repo": {"id": 2}},
            "base": {"sha": pull["base"], "ref": "main", "repo": {"id": 1}}, **more}}

    def merge(self, number: int, message: str = "Mend (#1) (#{number})\n\n* Mend (#1)\n") -> str:
        """Merge a pull request as the button does, squashed into one commit; returns that."""
        tip, pull = self.tip, self.github.pulls[number]
        tree = git(self.origin, "merge-tree", "--write-tree", tip, pull["head"])
        made = git(self.origin, "commit-tree", tree, "-p", tip,
                   stdin=message.format(number=number).encode())
        git(self.origin, "update-ref", "refs/heads/main", made)
        return made

    def patch(self, changes: Mapping[str, tuple[str, str]]) -> None:
        """Change the program of processes: path -> pattern and what takes its place."""
        if self.program != self.folder / "program":
            before, self.program = self.program, self.folder / "program"
            shutil.copytree(before / "scorer", self.program / "scorer")
            for path in ROOT.iterdir():  # templates and pages, which the program finds beside it
                if path.name not in ("scorer", "tests", ".git"):
                    (self.program / path.name).symlink_to(path)
        for name, (old, new) in changes.items():
            path = self.program / name
            text, count = re.subn(old, lambda _, new=new: new, path.read_text("utf-8"), count=1)
            assert count == 1, path
            path.write_text(text, "utf-8")

    def file(self, path: str) -> bytes:
        """A file of the main branch."""
        return subprocess.run(["git", "-C", self.origin, "show", f"main:{path}"],
                              capture_output=True, check=True).stdout

    def json(self, path: str) -> Any:
        """The same; None if it is not there."""
        return json.loads(self.file(path)) if path in self.paths() else None

    def paths(self) -> list[str]:
        """Every file of the main branch."""
        return git(self.origin, "ls-tree", "-r", "--name-only", "main").splitlines()

    def tree(self) -> str:
        """The id of the main branch's whole tree."""
        return git(self.origin, "rev-parse", "main^{tree}")


@dataclass
class Ran:
    """What a job left behind."""

    codes: list[int]
    log: str
    summary: str
    outputs: dict[str, str]

    @property
    def ok(self) -> bool:
        return not any(self.codes)


@dataclass
class Runner:
    """Runs jobs of the committed workflows, step by step."""

    world: World
    processes: bool = False
    """Whether each line is a process; else only what scores and what builds a site is one."""
    wrap: list[str] = field(default_factory=list)
    """What stands in the place of ``python`` for the next lines, to kill them somewhere."""
    artifacts: dict[str, Path] = field(default_factory=dict)
    needs: dict[str, Ran] = field(default_factory=dict)
    run_id: int = 100
    gold: tuple[str, str] = ("", "")
    """Source and identity, as the environment ``scoring`` has them."""
    memory: str = ""
    """GiB for a scoring worker, as that environment has it."""

    def job(self, file: str, name: str, event: Mapping[str, Any] | None = None) -> Ran:
        """Run a job's steps in their order; a failed step stops those without ``always()``."""
        document = yaml.safe_load((ROOT / FOLDER / file).read_text("utf-8"))["jobs"][name]
        home = self.world.folder / f"runner-{file}-{name}"
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir()
        (home / "event.json").write_text(json.dumps(event or {}))
        for place in ("output", "summary"):
            (home / place).touch()
        ran, work = Ran([], "", "", {}), home / "work"
        for step in document["steps"]:
            if not ran.ok and "always()" not in step.get("if", ""):
                continue
            if "uses" in step:
                work = self._action(step, home, work)
            else:
                self._line(step, home, work, ran)
        ran.summary = (home / "summary").read_text()
        ran.outputs = dict(line.split("=", 1) for line in (home / "output").read_text().split())
        assert set(ran.outputs) <= {"count", "commit", "day"}
        self.needs[name] = ran
        return ran

    def _line(self, step: Mapping[str, Any], home: Path, work: Path, ran: Ran) -> None:
        line: str = step["run"]
        assert "${{" not in line
        if line.startswith("sh .github/"):
            return
        words = line.removeprefix("exec ").split(" ")
        assert words[:4] == ["python", "-m", "scorer", "ci"]
        keep = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        scratch = home / "temp"  # what a killed job leaves there goes with the test's folder
        scratch.mkdir(exist_ok=True)
        ours = {"GITHUB_OUTPUT": str(home / "output"), "GITHUB_STEP_SUMMARY": str(home / "summary"),
                "GITHUB_EVENT_PATH": str(home / "event.json"), "GITHUB_REPOSITORY": "o/r",
                "WHYBOARD_HOME": str(home / "home"),
                "PATH": f"{self.world.github.folder}:{os.environ['PATH']}",
                "GITHUB_ACTIONS": "true", "PYTHONWARNINGS": "error", "TMPDIR": str(scratch),
                "PYTHONPATH": str(self.world.program)}
        given = {name: self._value(value) for name, value in step.get("env", {}).items()}
        environment = {**keep, **ours, **given, "WHYBOARD_MODELS": "no"}
        if not (self.processes or self.wrap or words[4] in ("score", "site")):
            _within(words[3:], work, environment, ran)
            return
        command = [*self.wrap, *words[3:]] if self.wrap else [sys.executable, *words[1:]]
        done = subprocess.run(command, cwd=work, check=False, capture_output=True, env=environment)
        ran.codes.append(done.returncode)
        ran.log += (done.stdout + done.stderr).decode()

    def _value(self, value: Any) -> str:
        """An expression's value; only those that the workflows use."""
        found = re.fullmatch(r"\$\{\{ (.*) \}\}", str(value))
        if not found:
            return str(value)
        expression = found[1]
        if needs := re.fullmatch(r"needs\.(\w+)\.outputs\.(\w+)", expression):
            return self.needs[needs[1]].outputs[needs[2]]
        if needs := re.fullmatch(r"needs\.(\w+)\.result", expression):
            before = self.needs.get(needs[1])
            return "skipped" if before is None else "success" if before.ok else "failure"
        return {"github.token": "t0ken", "secrets.PUBLISH_KEY": "k3y",
                "vars.WHYBOARD_GOLD_SOURCE": self.gold[0],
                "secrets.WHYBOARD_GOLD_IDENTITY": self.gold[1], "inputs.retry_errors": "",
                "vars.WHYBOARD_MEMORY": self.memory,
                "vars.WHYBOARD_SITE_URL": "https://board.example.org",
                }[expression]

    def _action(self, step: Mapping[str, Any], home: Path, work: Path) -> Path:
        action, given = step["uses"].partition("@")[0], step.get("with", {})
        if action == "actions/checkout":
            ref = self._value(given["ref"])
            return self.world.clone(f"{home.name}/work", "origin/main" if ref == "main" else ref)
        if action == "actions/upload-artifact":
            place = self.world.folder / f"artifact-{self.run_id}"
            shutil.rmtree(place, ignore_errors=True)
            if (work / given["path"]).is_dir():
                shutil.copytree(work / given["path"], place)
                self.artifacts[given["name"]] = place
        elif action == "actions/download-artifact":
            if given["pattern"] in self.artifacts:
                shutil.copytree(self.artifacts[given["pattern"]], work / given["path"])
        else:
            assert action in ("actions/setup-python", "actions/upload-pages-artifact")
        return work

    def score(self, *, site: bool = False) -> dict[str, Ran]:
        """One run of score.yml, as a push, the schedule or a person starts it."""
        self.run_id += 1
        self.artifacts, self.needs = {}, {}
        plan = self.job("score.yml", "plan")
        assert plan.ok, plan.log
        if plan.outputs["count"] != "0":
            self.job("score.yml", "score")
        publish = self.job("score.yml", "publish")
        if site and publish.ok:
            self.job("site.yml", "build")
        return self.needs


def _within(words: list[str], work: Path, environment: Mapping[str, str], ran: Ran) -> None:
    """Run a line of a step in this process, as if it were its own."""
    said = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings(), \
            redirect_stdout(said), redirect_stderr(said):
        warnings.simplefilter("error")
        for name in os.environ:
            patch.delenv(name)
        for name, value in environment.items():
            patch.setenv(name, value)
        patch.setattr(tempfile, "tempdir", None)
        patch.chdir(work)
        ran.codes.append(main(words))
    ran.log += said.getvalue()


KILLER = """\
import os, signal, sys
left = {moment}
def count(event, _):
    global left
    if event in ("os.rename", "tempfile.mkstemp", "subprocess.Popen"):
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
if __name__ == "__main__":  # a worker of ours reads this file too
    sys.addaudithook(count)
    from scorer.cli import main
    sys.exit(main(sys.argv[1:]))
"""


def killed(runner: Runner, job: str, moment: int) -> bool:
    """Run a job that is killed before a moment: as many files written and programs begun.

    False if it ended earlier.
    """
    killer = runner.world.folder / "killer.py"
    killer.write_text(KILLER.format(moment=moment))
    runner.wrap = [sys.executable, str(killer)]
    ran = runner.job("score.yml", job)
    runner.wrap = []
    assert ran.ok or ran.codes == [-signal.SIGKILL], ran.log
    return not ran.ok
