"""Every sentence about a fault of a predictions file, as a template.

There is one wording for this program and for the checker page (``site/browsing/checker.py``),
which fills the same templates in the browser. ``{name}`` stands for a value that the caller made
into text; nothing else has a meaning. A name after a rule's id tells apart what the rule may say.
"""

from __future__ import annotations

from typing import NamedTuple


class Fault(NamedTuple):
    """What a rule found, and what it expected."""

    found: str
    expected: str


PROBLEM = "{path}:{line}:{column} {rule} {found}; expected {expected}; {advice}"
"""One fault on one line."""

_TABS_ALONE = "{wanted} ({names}) and nothing else"
_AS_TABS = ("write a tab between columns, and no quotes, header or index (pandas: to_csv(FILE, "
            "sep='\\t', header=False, index=False, quoting=3))")

FAULTS = {
    "TSV-SIZE": Fault("{size} bytes", "at most {most} bytes"),
    "TSV-SIZE more": Fault("more than {most} bytes", "at most {most} bytes"),
    "TSV-EMPTY nothing": Fault("no bytes", "one row for every item"),
    "TSV-EMPTY mark": Fault("only a byte order mark", "one row for every item"),
    "TSV-EMPTY lines": Fault("only line ends", "one row for every item"),
    "TSV-ENCODING": Fault("byte 0x{byte} at byte {place} of the line", "UTF-8 text"),
    "TSV-ENCODING packed": Fault("a {kind} file", "UTF-8 text"),
    "TSV-ENCODING short": Fault(
        "a gzip file that breaks off after {count} unpacked bytes", "a whole one"),
    "TSV-ENCODING damaged": Fault(
        "a gzip file that is damaged after {count} unpacked bytes", "a sound one"),
    "TSV-BOM": Fault("a byte order mark", "plain UTF-8"),
    "TSV-CRLF": Fault("CR LF", "LF"),
    "TSV-CRLF mixed": Fault("CR LF on {ended} of {lines} lines", "LF"),
    "TSV-CR": Fault("a CR inside the line", "LF line ends"),
    "TSV-CONTROL": Fault("the character U+{code}", "printable text"),
    "TSV-INVISIBLE": Fault("the character U+{code}", "visible text"),
    "TSV-BLANK": Fault("an empty line", "one row for every item"),
    "TSV-BLANK item": Fault("an empty line", "a prediction for item {item}"),
    "TSV-BLANK spare": Fault("an empty line that answers no item", "the {rows} rows alone"),
    "TSV-COLUMNS": Fault("{given}", "{wanted} ({names})"),
    "TSV-COLUMNS optional": Fault("{given}", "{least} {wanted} ({names})"),
    "TSV-FIELD": Fault("{size} bytes", "at most {most} bytes in column {name}"),
    "TSV-FORM commas": Fault("commas between columns on {count} of {lines} lines", _TABS_ALONE),
    "TSV-FORM semicolons": Fault(
        "semicolons between columns on {count} of {lines} lines", _TABS_ALONE),
    "TSV-FORM bars": Fault("bars between columns on {count} of {lines} lines", _TABS_ALONE),
    "TSV-FORM quotes": Fault("quotes around columns on {count} of {lines} lines", _TABS_ALONE),
    "TSV-FORM ends": Fault("a tab at the end of {count} of {lines} lines", _TABS_ALONE),
    "TSV-FORM json": Fault("JSON objects on {count} of {lines} lines", _TABS_ALONE),
    "TSV-FORM array": Fault("a JSON array", _TABS_ALONE),
    "TSV-FORM html": Fault("an HTML page", _TABS_ALONE),
    "TSV-HEADER": Fault("the column name {name}", "the first item's row"),
    "TSV-ROWS": Fault("{count}", "{rows}"),
    "TSV-ROWS references": Fault(
        "{count}, of which {repeats} repeat the line before", "{rows}"),
    "TSV-LABEL": Fault("{name} {value}", "{labels}"),
    "EG-SLIP": Fault("{slips} of {graphs}",
                     '"(concept; relation; concept)(concept; relation; concept)" and no other '
                     "characters"),
    "EG-SLIP rule": Fault("{rule} in {count} of {graphs}, here: {detail}",
                          "graphs that keep that rule"),
    "ART-ID": Fault("{key} {value}", "one of the {ids} of the split, such as {first}"),
    "ART-ID none": Fault(
        "{key} {value}", "answers in the order of the items, for this gold has no ids"),
    "ART-TWICE": Fault(
        "{key} {value} a second time, after line {earlier}", "one answer for each item"),
    "ART-TWICE references": Fault(
        "another text for item {item} than line {earlier} has", "one text for each item"),
    "ART-MISSING": Fault("no answer for {key} {value}", "one for each item of the split"),
    "ART-LONG": Fault("{characters}, {words}", "at most {letters} characters and {most} words"),
    "ART-JSON": Fault("no such object", "{record}"),
    "ART-JSON models": Fault("{models}", "one model in a file"),
    "ART-TEXT": Fault(
        "the text {value}", "no tab, line feed, control or invisible character"),
    "ART-LAST": Fault(
        "another text for a context of an earlier line", "one text for each context"),
    "TSV-NO-ANSWER": Fault("no {name} in {rows} ({lines})", "a {name} for every item"),
    "ART-EMPTY": Fault("{texts} empty ({lines})", "a text for every context"),
    "ART-FORM quotes": Fault("quotes around {texts} ({lines})", "the text alone"),
    "ART-FORM index": Fault("a running number before {texts} ({lines})", "the text alone"),
    "ART-SPACES": Fault("{kinds} ({lines})", "one space between words, none at the ends"),
}

HINTS = {
    "TSV-BLANK item": "write it there; without the line every later row would answer the item "
                      "before its own",
    "TSV-BLANK unsure": "write it there, or remove the line if it answers no item",
    "TSV-ENCODING UTF-16": "this is UTF-16: save the file as UTF-8",
    "TSV-ENCODING gzip": "unpack it: gunzip FILE.gz",
    "TSV-ENCODING zip": "unpack it: unzip FILE.zip; a spreadsheet must be saved as tab-separated "
                        "text",
    "TSV-ENCODING bzip2": "unpack it: bunzip2 FILE.bz2",
    "TSV-ENCODING xz": "unpack it: unxz FILE.xz",
    "TSV-ENCODING zstd": "unpack it: unzstd FILE.zst",
    "TSV-ENCODING gzip damaged": "copy or pack it again, or name the file itself",
    "TSV-CONTROL NUL": "remove it, or save UTF-16 as UTF-8",
    "TSV-COLUMNS git lfs": "this is a pointer of git lfs: commit the file itself",
    "TSV-COLUMNS backslash": "backslash and t are two characters, not a tab: write a tab",
    "TSV-COLUMNS end": "remove the tab at the end of the line",
    "TSV-COLUMNS blanks": "spaces do not separate columns: write a tab",
    "TSV-FORM commas": _AS_TABS, "TSV-FORM semicolons": _AS_TABS, "TSV-FORM bars": _AS_TABS,
    "TSV-FORM quotes": _AS_TABS,
    "TSV-FORM ends": "remove the tab at the end of each line; scorer check --fix DIR writes that "
                     "copy",
    "TSV-FORM json": "write the values alone, a tab between them",
    "TSV-FORM array": "write a line for each item, its values alone, a tab between them",
    "TSV-FORM html": "download the file itself, not the page that shows it",
    "TSV-ROWS add": "add {difference}",
    "TSV-ROWS end": "add 1 row; if the last text is empty, give it a line end of its own",
    "TSV-ROWS remove": "remove {difference}",
    "EG-SLIP rule": "{advice}",
    "ART-EMPTY file": "write one, or leave it so: an empty text counts and scores 0",
    "TSV-ROWS references": "this has one line a reference; to write one line an item, run: scorer "
                           "check FILE --board BOARD --split SPLIT --per-reference --fix DIR",
    "TSV-ROWS perhaps": "write one line an item; if this has one line a reference, run: scorer "
                        "check FILE --board BOARD --split SPLIT --per-reference --fix DIR",
    "TSV-ROWS order": "name the file whose rows the lines follow: --order FILE",
    "ART-TWICE references": "keep one text for each item; --per-reference chooses none",
    "TSV-LABEL near": "write {near}, exactly",
    "TSV-LABEL numbers": "the labels are 1 and 2, not 0 and 1, and have no decimals",
}
"""What to do where more can be said than the rule's own advice."""

DETAILS = {
    "more": "{count} more of the same.",
    "EG-FEW-FACTS": "The graph has {count} edges; at least {least} are needed.",
    "EG-FEW-FACTS one": "The graph has {count} edge; at least {least} are needed.",
    "EG-MANY-FACTS": "The graph has {count} edges; at most {most} may be.",
    "EG-MANY-FACTS strict": "The graph has {count} edges; the strict reading allows {most}.",
    "EG-PARTS": "Edge {number} has {parts} parts.",
    "EG-PARTS semicolon": "Edge {number}: no space after a semicolon, so it separates nothing.",
    "EG-PARTS brackets": "Edge {number}: a space between ')' and '(', so two edges are read as "
                         "one.",
    "EG-EMPTY": "Edge {number}: a concept is empty.",
    "EG-LONG": 'Edge {number}: "{concept}" has {words} words; at most {most} may be.',
    "EG-REL": 'Edge {number}: "{relation}" is not one of the relations.',
    "EG-REL near": 'Edge {number}: "{relation}" is not one of the relations; did you mean '
                   '"{near}"?',
    "EG-SELF": 'Edge {number} connects "{concept}" with itself.',
    "EG-DISCONNECTED": "The graph falls into {count} parts: {parts}.",
    "EG-CYCLE": "The edges form a cycle: {cycle}.",
    "EG-TEXT-CONCEPTS": "{count} found in the {text}; at least {least} needed: {concepts}.",
    "EG-TEXT-CONCEPTS none": "{count} found in the {text}; at least {least} needed.",
    "EG-DUP": "Edge {number} repeats edge {first}.",
    "EG-CHAR": 'Edge {number}: "{concept}" contains a parenthesis, semicolon or tab.',
    "EG-SYNTAX": "The string: {fault}.",
    "EG-W-INSIDE": '"{concept}" occurs in the {text} only inside a longer word.',
    "ART-EMPTY": "The text is empty.",
    "TSV-NO-ANSWER": "No {name} was given.",
}
"""One sentence for each finding in a graph or text; of some rules, several."""

FACT_DETAILS = {key: text.replace("Edge", "Fact").replace("edge", "fact")
                for key, text in DETAILS.items() if key.startswith("EG-") or key == "more"}
"""The same of graphs, for annotators: they call an edge a fact."""

SYNTAX = {
    "empty": "the string is empty",
    "outside": "{text} at {place} is outside the edges",
    "blanks": "stray spaces in {part} at {place}",
    "more": "{count} more faults",
}
"""How a string departs from the exact form of a graph."""

SLIPS = {
    "open": '{text} where "(" must stand',
    "before": '{text} before the first "("',
    "after": '{text} after the last ")"',
    "between": '{text} between ")" and "("',
    "parts": '{text} between parts, not "; " (U+003B SEMICOLON, U+0020 SPACE),',
    "quotes": "{text} around parts",
    "inside": "{text} inside parts, not U+0020 SPACE,",
}
"""How all graphs of a file may depart from the form."""

SPACES = {
    "start": "a space at the start",
    "end": "a space at the end",
    "double": "two spaces in a row",
}
"""What is odd about the spaces of a text."""

GENERATION = '"obs1", "obs2" and "generations": {"model": ["one text"]}'
"""What a line of official JSON must hold; no template, for it has braces of its own."""
