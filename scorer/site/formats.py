"""Every file format of ours as a JSON Schema with an address that stays: ``schemas/<name>.json``.

Each is generated from the record that its files are read or written by (``schema_of``).
Of the status only the shape is here; what it means is in ``scorer/pipeline/ci/main_branch.py``.
"""

from __future__ import annotations

from scorer.boards import declaration
from scorer.boards.published import Published as PublishedElsewhere
from scorer.boards.submission import Meta
from scorer.core.reading.schema import Format
from scorer.core.results import Result
from scorer.people.published import PUBLISHED
from scorer.people.records import Form
from scorer.scoring.results.files import Unscored
from scorer.scoring.results.leaderboard import LeaderboardDocument
from scorer.scoring.results.past import Past
from scorer.site.reading.states import StatusDocument
from scorer.tasks.registry import TASKS

FORMATS = (
    Format("submission", "submissions/<board>/<team>/<system>/submission.yaml",
           "What a team says of its system.", "submission.yaml", Meta),
    *(Format(f"board.{task.name}", "boards/<board>/board.yaml",
             f"A board of the task {task.title.lower()}.", f"board.yaml of the task {task.name}",
             declaration(task)) for task in TASKS.values()),
    Format("published", "boards/<board>/published.yaml",
           "Numbers published elsewhere, with their sources.", "published.yaml",
           PublishedElsewhere),
    Format("result", "results/<board>/<team>/<system>/<split>.json",
           "One submission on one split: values, intervals, signatures, digests.",
           "Result of one submission on one split (<split>.json), schema 1", Result),
    Format("leaderboard", "results/<board>/leaderboard.<split>.json",
           "What the results of one split say together: rows, ranks, pairs and the verdict.",
           "Leaderboard of one split (results/<board>/leaderboard.<split>.json), schema 2",
           LeaderboardDocument),
    Format("past", "results/<board>/<team>/<system>/<split>.past.jsonl",
           "A line for every result that was replaced: its values, and what they depended on.",
           "A result that was replaced (a line of <split>.past.jsonl), schema 1", Past),
    Format("unscored", "results/<board>/<team>/<system>/<split>.error.json",
           "Why a merged submission has no result, and how many runs tried it.",
           "Why a merged submission has no result (<split>.error.json), schema 1", Unscored),
    *PUBLISHED,
    Format("form", "annotations/forms/<kind>.yaml",
           "A form: what annotators see of an item and are asked.", "A form", Form),
    Format("status", "data/status.json",
           "The state of every submission, as `scorer ci status` prints it.",
           "The state of every submission (data/status.json), schema 1", StatusDocument),
)
"""In the order of the site's page."""
