"""The catalogue of rule ids: what each means, what to do, and what it does to a submission."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Effect = Literal["rejects", "scores", "strict", "note"]
"""``rejects`` the file; ``scores``: the item is structurally incorrect; ``strict``: a finding
beside the score; ``note``: shown to the submitter, changes nothing."""


@dataclass(frozen=True)
class Rule:
    """One rule: its id, effect, one-sentence meaning and what to do about it."""

    id: str
    effect: Effect
    text: str
    advice: str

    @property
    def page(self) -> str:
        """Where the site explains it, relative to its root."""
        return f"submit/rules/#{self.id.lower()}"


_RULES = (
    Rule("TSV-SIZE", "rejects", "The file is larger than 8 MiB.",
         "submit only the columns of predictions"),
    Rule("TSV-EMPTY", "rejects", "The file has no rows.", "write one row for every item"),
    Rule("TSV-ENCODING", "rejects", "The bytes are not UTF-8.", "save the file as UTF-8"),
    Rule("TSV-BOM", "note", "A byte order mark at the start of the file was ignored.",
         "save as UTF-8 without BOM"),
    Rule("TSV-CRLF", "note", "Lines end in CR LF; the CR was ignored.",
         "save with LF line ends"),
    Rule("TSV-CR", "rejects", "A carriage return is inside a line.",
         "save with LF line ends"),
    Rule("TSV-CONTROL", "rejects",
         "A control or line-separating character is in a field.", "remove the character"),
    Rule("TSV-INVISIBLE", "rejects",
         "An invisible, direction-changing, private or non-character code point is in a "
         "field.", "remove the character"),
    Rule("TSV-BLANK", "rejects", "A line is empty: the prediction of its item is missing, or "
         "the line answers no item.",
         "remove it; every line answers one item"),
    Rule("TSV-COLUMNS", "rejects", "A line has the wrong number of columns.",
         "separate the columns by one tab each"),
    Rule("TSV-FORM", "rejects",
         "The whole file has another form: commas, semicolons or bars between columns, tabs at the "
         "ends of lines, quotes around columns, an index or other columns before, JSON or HTML.",
         "write the columns alone, separated by one tab each"),
    Rule("TSV-FIELD", "rejects", "A field is longer than 64 KiB.", "shorten the field"),
    Rule("TSV-HEADER", "rejects", "The first line looks like a header.",
         "remove the header line"),
    Rule("TSV-ROWS", "rejects", "The number of rows is not that of the split.",
         "write one row for every item, in the order of the input file"),
    Rule("TSV-LABEL", "rejects", "A label is not one of the board's labels.",
         "write the label exactly as listed"),
    Rule("TSV-NO-ANSWER", "strict", "A row has - where a label belongs: the system gave no answer "
         "that could be read. It counts as a wrong label.",
         "write one, or leave it so: each counts as a wrong label"),
    Rule("TSV-GOLD", "rejects", "A gold graph is missing or breaks the board's own rules.",
         "fix the gold file"),
    Rule("TSV-RATINGS", "rejects", "A file of people's ratings does not fit the gold answers, or "
         "has something else than ratings.",
         "fix the file, or the import that makes it"),
    Rule("TSV-PROBABILITIES", "rejects", "A row of probabilities by others is not one that sums to "
         "1.",
         "fix the file, or the form that makes it"),
    Rule("TSV-ANSWERS", "rejects", "A file of people's answers does not fit the split, or has "
         "something else than how many people gave each label.",
         "fix the file, or the import that makes it"),
    Rule("META-FILE", "rejects", "A file of the submission is missing or does not belong there.",
         "keep submission.yaml and predictions.<split>.tsv, nothing else"),
    Rule("META-SLUG", "rejects", "A folder name is not a slug or is reserved.",
         "use 1 to 40 of a-z, 0-9 and single inner hyphens"),
    Rule("META-YAML", "rejects",
         "The YAML cannot be read, has a key twice, or uses a feature that is refused.",
         "use plain keys, strings and lists"),
    Rule("META-FIELD", "rejects", "A field is missing or unknown.",
         "see the table of fields"),
    Rule("META-VALUE", "rejects", "A field has a value that is not allowed.",
         "see the table of fields"),
    Rule("PR-SCOPE", "rejects",
         "A pull request changes a submission and something else, or files of the pipeline.",
         "put only the files of one submission into a pull request"),
    Rule("PR-ONE", "rejects", "A pull request touches more than one submission or team.",
         "open one pull request for each submission"),
    Rule("PR-PLACE", "rejects",
         "A path below submissions/ is neither in a system's folder nor a team's file of owners.",
         "put the two kinds of files directly into the system's folder"),
    Rule("PR-FILE", "rejects", "A file has a name that is not allowed.",
         "keep submission.yaml and predictions.<split>.tsv, nothing else"),
    Rule("PR-BOARD", "rejects", "There is no such board, or it has no such split.",
         "use the folder name of a board and one of its splits"),
    Rule("PR-MODE", "rejects", "A path is a link, a submodule or an executable file.",
         "commit a regular file (chmod -x)"),
    Rule("PR-SIZE", "rejects", "A file is larger than its kind may be.",
         "submit only the columns of predictions"),
    Rule("PR-LFS", "rejects", "A file is a pointer of git lfs.", "commit the file itself"),
    Rule("PR-IMMUTABLE", "rejects", "Merged predictions are changed, or a merged file is removed.",
         "submit a new system; to withdraw one, its owner changes submission.yaml alone"),
    Rule("PR-OWNER", "rejects", "The author is not one of the team's owners, or their file is "
         "missing.", "use a team of your own"),
    Rule("PR-SAME", "rejects", "The predictions are those of an earlier submission of the team.",
         "submit predictions that differ"),
    Rule("PR-COPY", "note", "The predictions are also another team's.",
         "explain why in the pull request"),
    Rule("PR-NAME", "note", "The team's name is, or looks like, that of another team, of a board "
         "or of the maintainers.", "choose another name, or say in the pull request why it is "
         "yours"),
    Rule("PR-LINK", "note", "A file of owners adds other accounts than the author's: the number "
         "counts, whatever login stands before it, and on hidden gold they share one budget.",
         "look whose account that is, and ask whether it agrees"),
    Rule("PR-BASE", "rejects",
         "The pull request is not for the main branch, or shares no history with it.",
         "open it for the main branch, from a branch made from that"),
    Rule("PR-CROSSED", "rejects", "The branch left the main branch at more than one commit.",
         "make the branch anew from the main branch and copy your files to it"),
    Rule("PR-CONFLICT", "rejects", "The branch cannot be merged with the main branch.",
         "make the branch anew from the main branch and copy your files to it"),
    Rule("PR-GOLD", "rejects", "A file holds hidden gold, or a secret key.",
         "remove it from the branch's history; what was pushed is public, so make new gold or a "
         "new key"),
    Rule("PR-UNREAD", "note", "Not every file was searched for hidden gold: there are too many, or "
         "they are too large.", "search a checkout of the branch: scorer ci doctor"),
    Rule("EG-FEW-FACTS", "scores", "The graph has fewer edges than the board asks for.",
         "add edges that explain the stance"),
    Rule("EG-PARTS", "scores", "An edge does not have exactly three parts.",
         "write each edge as (concept; relation; concept) with '; ' between the parts"),
    Rule("EG-EMPTY", "scores", "A concept is empty.", "name the concept"),
    Rule("EG-LONG", "scores", "A concept has more words than the board allows.",
         "shorten the concept"),
    Rule("EG-REL", "scores", "A relation is not one of the board's relations.",
         "use a relation of the list, exactly as written"),
    Rule("EG-SELF", "scores", "An edge connects a concept with itself.", "remove the edge"),
    Rule("EG-DISCONNECTED", "scores", "The graph falls into parts.", "connect the parts"),
    Rule("EG-CYCLE", "scores", "The edges form a cycle.", "remove an edge of the cycle"),
    Rule("EG-TEXT-CONCEPTS", "scores",
         "Too few different concepts occur in an input text. The id carries the text's name, "
         "as in EG-BELIEF-CONCEPTS.", "use words of that text as concepts"),
    Rule("EG-MANY-FACTS", "strict", "The graph has more edges than the strict reading allows.",
         "keep only edges that explain"),
    Rule("EG-DUP", "strict", "An edge is repeated.", "remove the repetition"),
    Rule("EG-CHAR", "strict", "A concept contains a parenthesis, semicolon or tab.",
         "remove the character"),
    Rule("EG-SYNTAX", "strict",
         "The string is not exactly (concept; relation; concept)(...): a missing bracket, a "
         "stray space or text outside the edges.", "write nothing outside the brackets"),
    Rule("EG-W-INSIDE", "strict",
         "A concept occurs in an input text only inside a longer word.", "use whole words"),
    Rule("EG-SLIP", "note",
         "More than 90 % of at least five graphs depart from the form (concept; relation; "
         "concept)(...) in the same way or break the same rule.",
         "write that form, character by character; the graphs are scored as they are"),
    Rule("ART-ID", "rejects", "An id names no item of the split.",
         "take the ids of the split's own file"),
    Rule("ART-TWICE", "rejects", "An item is answered twice.", "keep one answer for each item"),
    Rule("ART-MISSING", "rejects", "An item has no answer.",
         "answer every item; an item cannot be left out"),
    Rule("ART-JSON", "rejects", "A line of a JSON file is not a record of one generation.",
         "write obs1, obs2 and generations with one model and one text on every line"),
    Rule("ART-TEXT", "rejects", "A text in a JSON file has a character that no line can hold.",
         "replace it with a space"),
    Rule("ART-LONG", "rejects", "A text is longer than a hypothesis can be.",
         "cut the text at the end of its first sentence or two"),
    Rule("ART-LAST", "note", "Several lines answer one context; the last one counts, as in the "
         "released evaluation.", "keep one line for each context"),
    Rule("ART-EMPTY", "strict", "A text is empty; it is scored as it is. In a file without ids an "
         "empty line is an empty text.", "write a sentence"),
    Rule("ART-FORM", "note", "Nearly all texts are in quotes or follow a running number, or every "
         "text with a comma or quote is in quotes; these count as part of the text.",
         "remove them if the system did not write them"),
    Rule("ART-SPACES", "note", "A text has a space at an end, two in a row, or another space "
         "character than U+0020. ROUGE-L of the released evaluation splits at every single space, "
         "so each lowers it; the other metrics ignore them.",
         "remove them unless they are meant"),
)

CATALOGUE = {rule.id: rule for rule in _RULES}
"""Every rule by its id."""


def text_rule(text: str) -> str:
    """The id of the concept rule for one input text.

    >>> text_rule("belief")
    'EG-BELIEF-CONCEPTS'
    """
    return f"EG-{text.upper()}-CONCEPTS"


def lookup(rule_id: str) -> Rule:
    """The rule with this id; the ids made by ``text_rule`` share one entry.

    >>> lookup("EG-ARGUMENT-CONCEPTS").id
    'EG-TEXT-CONCEPTS'
    """
    if rule_id not in CATALOGUE and rule_id.startswith("EG-") and rule_id.endswith("-CONCEPTS"):
        return CATALOGUE["EG-TEXT-CONCEPTS"]
    return CATALOGUE[rule_id]
