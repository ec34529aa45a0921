"""``scorer board init``: a repository of data and configuration that pins the program."""

import json
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from scorer import __version__
from scorer.adopting import repository
from scorer.adopting.repository import apply, plan
from scorer.board import known_boards
from scorer.ci import doctor, policy, workflows
from scorer.ci.definition import load
from scorer.cli import main
from scorer.errors import UsageError
from tests.ci_world import git
from tests.walks import Walk, walked

pytestmark = pytest.mark.whole

ROOT = Path(__file__).resolve().parent.parent
PRACTICE = "explagraphs-practice"
OURS = known_boards(ROOT / "boards")


def tree(folder: Path) -> dict[str, bytes]:
    """Every file of a folder but git's own."""
    return {path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file() and ".git" not in path.relative_to(folder).parts}


@pytest.fixture
def adopted(tmp_path: Path) -> Path:
    """A repository made from an empty folder."""
    assert main(["board", "init", "--root", str(tmp_path), "--title", "It's: ours"]) == 0
    return tmp_path


@pytest.fixture
def fork(tmp_path: Path) -> Path:
    """A clone of a fork with a board, a submission and a page of its own."""
    folder = tmp_path / "fork"
    for name in (*repository.PROGRAM, "LICENSE", ".github", "boards", "submissions", "results",
                 "annotations"):
        if (ROOT / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "*.safetensors", "test_*")
            shutil.copytree(ROOT / name, folder / name, ignore=ignored, dirs_exist_ok=True)
        elif "/" not in name:
            shutil.copyfile(ROOT / name, folder / name)
    for name in ("boards/mine/board.yaml", "submissions/mine/us/one/submission.yaml",
                 "results/mine/us/one/dev.json", "ledger/mine.jsonl", "NOTES.md"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("mine\n")
    for name in (f"{PRACTICE}.jsonl", f"history.{PRACTICE}.dev.jsonl", "owners.jsonl"):
        (folder / "ledger" / name).write_text("ours\n")
    git(folder, "init", "--quiet")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "A fork")
    return folder


# ---- an empty folder -------------------------------------------------------------------------


def test_an_empty_folder_becomes_a_repository_without_any_of_our_code(adopted: Path) -> None:
    files = tree(adopted)
    assert set(files) == {
        *repository.WRITTEN, "locks/ci.txt", "locks/model.txt", "locks/score.txt",
        "locks/score-torch.txt", ".github/CODEOWNERS", ".github/dependabot.yml",
        ".github/pull_request_template.md",
        *(f".github/ISSUE_TEMPLATE/{name}.yml"
          for name in ("config", "gold-dispute", "submission-problem", "withdrawal")),
        *(f"{workflows.FOLDER}/{name}" for name in workflows.WORKFLOWS),
    }
    assert f"whyboard[ci,site]=={__version__}\n" in files["requirements.txt"].decode()
    assert b"explagraphs" not in b"".join(
        content for name, content in files.items()
        if name.startswith("site/") or name in ("mkdocs.yml", "submissions/README.md"))


def test_a_second_run_changes_nothing_and_keeps_what_was_edited(
    adopted: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    (adopted / "README.md").write_text("My own words.\n")
    before = tree(adopted)
    assert main(["board", "init", "--root", str(adopted)]) == 0
    assert tree(adopted) == before
    assert "no file: all are there" in capsys.readouterr().out


def test_a_title_with_a_quote_and_a_colon_stays_one_title(adopted: Path) -> None:
    import yaml

    assert yaml.safe_load((adopted / "mkdocs.yml").read_text())["site_name"] == "It's: ours"


# ---- its workflows ---------------------------------------------------------------------------


def steps(root: Path, file: str, job: str) -> list[str]:
    document: Any = load((root / workflows.FOLDER / file).read_text("utf-8"))
    return [step["run"] for step in document["jobs"][job]["steps"] if "run" in step]


def test_an_adopters_workflows_install_the_pinned_program_and_keep_the_policy(
    adopted: Path,
) -> None:
    assert workflows.stale(adopted) == []
    for path in (adopted / workflows.FOLDER).glob("*"):
        document = load(path.read_text("utf-8"))
        assert list(policy.findings(document, path.name)) == []
        for job in document["jobs"].values():
            lines = [step["run"] for step in job.get("steps", ()) if "run" in step]
            if lines:  # installed after what it needs, before it is called
                place = lines.index(workflows.INSTALL_PROGRAM)
                assert all("pip install" in line for line in lines[:place])
                assert not any("pip install" in line for line in lines[place + 1 :])
    assert steps(adopted, "ci.yml", "test")[1:] == [
        workflows.INSTALL_PROGRAM, "python -m scorer ci workflows --check",
        "python -m scorer ci moved", workflows.CHECK_BOARDS, "python -m scorer ci site"]
    assert workflows.INSTALL_PROGRAM == (
        "python -m pip install --only-binary :all: --no-deps -r requirements.txt")


def test_an_adopters_scoring_job_runs_on_a_hosted_machine_until_the_file_says_otherwise(
    adopted: Path,
) -> None:
    path = adopted / workflows.FOLDER / "score.yml"
    assert load(path.read_text())["jobs"]["score"]["runs-on"] == "ubuntu-24.04"
    on = load(path.read_text())["on"]["push"]["paths"]
    assert on == ["submissions/**", "boards/**", "annotations/**", "requirements.txt"]
    head, job, rest = path.read_text("utf-8").partition("\n  score:\n")
    mine = rest.replace("runs-on: ubuntu-24.04", "runs-on: {group: scoring, labels: [gpu]}", 1)
    path.write_text(head + job + mine, "utf-8")
    assert workflows.stale(adopted) == []
    workflows.write(adopted)
    assert load(path.read_text())["jobs"]["score"]["runs-on"] == {
        "group": "scoring", "labels": ["gpu"]}
    assert load(path.read_text())["jobs"]["plan"]["runs-on"] == "ubuntu-24.04"


def test_our_own_workflows_install_no_pinned_program() -> None:
    assert not workflows.is_adopted(ROOT)
    for path in (ROOT / workflows.FOLDER).glob("*"):
        assert workflows.PINNED not in path.read_text("utf-8")


@pytest.mark.parametrize(("line", "said"), [
    (f"whyboard[ci,site]=={__version__}", None),
    (f"whyboard @ https://example.org/whyboard-{__version__}-py3-none-any.whl", None),
    ("whyboard[ci,site]==9.9.9", f"names 9.9.9, this is {__version__}; install what it names"),
    ("whyboard[ci,site]>=0.1", "must pin the program once"),
    ("", "must pin the program once"),
])
def test_doctor_says_whether_the_program_is_pinned(
    adopted: Path, line: str, said: str | None,
) -> None:
    (adopted / "requirements.txt").write_text(f"# pinned\n{line}\n")
    found = [one for one in doctor.findings(adopted) if one.startswith("requirements.txt")]
    assert len(found) == (said is not None)
    assert said is None or said in found[0]


# ---- a fork ----------------------------------------------------------------------------------


def test_of_a_fork_the_program_and_our_boards_go_and_everything_else_stays(fork: Path) -> None:
    before = tree(fork)
    apply(plan(fork))
    workflows.write(fork)
    after = tree(fork)
    kept = {name for name in after if name in before and after[name] == before[name]}
    assert {"boards/mine/board.yaml", "submissions/mine/us/one/submission.yaml",
            "results/mine/us/one/dev.json", "ledger/mine.jsonl", "NOTES.md", "LICENSE",
            ".github/CODEOWNERS", "locks/ci.txt"} <= kept
    assert not [name for name in after if name.startswith(
        ("scorer/", "docs/", "benchmarks/", "templates/", "boards/explagraphs",
         "submissions/explagraphs", "results/explagraphs", "results/human", f"ledger/{PRACTICE}",
         "ledger/history", "ledger/owners", "annotations/"))]
    assert not {"pyproject.toml", "Makefile", "CHANGELOG.md"} & set(after)
    assert {name for name in after if name.startswith("site/")} == {"site/index.md",
                                                                  "site/about.md"}
    assert "ExplaGraphs" not in after["README.md"].decode()
    assert workflows.is_adopted(fork)
    assert workflows.stale(fork) == []
    git(fork, "checkout", "--quiet", ".")
    assert {name: content for name, content in tree(fork).items() if name in before} == before


def test_a_board_that_is_kept_stays_with_its_submissions_results_and_ledger(fork: Path) -> None:
    apply(plan(fork, [PRACTICE]))
    after = tree(fork)
    assert f"boards/{PRACTICE}/board.yaml" in after
    assert f"submissions/{PRACTICE}/reference/gold/submission.yaml" in after
    assert {f"ledger/{PRACTICE}.jsonl", f"ledger/history.{PRACTICE}.dev.jsonl",
            "ledger/owners.jsonl"} <= set(after)
    assert not [name for name in after if name.startswith("boards/explagraphs/")]


def test_simulated_annotations_stay_with_the_boards_that_are_kept(fork: Path) -> None:
    mine = {"annotations/batches/mine.json": '{"board": "mine"}', "annotations/csk/mine/ann.tsv":
            "mine", "annotations/batches/odd.json": "[]", "annotations/batches/pairs-7.json": "{}",
            "annotations/stance/pairs-7/ann.tsv": "mine",
            "annotations/stance/pairs-7/simulated-1.tsv": "mine", "annotations/annotators.yml":
            "ann: {}\nsimulated-1: {simulated: yes}\n"}
    theirs = {name for name in tree(fork) if name.startswith("annotations/")} - {*mine}
    for name, text in mine.items():
        (fork / name).parent.mkdir(parents=True, exist_ok=True)
        (fork / name).write_text(text, "utf-8")
    git(fork, "add", ".")
    git(fork, "commit", "--quiet", "-m", "Annotate")
    of_art = {name for name in theirs if "/art-" in name}
    assert set(plan(fork, [PRACTICE]).remove) >= {"annotations/batches/art-hypothesis-1.json",
                                                  "annotations/art-hypothesis/art-hypothesis-1"}
    apply(plan(fork, [PRACTICE]))
    assert {name for name in tree(fork) if name.startswith("annotations/")} == (
        theirs - of_art | {*mine})
    git(fork, "reset", "--hard", "--quiet")
    git(fork, "clean", "-fdq")
    apply(plan(fork))
    assert {name for name in tree(fork) if name.startswith("annotations/")} == {*mine}


@pytest.mark.parametrize("author", ["ann", "simulated-1"])
def test_texts_that_people_wrote_stay_with_how_often_they_fooled_a_model(
    fork: Path, author: str,
) -> None:
    path = fork / "results/human/hamlet.json"
    results = json.loads(path.read_bytes())
    authors = results["rounds"][0]["authors"]
    authors[author] = authors["simulated-2"]
    path.write_text(json.dumps(results))
    git(fork, "add", ".")
    git(fork, "commit", "--quiet", "-m", "Write")
    apply(plan(fork))
    assert path.exists() is (author == "ann")


def test_nothing_is_removed_that_git_could_not_bring_back(fork: Path) -> None:
    (fork / "NOTES.md").write_text("changed\n")
    before = tree(fork)
    with pytest.raises(UsageError, match="changes that are not committed; commit them first"):
        plan(fork)
    shutil.rmtree(fork / ".git")
    with pytest.raises(UsageError, match="is no git repository, so what goes could not be had"):
        plan(fork)
    assert tree(fork) == before


def test_a_program_does_not_remove_itself(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["board", "init", "--root", str(ROOT)]) == 2
    assert "install it first, into an environment of its own" in capsys.readouterr().err


def test_a_board_to_keep_must_be_one_of_ours(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"--keep 'mine': no board of this program; choose of: "
                                         + ", ".join(OURS)):
        plan(tmp_path, ["mine"])


# ---- the page, with an installed program -----------------------------------------------------

PAGE = ROOT / "site" / "host" / "index.md"


def test_boards_are_found_where_a_command_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["board", "list"]) == 0
    assert capsys.readouterr().out.split() == OURS
    data = ROOT / "boards" / PRACTICE / "data"
    assert main(["board", "new", "mine", "--data", str(data)]) == 0
    capsys.readouterr()
    assert main(["board", "list"]) == 0
    assert capsys.readouterr().out.split() == ["mine"]
    assert main(["board", "new", "second", "--like", "mine", "--data", str(data)]) == 0
    assert main(["new", "mine", "my-team", "my-system"]) == 0


class Links(HTMLParser):
    """The links and pictures of a page that stay on the site."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(page.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value.partition("#")[0] for name, value in attrs
                       if name in ("href", "src") and value and "://" not in value]


@pytest.mark.site
def test_a_folder_of_data_alone_builds_and_what_it_has_takes_the_place_of_ours(
    tmp_path: Path,
) -> None:
    from scorer.website.build import build

    root = tmp_path / "root"
    for top in ("boards", "submissions", "results"):
        shutil.copytree(ROOT / top / PRACTICE, root / top / PRACTICE)
    (root / "mkdocs.yml").write_text("site_name: Mine\n")
    (root / "site").mkdir()
    (root / "site" / "faq.md").write_text("# My questions\n")
    (root / "templates").mkdir()
    (root / "templates" / "boards.html").write_text("<h1>My boards</h1>")
    out = tmp_path / "_site"
    assert build(root, out, home=tmp_path / "home").examples == 24 + 40 + 24
    faq = (out / "faq" / "index.html").read_text("utf-8")
    assert "My questions" in faq
    assert "What do I send?" not in faq
    assert "Questions - Mine" in faq or "My questions - Mine" in faq
    assert "<h1>My boards</h1>" in (out / "boards" / "index.html").read_text("utf-8")
    for page in ("host", "changelog", "schemas", "metrics/g-bleu", "downloads", "about"):
        place = out / page / "index.html"
        for link in Links(place).found:
            target = (place.parent / link).resolve()
            assert target.is_file() or (target / "index.html").is_file(), f"{page}: {link}"
    assert (out / "schemas" / "result.json").read_bytes().startswith(b"{")
    assert "Worked example" in (out / "metrics" / "g-bleu" / "index.html").read_text("utf-8")


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Walk:
    """The page's commands as they stand there."""
    last = "python -c 'import scorer; print(scorer.__file__)'; git status --porcelain"
    return walked(PAGE, tmp_path_factory.mktemp("walk"), "my-benchmark", last)


@pytest.mark.wheel
@pytest.mark.site
@pytest.mark.claim("Hosting a board takes the commands of one page, and no code.")
def test_the_commands_of_the_page_make_a_site_from_an_installed_program(walk: Walk) -> None:
    made, said, _ = walk
    assert said.endswith(f"{made}/.venv/lib/python3.{sys.version_info[1]}/site-packages/"
                         "scorer/__init__.py\n")  # the wheel's, and nothing left to commit
    assert "my-benchmark: fine" in said
    assert not {"scorer", "templates", "tests", "docs"} & {path.name for path in made.iterdir()}
    board = (made / "_site/boards/my-benchmark/dev/index.html").read_text("utf-8")
    for row in ("Null graph", "Gold after two edits", "Gold (ceiling)", "My system"):
        assert row in board
    home = (made / "_site/index.html").read_text("utf-8")
    assert "<title>My benchmark</title>" in home
    assert "My benchmark" in home
    assert "ExplaGraphs" not in home
    for name in ("boards/my-benchmark/dev/1", "handbook/set-up"):
        assert (made / "_site" / name / "index.html").is_file()
    assert (made / "_site/schemas/result.json").is_file()
    assert (made / "_site/assets/whyboard.css").is_file()


@pytest.mark.wheel
@pytest.mark.site
def test_what_the_page_made_passes_the_checks_of_its_own_pull_requests(walk: Walk) -> None:
    lines = [line for line in steps(walk.made, "ci.yml", "test")
             if "pip install" not in line and not line.endswith(" moved")]  # found by pip above
    assert len(lines) == 3
    for line in lines:
        ran = subprocess.run(line.split(), cwd=walk.made, env=walk.environment,
                             capture_output=True, text=True, check=False)
        assert ran.returncode == 0, line + ran.stdout + ran.stderr


@pytest.mark.wheel
@pytest.mark.site
def test_the_archive_of_the_page_builds_the_same_site_again(walk: Walk, tmp_path: Path) -> None:
    archive = walk.made.parent / "my-benchmark.tar.gz"
    assert f"{archive.name}: sound" in walk.said
    subprocess.run(["tar", "-xzf", archive, "-C", tmp_path], check=True)
    [top] = tmp_path.iterdir()
    text = (top / "README.md").read_text("utf-8")
    assert f"scorer {__version__}" in text
    assert "requirements.txt` names its version" in text
    command = re.search(r"python -m scorer site build .*", text)
    assert command is not None
    ran = subprocess.run(command[0].split(), cwd=top / "checkout", env=walk.environment,
                         capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert tree(top / "rebuilt") == tree(top / "site")


@pytest.mark.wheel
@pytest.mark.site
@pytest.mark.browser
def test_a_reader_finds_the_submission_and_its_comparison_on_the_site(
    walk: Walk, browser: Any,
) -> None:
    from tests.browser.conftest import served

    assert "A  my-team/my-system" in walk.said
    said: list[str] = []
    with served(walk.made / "_site") as address:
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        page = context.new_page()
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("console", lambda message: said.append(message.text))
        page.on("request", lambda asked: said.append(asked.url)
                if not asked.url.startswith((address, "data:")) else None)
        page.goto(address)
        page.locator("main a[href*='boards/my-benchmark/dev/']").first.click()
        page.get_by_role("link", name="Compare", exact=True).first.click()
        page.wait_for_url("**/boards/my-benchmark/dev/compare/")
        text = page.locator("main, article").first.inner_text()
        assert "My system" in text
        assert "Null graph" in text
        page.go_back()
        page.get_by_role("link", name="My system").first.click()
        page.get_by_role("heading", name="My system").wait_for()
        page.goto(f"{address}boards/my-benchmark/dev/1/?a=my-team/my-system")
        shown = page.locator(".wb-example").get_by_text("My system").locator("visible=true")
        shown.first.wait_for()
        page.goto(f"{address}host/")
        page.get_by_role("link", name="Set up GitHub").first.click()
        page.get_by_role("heading", name="Set up GitHub").wait_for()
        context.close()
    assert said == []
