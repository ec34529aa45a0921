"""What each field of a recipe allows by itself, but the whole does not."""

from __future__ import annotations

from scorer.boards.recipes import (
    CSV,
    INPUTS,
    JSON,
    JSONL,
    KEY,
    LINES,
    LISTING,
    OUTER,
    STEPS,
    TEXT,
    TRIPLES,
    TSV,
    Recipe,
    Source,
)
from scorer.core.errors import counted

Misfits = list[tuple[str, str, str]]
"""Of each: what was found, what is expected, what to do."""


def of_recipe(recipe: Recipe) -> Misfits:
    """Everything that does not go together in a recipe."""
    found = _of_paths(recipe) + _of_columns(recipe) + _of_joins(recipe) + _of_checks(recipe)
    for source in recipe.sources:
        found += _of_source(source)
        if source.format == INPUTS and (recipe.split is None or source is not recipe.source):
            found.append(("a source of format inputs", "that format in others.yaml alone, for the "
                          "first source", "name a file and its format"))
        if recipe.split is None and not source.file and source.format != INPUTS:
            found.append((f"a source of {recipe.to} without a file", "one of the downloads",
                          "name it: file"))
    return found


def _of_paths(recipe: Recipe) -> Misfits:
    """The same for paths that lead into other records, and the names by which they do."""
    names = [one.name for one in recipe.join]
    found = [(f"two joins {name}", "joins of different names", "rename one of them")
             for name in dict.fromkeys(names) if names.count(name) > 1
             or f"@{name}" in (KEY, OUTER)]
    around, *others = ([OUTER[1:]] if one.each else [] for one in recipe.sources)
    led = [*((one.each or one.field, [*around, *names]) for one in recipe.columns),
           *((one.field, around) for one in recipe.where),
           *((one.field, [*around, *names]) for one in recipe.checks),
           *((path, around) for one in recipe.join for path in one.matches),
           *((path, other) for one, other in zip(recipe.join, others, strict=True)
             for path in one.key)]
    return found + [
        (f"field {path}", "@key, @record where the source has `each`, or behind @ the name of a "
         "join where a column is taken from it", "mend the path") for path, known in led
        if path[0] == "@" and path != KEY and path[1:].partition(".")[0] not in known]


def _of_columns(recipe: Recipe) -> Misfits:
    """The same for fields of columns that do not go together."""
    counts = {TRIPLES: (0, 3), LISTING: (0, 1, 2)}
    found = [(f"column {one.name} of form {one.form} with after", "after for texts alone",
              "remove it") for one in recipe.columns if one.after is not None and one.form != TEXT]
    found += [(f"column {one.name} of form {one.form} with nodes", "nodes for triples alone",
               "remove them") for one in recipe.columns
              if one.nodes is not None and one.form != TRIPLES]
    for one in recipe.columns:
        if (one.form == STEPS) != (one.steps is not None):
            found.append((f"column {one.name} of form {one.form}",
                          "the field steps, and no other form's",
                          "add steps, or choose another form"))
        found += [(f"column {one.name} with `optional` and {more}",
                   "optional columns by themselves", "remove one of them")
                  for more in ("default", "each")
                  if one.optional and getattr(one, more) is not None]
        if len(one.parts) not in counts.get(one.form, (0,)):
            found.append((
                f"{counted(len(one.parts), 'part')} in column {one.name} of form {one.form}",
                "three for triples, one or two for a listing, none for another form",
                "mend parts"))
    return found


def _of_joins(recipe: Recipe) -> Misfits:
    """The same for the fields by which records of two files belong together."""
    return [(f"{counted(len(one.key), 'field')} in key and {len(one.matches)} in matches of join "
             f"{one.name}", "as many in both", "mend one of them")
            for one in recipe.join if len(one.key) != len(one.matches)]


def _of_checks(recipe: Recipe) -> Misfits:
    """The same for checks."""
    return [(f"a check of {one.field}", "equals or begins, one of them", "mend the check")
            for one in recipe.checks if (one.equals is None) == (one.begins is None)]


def _of_source(source: Source) -> Misfits:
    """The same for what a source's format has no use for."""
    given = (("file", source.file, (JSONL, JSON, LINES, TSV, CSV)),
             ("records", source.records, (JSON,)), ("each", source.each, (JSON, JSONL)),
             ("header", source.header, (TSV, CSV)), ("quotes", source.quotes, (TSV, CSV)),
             ("without", source.without, (LINES,)))
    return [(f"{name} of a source of format {source.format}",
             f"that field for {' or '.join(formats)} alone", "remove it, or mend the format")
            for name, value, formats in given if value and source.format not in formats]
