/* A text that a system wrote, as scorer/tasks/texts/task.py reads it and tells of it. */

import { columnOf } from "./file.js";
import { counted, numbered, size } from "./language.js";

const wordsOf = (text) => text.split(/\s+/).filter(Boolean); // control characters never come here

/** What reads and tells of the texts in a column, from zero. */
export function written(facts, say, place) {
  const { own, wording } = facts;

  function read(row, problems) {
    const text = row.fields[place];
    const [letters, words] = [size(text), wordsOf(text).length];
    if (letters <= own.letters && words <= own.words) return { text, words };
    problems.add(row.line, columnOf(row, place), "ART-LONG", "", { letters: own.letters, most: own.words,
      characters: counted(letters, "character"), words: counted(words, "word") });
    return null;
  }

  const oddSpace = new RegExp(`^ | $|  |[${own.other_spaces}]`, "u");

  /** Whether a text stands in quotes, or behind its number from 0 or 1 and a separator. */
  const framed = (text, i) => (text.length > 1 && text.startsWith('"') && text.endsWith('"'))
    || [",", ";", "|"].some((mark) => text.startsWith(`${i}${mark}`) || text.startsWith(`${i + 1}${mark}`));

  function notes(rows, judged, told) {
    const note = (has, fault, hint = "", tenths = 0) => {
      const found = rows.filter((_, i) => has(judged[i], i));
      if (!found.length || 10 * found.length < tenths * rows.length) return;
      const lines = numbered("line", found.map(({ line }) => line).sort((a, b) => a - b), facts.limits.first);
      const first = found.reduce((least, row) => (row.line < least.line ? row : least));
      told.add(first.line, columnOf(first, place), fault, hint, { lines, texts: `${found.length} of ${counted(judged.length, "text")}` });
    };
    note(({ words }) => !words, "ART-EMPTY", "file");
    note(({ words, text }) => words && oddSpace.test(text), "ART-SPACES");
    if (rows.length > 1) note(({ text }, i) => framed(text, i), "ART-FORM", "", 9);
  }

  const empty = { rule: "ART-EMPTY", detail: wording.details["ART-EMPTY"], edges: [], concepts: [] };
  return { read, notes, finding: (text) => (text.trim() ? [] : [empty]) };
}
