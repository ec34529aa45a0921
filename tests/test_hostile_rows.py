"""What strangers send to do harm: where each kind of it is tested.

Rows 1 to 60 were thought of before the pipeline was written, the rest is what an attack from
outside found. Those that no other module has stand below the table. Then all that can be judged by
themselves are judged once more in a small process of their own, which measures what that costs.
"""

import ast
import json
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import fields, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer import boards
from scorer.boards.submission import Meta, SubmissionName
from scorer.core.errors import MOST_SHOWN, report
from scorer.core.reading import schema
from scorer.pipeline.ci import main_branch
from tests.effort import A_SECOND
from tests.fuzz_helpers import (
    assert_fit_for_a_log,
    assert_inside,
    field_texts,
    hostile_bytes,
    judged,
    thorough,
)
from tests.test_submission import GOOD, META_FAULTS, with_line
from tests.test_tsv import HOSTILE, NOTED, TAMPERED, TIRING, practice

HERE = Path(__file__).parent

ROWS: dict[int, tuple[str, ...]] = {
    # A folder of a case below ``cases/``, or ``module::name``, without ``test_`` at the module.
    1: ("tsv::test_the_same_rows_are_read_whatever_ends_the_lines",),
    2: ("accepted/no-newline-at-the-end",),
    3: ("rejected/two-final-newlines", "rejected/blank-line-in-the-middle"),
    4: ("tsv::NOTED",),
    5: ("tsv::TAMPERED",),
    6: ("tsv::NOTED", "tsv::TAMPERED"),
    7: ("tsv::TAMPERED",),
    8: ("tsv::TAMPERED", "tsv::HOSTILE"),
    9: ("tsv::TAMPERED",),
    10: ("tsv::TAMPERED",),
    11: ("tsv::UNSEEN",),
    12: ("tsv::UNSEEN", "submission::META_FAULTS"),
    13: ("tsv::UNSEEN", "tsv::test_a_strange_but_visible_character_is_text"),
    14: ("rejected/labels-must-be-exact", "check::test_letters_are_compared_as_they_are"),
    15: ("rejected/labels-must-be-exact",),
    16: ("accepted/words-that-others-read-as-missing",),
    17: ("rejected/digits-are-not-labels",),
    18: ("rejected/header-line",
         "tsv::test_a_header_is_found_in_any_capitals_and_only_on_the_first_line"),
    19: ("rejected/one-row-too-few", "rejected/one-row-too-many", "rejected/every-row-twice",
         "tsv::test_the_number_of_rows_is_judged_beside_every_other_fault"),
    20: ("hostile_rows::test_rows_in_another_order_are_legal_because_the_format_has_no_ids",),
    21: ("rejected/wrong-number-of-columns", "tsv::HOSTILE"),
    22: ("accepted/quotes-backslashes-and-signs", "rejected/quoted-like-csv",
         "rejected/comment-line-first"),
    23: ("tsv::HOSTILE",),
    24: ("tsv::HOSTILE",),
    25: ("tsv::HOSTILE", "tsv::TIRING", "accepted/more-edges-than-the-paper-allows",
         "accepted/graphs-that-break-every-rule"),
    26: ("check::BREAKS", "check::STRICT", "tsv::TIRING", "accepted/graphs-that-break-every-rule"),
    27: ("check::BREAKS",),
    28: ("check::BREAKS", "tsv::TIRING"),
    29: ("check::BREAKS", "check::STRICT"),
    30: ("tsv::TIRING",),
    31: ("accepted/markup-and-templates", "browser/test_canaries::"
         "test_no_page_has_a_handler_a_foreign_element_or_a_comment_of_a_stranger"),
    32: ("accepted/markup-and-templates",
         "pulls/TSV-LABEL.markup-in-every-row",
         "browser/test_canaries::test_links_stay_here_or_are_https_and_disowned"),
    33: ("accepted/commands-to-a-workflow-inside-a-graph",
         "rejected/lines-that-a-workflow-runner-obeys"),
    34: ("accepted/formulas-of-a-spreadsheet",
         "browser/test_canaries::test_no_cell_of_any_table_to_download_is_a_formula"),
    35: ("pulls/TSV-LABEL.commands-to-a-runner",),
    36: ("submission::test_a_link_is_never_followed", "pulls/PR-MODE.symlink-as-predictions",
         "pulls/PR-MODE.symlink-as-description", "pulls/PR-MODE.symlink-as-owners"),
    37: ("submission::test_a_folder_in_the_place_of_a_file_is_refused",
         "pulls/PR-FILE.a-folder-in-the-place-of-a-file",
         "pulls/PR-MODE.submodule-as-predictions"),
    38: ("rejected/pointer-of-git-lfs", "pulls/PR-LFS.a-pointer"),
    39: ("pulls/PR-FILE.names-that-are-nearly-right", "pulls/PR-FILE.a-workflow-in-the-folder",
         "pulls/PR-FILE.a-model"),
    40: ("pulls/PR-FILE.names-that-something-obeys",
         "pulls/PR-FILE.names-that-some-systems-do-not-take",
         "submission::test_any_other_file_is_refused_and_its_name_shown_in_ascii",
         "submission::test_a_name_that_is_no_text_is_refused"),
    41: ("pulls/META-SLUG.a-team-with-a-capital", "pulls/META-SLUG.a-team-that-leads-up",
         "pulls/META-SLUG.a-system-that-leads-up", "pulls/PR-FILE.a-way-out-of-the-folder"),
    42: ("pulls/PR-IMMUTABLE.an-owner-changes-merged-predictions",
         "pulls/PR-IMMUTABLE+PR-ONE+PR-OWNER.a-stranger-changes-merged-predictions"),
    43: ("pulls/PR-ONE.two-systems", "pulls/PR-FILE.five-thousand-files"),
    44: ("pulls/PR-SAME.predictions-of-the-team-s-other-system",
         "pulls/PR-COPY.predictions-of-another-team",
         "ci_history::test_the_same_bytes_have_one_turn_and_others_at_their_path_another"),
    45: ("strict_yaml::REFUSED", "strict_yaml::DEEP", "submission::META_FAULTS",
         "strict_yaml::test_one_byte_order_mark_and_cr_lf_are_accepted"),
    46: ("submission::META_FAULTS", "hostile_rows::LINKS",
         "submission::test_a_name_is_text_whatever_it_looks_like"),
    47: ("submission::META_FAULTS", "submission::test_reserved_teams_are_the_maintainers"),
    48: ("tsv::TAMPERED", "tsv::HOSTILE",
         "pulls/PR-SIZE.predictions-of-nine-megabytes"),
    49: ("accepted/all-rows-the-same", "hostile_rows::test_public_gold_may_be_handed_in"),
    50: ("pulls/accepted.a-large-file-between-two-commits",
         "pulls/PR-SIZE+PR-UNREAD.predictions-of-a-hundred-megabytes"),
    51: ("pulls/accepted.a-branch-500-commits-behind", "pulls/PR-BASE.a-history-of-its-own",
         "ci_validate::test_a_commit_that_was_pushed_over_is_left_to_the_newer_run"),
    52: ("hostile_rows::test_a_new_version_of_the_board_makes_every_key_new",),
    53: ("accepted/scripts-of-the-world", "tsv::TIRING",
         "website::test_runs_of_combining_marks_are_shortened_for_show"),
    54: ("hostile_rows::test_no_format_echoes_the_input",),
    55: ("accepted/the-two-characters-of-a-newline-and-a-tab", "tsv::TAMPERED"),
    56: ("pulls/PR-FILE.names-that-something-obeys",
         "pulls/PR-SCOPE.rules-for-git-beside-a-submission"),
    57: ("tsv::test_fifty_errors_are_shown_and_all_are_counted", "tsv::HOSTILE",
         "pulls/TSV-LABEL.markup-in-every-row"),
    58: ("pulls/PR-FILE.many-folders-deep",),
    59: ("ci_artifact::CASES",),
    60: ("ci_publish::test_a_worker_that_fails_leaves_a_code",
         "hidden::test_a_process_that_is_late_is_an_error_that_shows_no_gold"),
    # Branches whose merge does more than it shows.
    61: ("pulls/PR-CROSSED.histories-that-crossed",
         "pulls/PR-IMMUTABLE+PR-ONE+PR-OWNER.a-merge-commit-that-drops-another-team"),
    62: ("pulls/PR-IMMUTABLE.a-change-that-main-has-already",
         "pulls/PR-SCOPE.a-bad-merge-that-main-still-has",
         "pulls/PR-ONE.a-branch-on-top-of-a-squashed-one"),
    63: ("pulls/PR-CONFLICT.other-predictions-at-one-path",
         "pulls/PR-CONFLICT.two-teams-of-one-name-at-once"),
    64: ("pulls/PR-OWNER.predictions-that-maintainers-removed-from-another",),
    65: ("pulls/PR-OWNER.the-login-of-an-owner-with-another-number",
         "pulls/PR-OWNER.the-login-of-somebody-else", "pulls/accepted.an-owner-who-was-renamed"),
    66: ("pulls/PR-IMMUTABLE.an-owner-changes-merged-predictions",
         "pulls/PR-IMMUTABLE.an-owner-removes-a-system"),
    67: ("pulls/PR-OWNER.a-stranger-withdraws-a-system",
         "pulls/PR-OWNER.a-stranger-adds-himself-to-the-owners"),
    68: ("pulls/PR-OWNER.a-team-that-maintainers-began", "pulls/PR-OWNER.a-reserved-team",
         "pulls/PR-OWNER.a-reserved-team-with-owners-on-main"),
    69: ("pulls/PR-SCOPE.a-reverted-bad-merge-brought-again-by-the-same-head",
         "pulls/accepted.a-reverted-submission-brought-again-by-the-same-head"),
    # Machines and files that lie, or want too much.
    70: ("ci_artifact::CASES",),
    71: ("judges::test_a_graph_of_too_many_edges_counts_0_flagged_and_the_judge_is_not_asked",
         "ci_replay::test_a_submission_that_takes_too_much_memory_is_given_up_and_the_others_go_on"),
    72: ("archive::test_a_small_file_that_unpacks_to_much_takes_little_memory_and_is_refused",
         "archive::test_a_link_leads_nowhere_and_is_refused"),
    # Questions about hidden gold.
    73: ("hidden::test_metrics_are_asked_the_same_however_many_labels_are_right",
         "ci_history::test_turns_follow_the_merges_whatever_commits_say_of_themselves",
         "ci_hidden::test_an_owner_s_second_submission_is_scored_or_fails_when_its_day_comes"),
    74: ("attacks::test_a_year_of_the_default_policy_finds_fewer_than_60_percent",),
    # Names, comments and readers.
    75: ("schema::test_nothing_that_cannot_be_seen_stands_in_a_text",),
    76: ("names::test_what_a_name_is_or_looks_like",
         "pulls/PR-NAME.a-folder-that-looks-like-another-team",
         "pulls/PR-NAME.the-name-of-the-maintainers"),
    77: ("ci_comments::test_strangers_cannot_make_us_post_twice",),
    78: ("serve::test_what_is_no_page_of_the_site_has_the_site_s_own_page_for_that",),
}
PULLS = (36, 37, *range(39, 45), 50, 51, 56, 58, *range(61, 70))
"""Rows about pull requests: ``test_ci_validate`` measures what judging one costs."""
SENT = tuple(row for row in (*range(1, 70), 75) if row not in PULLS)
"""Others of which something can be judged by itself; the rest is about a whole run."""


CASES_OF: dict[str, Iterable[str]] = {
    "TAMPERED": TAMPERED, "NOTED": NOTED, "HOSTILE": HOSTILE, "TIRING": TIRING,
    "META_FAULTS": META_FAULTS}
"""Tables whose cases begin with their row."""


@cache
def names_in(module: str) -> frozenset[str]:
    """What a test module defines at its top."""
    folder, _, name = module.rpartition("/")
    path = HERE / folder / (name if name.startswith("test_") else f"test_{name}")
    found = set()
    for node in ast.parse(path.with_suffix(".py").read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {target.id for target in targets if isinstance(target, ast.Name)}
    return frozenset(found)


@pytest.mark.claim("Each of 78 kinds of hostile input has a test.")
def test_every_row_of_the_list_has_a_test() -> None:
    assert list(ROWS) == list(range(1, 79))


@pytest.mark.parametrize("row", ROWS)
def test_a_row_is_tested_where_the_table_says(row: int) -> None:
    for where in ROWS[row]:
        module, _, name = where.partition("::")
        if name:
            assert name in names_in(module), where
            cases = CASES_OF.get(name)
            assert cases is None or any(case.startswith(f"row {row}:") for case in cases), where
        else:
            file = "case.yaml" if where.startswith("pulls/") else "expected.txt"
            assert (HERE / "cases" / where / file).is_file(), where


# ---- rows that no other module has ---------------------------------------------------------

LINKS = ["javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,x", "file:///etc/passwd",
         "http://a.org", "//a.org", "/a", "ftp://a.org", "vbscript:x", "mailto:a@b.org",
         " javascript:x", "https:a.org", "https://"]


@pytest.mark.parametrize("link", LINKS)
def test_a_link_that_is_not_https_is_refused(link: str) -> None:  # row 46
    made, problems = schema.load(Meta, with_line(f"links: [{{title: x, url: '{link}'}}]").encode(),
                                 "m")
    assert made is None
    [problem] = problems
    assert (problem.rule, problem.line) == ("META-VALUE", 7)
    assert problem.found.startswith("links: url:")
    assert problem.expected == "an https:// link"


def test_rows_in_another_order_are_legal_because_the_format_has_no_ids() -> None:  # row 20
    rows = [b"support\t(a; is a; b)\n", b"counter\t(c; is a; d)\n"]
    for content in (b"".join(rows), b"".join(rows[::-1])):
        assert judged(practice(), content, rows=2).ok


def test_public_gold_may_be_handed_in() -> None:  # row 49
    board = practice()
    path = board.data_file("dev", Path("nowhere"))
    assert path is not None
    golds = [line.split("\t") for line in path.read_text("utf-8").splitlines()]
    content = "".join(f"{label}\t{graph}\n" for _, _, label, graph in golds).encode()
    texts = [row[:2] for row in golds]
    found = judged(board, content, rows=len(golds), texts=texts)
    assert found.ok
    assert not any(found.broken)


def test_a_new_version_of_the_board_makes_every_key_new() -> None:  # row 52
    board, place = practice(), SubmissionName("explagraphs-practice", "a-team", "a-system")
    old = main_branch.key(board, place, "dev", "p")
    assert main_branch.key(practice(), place, "dev", "p") == old
    assert main_branch.key(replace(board, version="9.9"), place, "dev", "p") != old


def test_no_format_echoes_the_input() -> None:  # row 54: nothing to compare, so nothing to shift
    for name in boards.known_boards(boards.boards_folder()):
        task = boards.load(name).task
        assert not {*task.prediction_columns} & {*task.input_columns}


# ---- what judging them costs ---------------------------------------------------------------

MOST_MEMORY = 200_000
"""KiB of a process that passes all judgements."""


class Cost(NamedTuple):
    """One judgement: whether faults had to be found, how many were, millions of turns."""

    refused: bool | None
    faults: int
    millions: float


@pytest.fixture(scope="module")
def costs(
    seed: Path, tmp_path_factory: pytest.TempPathFactory,
) -> tuple[dict[int, list[Cost]], int]:
    """What every row costs, and the memory in KiB of the one small process that judged them all.

    It is begun by another small one: no process counts as smaller than the one that began it.
    """
    pytest.importorskip("pyrage")
    from tests.hostile_specimens import Sender

    folder = tmp_path_factory.mktemp("hostile")
    sender = Sender(folder, seed)
    sent = [(row, one) for row, where in ROWS.items() for one in sender.specimens(row, where)]
    calls = list(dict.fromkeys(json.dumps(one.call) for _, one in sent))
    listed = folder / "specimens.json"
    listed.write_text(f"[{', '.join(calls)}]")
    begin = "import subprocess, sys; sys.exit(subprocess.call(sys.argv[1:]))"
    judge = [sys.executable, "-m", "tests.judging", str(listed)]
    said = subprocess.run([sys.executable, "-c", begin, *judge], check=False, cwd=HERE.parent,
                          capture_output=True, text=True)
    assert (said.returncode, said.stderr) == (0, "")
    measured, most = json.loads(said.stdout)
    cost = dict(zip(calls, measured, strict=True))
    found: dict[int, list[Cost]] = {row: [] for row in ROWS}
    for row, one in sent:
        found[row].append(Cost(one.refused, *cost[json.dumps(one.call)]))
    return found, most


@pytest.mark.claim("Each hostile input that can be judged by itself takes less than a second.")
@pytest.mark.slow
@pytest.mark.parametrize("row", SENT)
def test_each_row_is_judged_as_it_must_be_and_in_less_than_a_second(
    row: int, costs: tuple[dict[int, list[Cost]], int]
) -> None:
    found = costs[0][row]
    assert found
    for refused, faults, millions in found:
        assert refused is None or refused == bool(faults)
        assert millions < A_SECOND


@pytest.mark.slow
def test_all_rows_together_are_judged_in_little_memory(
    costs: tuple[dict[int, list[Cost]], int]
) -> None:
    assert 10_000 < costs[1] < MOST_MEMORY


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_the_program_says_so_without_a_traceback(name: str, tmp_path: Path) -> None:
    path = tmp_path / "predictions.dev.tsv"
    path.write_bytes(HOSTILE[name][0]())
    said = subprocess.run([sys.executable, "-m", "scorer", "check", str(path), "--board",
                           "explagraphs-practice", "--split", "dev", "--home", str(tmp_path)],
                          check=False, capture_output=True, text=True)
    told = said.stdout + said.stderr
    assert said.returncode == 2
    assert "Traceback" not in told
    assert len(told.splitlines()) <= MOST_SHOWN + 20
    assert_fit_for_a_log(told)


# ---- properties of the readers -------------------------------------------------------------

lines_of_metadata = st.lists(st.sampled_from([
    *GOOD.splitlines(), "links: [{title: a, url: 'javascript:x'}]", "models: [a, b]", "team: [x]",
    "nonsense: [[]]", "links: []", "links: [{title: a, url: b}]", "models: x", "seeds: {a: b}",
    "saw_dev_gold: on", "verified: true", "training_data: ''", "system: '\u202e'", "a: &x b", "\tb",
    "- c", "description: |\n  <script>", "",
    *(f"k{number}: v" for number in range(30)),
]), max_size=90).map(lambda lines: "\n".join(lines).encode())


@thorough(300)
@given(hostile_bytes | lines_of_metadata)
def test_any_metadata_give_a_report_of_fifty_at_most_and_the_same_twice(content: bytes) -> None:
    made, problems = schema.load(Meta, content, "m")
    told = report(problems, len(problems))
    assert len(told.split("\n")) <= MOST_SHOWN + 1
    assert_fit_for_a_log(told)
    assert (made is None) == bool(problems)
    assert schema.load(Meta, content, "m") == (made, problems)
    for problem in problems:
        assert_inside(problem, content.removeprefix(b"\xef\xbb\xbf"))


def written(field: schema.Schema) -> st.SearchStrategy[Any]:
    """Anything that a field takes, as it may be written."""
    field = schema.resolved(field, WHOLE)
    if "properties" in field:
        values = {name: written(inner) for name, inner in field["properties"].items()}
        need = {name: values.pop(name) for name in field["required"]}
        return st.fixed_dictionaries(need, optional=values)
    if "items" in field:
        return st.lists(written(field["items"]), min_size=field["minItems"], max_size=3,
                        unique_by=repr)
    if "enum" in field:
        return st.sampled_from(field["enum"])
    if "-[0-9]{2})?$" in field.get("pattern", ""):
        return st.dates().map(str)
    if field["type"] == "boolean":
        return st.sampled_from(["yes", "no", "true", "false"])
    assert field["type"] == "string", "say what a new kind of field may hold"
    if field["pattern"] != r"\S":
        return st.from_regex(field["pattern"], fullmatch=True).map(str.strip).filter(
            lambda text: len(text) <= field["maxLength"])
    return field_texts.filter(str.strip)


WHOLE = schema.described(Meta)


@pytest.mark.slow
@thorough(200)
@given(written(WHOLE))
def test_metadata_that_are_accepted_say_what_was_written(given_: dict[str, Any]) -> None:
    content = json.dumps(given_, ensure_ascii=False).encode()
    made, problems = schema.load(Meta, content, "m")
    assert problems == []
    found = vars(made)
    for name, value in given_.items():
        if name == "links":
            assert [vars(link) for link in found[name]] == value
        elif name == "saw_dev_gold":
            assert found[name] == (value in ("yes", "true"))
        else:
            assert found[name] == (tuple(value) if name in ("models", "tags") else value)
    assert all(found[field.name] == field.default for field in fields(Meta)
               if field.name not in given_)
