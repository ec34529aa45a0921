/* Predictions that name their items, as scorer/tasks/keyed.py reads them: in any order, each once. */

import { counted, size } from "./language.js";

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
    const { found, count } = read.table(file, [key, ...columns], { header: true, empty: "fault" });
    const answers = found.map((row) => [row.fields[0],
      { ...row, fields: row.fields.slice(1), start: size(row.fields[0]) + 1 }]);
    return inOrder(file, { answers, count }, ids && ids(), key);
  }

  return { inOrder, plainOrKeyed };
}
