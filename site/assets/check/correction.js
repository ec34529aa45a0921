/* A file without what is around its answers, never an answer: what `scorer check --fix` writes
   (scorer/scoring/fixing.py). */

import { counted } from "./language.js";

const lines = (text) => text.split("\n").length - 1;

/** How many such signs stand at the end; a regular expression would look at each run of them again and again. */
function atEnd(text, sign) {
  let start = text.length;
  while (start && text[start - 1] === sign) start -= 1;
  return text.length - start;
}

/** A line without the empty columns at its end that are too many. */
function withoutTabs(line, columns) {
  const ends = atEnd(line, "\t");
  return line.slice(0, line.length - Math.max(0, Math.min(ends, line.split("\t").length - columns)));
}

/** How many empty lines at the end answer no item: the first `rows` lines answer one each. */
function spareLines(text, rows) {
  const ends = atEnd(text, "\n");
  return ends < text.length ? Math.max(0, Math.min(ends - 1, lines(text) - rows)) : 0;
}

/** The corrected text, and what is gone. `faulty(text, rule)`: lines that break a rule. */
export function corrected(given, { columns, rows, faulty }) {
  const what = [];
  let text = given;
  const become = (next, words) => { text = next; what.push(words); };
  if (text[0] === "\ufeff") become(text.slice(1), "the byte order mark");
  if (text.includes("\r")) {
    const ends = text.includes("\n") ? "\r\n" : "\r";
    const count = text.split(ends).length - 1;
    if (count) become(text.replaceAll(ends, "\n"), `${ends === "\r" ? "CR" : "CR LF"} at the end of ${counted(count, "line")}`);
  }
  const wide = columns === 1 && text.split("\n", 1)[0].includes("\t") ? 2 : columns;
  const wrong = faulty(text, "TSV-COLUMNS");
  const before = text.split("\n");
  const after = before.map((line, i) => (wrong.has(i + 1) ? withoutTabs(line, wide) : line));
  const shorter = after.filter((line, i) => line !== before[i]).length;
  if (shorter) become(after.join("\n"), `tabs at the end of ${counted(shorter, "line")}`);
  if (faulty(text, "TSV-HEADER").has(1)) become(text.slice(text.indexOf("\n") + 1 || text.length), "the header");
  const spare = spareLines(text, wide === 1 ? rows : 0);
  if (spare) become(text.slice(0, -spare), `${counted(spare, "empty line")} at the end`);
  return { text, what };
}
