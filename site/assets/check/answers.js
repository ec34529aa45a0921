/* What answers have in common: rows that name their items, in any order, each once, as
   scorer/tasks/texts/art_files.py reads them; and rows that have "-" for a label, no answer, as
   scorer/tasks/answers.py says it. */

import { columnOf } from "./file.js";
import { counted, fill, numbered, size } from "./language.js";

const shortest = (names) => names.reduce((best, name) => (size(name) < size(best) ? name : best));

/** Puts `[name, row]` in the order of the items; `ids`: for each item its names, null if unknown. */
export function orderer(say) {
  const again = ({ problems }, key, name, row, earlier) =>
    problems.add(row.line, 1, "ART-TWICE", "", { key, value: say.excerpt(name), earlier });

  function eachOnce(file, answers, key) {
    const seen = new Map();
    for (const [name, row] of answers) {
      if (seen.has(name)) again(file, key, name, row, seen.get(name));
      else seen.set(name, row.line);
    }
  }

  function unknown({ problems }, ids, key, name, row) {
    const value = say.excerpt(name);
    if (!ids.length) problems.add(row.line, 1, "ART-ID none", "", { key, value });
    else problems.add(row.line, 1, "ART-ID", "", { key, value, ids: counted(ids.length, key), first: say.repr(shortest(ids[0])) });
  }

  function missing({ problems }, ids, key, found, last) {
    if (problems.total()) return;
    for (const [i, names] of ids.entries()) {
      if (!found.has(i + 1)) problems.add(last, 1, "ART-MISSING", "", { key, value: say.repr(shortest(names)) });
    }
  }

  /** `last`: whether an item may be answered more than once, and the last answer counts. */
  function inOrder(file, { answers, count }, ids, key, last = false) {
    const rows = answers.map(([, row]) => row);
    if (ids === null) {
      eachOnce(file, answers, key);
      return { found: rows, count };
    }
    const places = new Map(ids.flatMap((names, i) => names.map((name) => [name, i + 1])));
    const found = new Map();
    for (const [name, row] of answers) {
      const place = places.get(name);
      if (place === undefined) unknown(file, ids, key, name, row);
      else if (found.has(place) && !last) again(file, key, name, row, found.get(place).line);
      else found.set(place, { ...row, place });
    }
    missing(file, ids, key, found, rows.reduce((most, { line }) => Math.max(most, line), 1));
    return { found: [...found.values()].sort((a, b) => a.place - b.place), count: null };
  }

  /** Answers in the order of the items, or, where the first line has a tab, with an id before. */
  function plainOrKeyed(file, read, key, columns, ids) {
    const end = file.bytes.indexOf(10);
    const first = end < 0 ? file.bytes : file.bytes.subarray(0, end);
    if (!first.includes(9)) return read.table(file, columns);
    const { found, count } = read.table(file, [key, ...columns], { header: true, empty: "item" });
    const answers = found.map((row) => [row.fields[0],
      { ...row, fields: row.fields.slice(1), start: size(row.fields[0]) + 1 }]);
    return inOrder(file, { answers, count }, ids && ids(), key);
  }

  return { inOrder, plainOrKeyed };
}

/** The finding of such a row, whether an answer lacks it, and the note about a file: `(rows, judged, notes)`.
    `place`: the label's column, from 0. `of`: the label of an answer. */
export function unanswered(facts, name, mark, place = 0, of = ({ label }) => label) {
  const rule = "TSV-NO-ANSWER";
  const finding = { rule, detail: fill(facts.wording.details[rule], { name }), edges: [], concepts: [] };
  const lacks = (answer) => of(answer) === mark;

  function note(rows, judged, told) {
    const found = rows.filter((_, i) => lacks(judged[i])).sort((a, b) => a.line - b.line);
    if (!found.length) return;
    told.add(found[0].line, columnOf(found[0], place), rule, "", { name, rows: `${found.length} of ${counted(rows.length, "row")}`,
      lines: numbered("line", found.map(({ line }) => line), facts.limits.first) });
  }
  return { finding, lacks, note };
}
