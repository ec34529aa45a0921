/* A graph while it is written: rows, of which any may be unfinished. A draft keeps the rows, a file has the facts.

   A row is `{fact: [concept, relation, concept], old, gone}`: `old` is the number of the fact that it began as in the
   graph that is mended (null for a new one), `gone` says that this fact is struck out. Nothing here changes a row:
   every step gives new ones, so that steps can be undone. */

import { isBlank, isRows, key, saying } from "./graphs.js";

export const MOST_ROWS = 60;
/** What stands before a fact in words of changes, so that no colour says it alone. */
export const SIGNS = { kept: "", added: "+", removed: "−" };
const same = (one, other) => key(one) === key(other);

export const blank = () => ({ fact: ["", "", ""], old: null, gone: false });

/** Rows to begin with: the facts of a graph to mend, else as many empty ones as facts are needed. */
export function begun(old, least) {
  return old.length ? old.map((fact, place) => ({ fact, old: place, gone: false })) : Array.from({ length: least }, blank);
}

/** Rows for facts that were read from a file: those of the old graph first, struck out where they are not there. */
export function resumed(facts, old) {
  const there = new Set(facts.map(key));
  const known = new Set(old.map(key));
  return [...begun(old, 0).map((row) => ({ ...row, gone: !there.has(key(row.fact)) })),
    ...facts.filter((fact) => !known.has(key(fact))).map((fact) => ({ ...blank(), fact }))];
}

/** `{rows, ticked}` of whatever a draft has; `read`: of graphs.js. What no page wrote is passed over. */
export function rowsOf(value, old, least, read) {
  if (isRows(value)) {
    const known = new Set();
    const rows = value.rows.slice(0, MOST_ROWS).filter((row) => Array.isArray(row?.fact)).map(({ fact, old: from, gone }) => {
      const sound = Number.isInteger(from) && from >= 0 && from < old.length && !known.has(from);
      if (sound) known.add(from);
      return { fact: [0, 1, 2].map((place) => String(fact[place] ?? "")), old: sound ? from : null, gone: sound && gone === true };
    });
    return { rows, ticked: Array.isArray(value.ticked) ? value.ticked.filter(Number.isInteger) : [] };
  }
  const { facts } = read(typeof value === "string" ? value : "");
  return { rows: facts.length ? resumed(facts.slice(0, MOST_ROWS), old) : begun(old, least), ticked: [] };
}

// ---- steps

const changed = (rows, place, what) => rows.map((row, i) => (i === place ? { ...row, ...what } : row));
export const edited = (rows, place, cell, text) =>
  changed(rows, place, { fact: rows[place].fact.map((part, i) => (i === cell ? text : part)) });
export const added = (rows) => [...rows, blank()];
/** An old fact is struck out and can come back; a new one goes. */
export const removed = (rows, place) =>
  (rows[place].old === null ? rows.filter((_, i) => i !== place) : changed(rows, place, { gone: true }));
export const restored = (rows, place) => changed(rows, place, { gone: false });
export const reset = (rows, place, old) => changed(rows, place, { fact: old[rows[place].old], gone: false });

// ---- what became of an old graph

/** `kept`, `changed`, `added`, `gone`, or `blank`; facts are compared as `normalised` gives them. */
export function state(row, old, normalised) {
  if (isBlank(row)) return "blank";
  if (row.gone) return "gone";
  if (row.old === null) return "added";
  return same(normalised(row.fact), old[row.old]) ? "kept" : "changed";
}

/** A line for each fact in the order of the rows: `{fact, change, was}`, `change` being `kept`, `added` or `removed` as
    the difference of both graphs has it. A replaced fact is a removed one, and behind it the added one with `was`. */
export function changes(rows, old, normalised) {
  const now = saying(rows).map((place) => [place, normalised(rows[place].fact)]);
  const [before, after] = [new Set(old.map(key)), new Set(now.map(([, fact]) => key(fact)))];
  const facts = new Map(now);
  const [lines, told] = [[], new Set()];
  const tell = (fact, change, was = null) => {
    if (told.has(key(fact))) return;
    told.add(key(fact));
    lines.push({ fact, change, was });
  };
  for (const [place, row] of rows.entries()) {
    const from = row.old === null ? null : old[row.old];
    const lost = from !== null && !after.has(key(from));
    if (lost) tell(from, "removed");
    if (!facts.has(place)) continue;
    const fact = facts.get(place);
    if (before.has(key(fact))) tell(fact, "kept");
    else tell(fact, "added", lost ? from : null);
  }
  return lines;
}
