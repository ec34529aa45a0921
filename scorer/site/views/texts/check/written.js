/* A text that a system wrote, as scorer/tasks/written.py reads it and tells of it. */

import { columnOf } from "./file.js";
import { compare, counted, numbered, size } from "./language.js";

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

  const other = new RegExp(`[${own.other_spaces}]`, "gu");
  function spaces(text) {
    const kinds = { start: text.startsWith(" "), end: text.endsWith(" "), double: text.replace(/^ +| +$/g, "").includes("  ") };
    return [...Object.keys(kinds).filter((kind) => kinds[kind]).map((kind) => own.spaces[kind]),
      ...new Set((text.match(other) || []).map(say.named))];
  }

  const marked = (texts, has) => [...texts.keys()].filter((i) => has(texts[i], i));

  /** The texts with a comma or a quote, if each stands in quotes as a writer of CSV puts them. */
  function quotedCommas(texts) {
    const special = marked(texts, (text) => /[,"]/.test(text));
    const written = special.every((i) => {
      const cell = /^"([^"]*(?:""[^"]*)*)"$/.exec(texts[i]);
      return cell !== null && /[,"]/.test(cell[1]);
    });
    return written && special.length >= own.fewest_quoted ? special : [];
  }

  function notes(rows, judged, told) {
    const total = counted(judged.length, "text");
    const note = (found, fault, hint, values) => {
      const lines = numbered("line", found.map(({ line }) => line).sort((a, b) => a - b), facts.limits.first);
      const first = found.reduce((least, row) => (row.line < least.line ? row : least));
      told.add(first.line, columnOf(first, place), fault, hint, { lines, ...values });
    };
    const empty = rows.filter((_, i) => !judged[i].words);
    if (empty.length) note(empty, "ART-EMPTY", "file", { texts: `${empty.length} of ${total}` });
    const [spaced, kinds] = [[], new Map()];
    for (const [i, { text, words }] of judged.entries()) {
      const found = words ? spaces(text) : [];
      if (found.length) spaced.push(rows[i]);
      for (const kind of found) kinds.set(kind, (kinds.get(kind) || 0) + 1);
    }
    const said = [...kinds].sort(([a], [b]) => compare(a, b)).map(([kind, n]) => `${kind} in ${n}`).join(", ");
    if (spaced.length) note(spaced, "ART-SPACES", "", { kinds: `${said} of ${total}` });
    const texts = judged.map(({ text }) => text);
    const numbers = [0, 1].map((base) => marked(texts, (text, i) => [",", ";", "|"].some((mark) => text.startsWith(`${i + base}${mark}`))));
    const nearlyAll = (places) => (texts.length > 1 && 10 * places.length >= 9 * texts.length ? places : []);
    const quotes = nearlyAll(marked(texts, (text) => text.length > 1 && text.startsWith('"') && text.endsWith('"')));
    const forms = { quotes: quotes.length ? quotes : quotedCommas(texts),
      index: nearlyAll(numbers[1].length > numbers[0].length ? numbers[1] : numbers[0]) };
    for (const [kind, places] of Object.entries(forms)) {
      if (places.length) note(places.map((i) => rows[i]), `ART-FORM ${kind}`, "", { texts: `${places.length} of ${total}` });
    }
  }

  const empty = { rule: "ART-EMPTY", detail: wording.details["ART-EMPTY"], edges: [], concepts: [] };
  return { read, notes, finding: (text) => (text.trim() ? [] : [empty]) };
}
