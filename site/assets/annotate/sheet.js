/* Annotators' files, as scorer/people/sheets.py and validate.py read and write them. */

import { collector, fault as badByte, reader } from "../check/file.js";
import { language, size } from "../check/language.js";
import { answering } from "./answers.js";
import { COMMENT, formOf, strip, teller, warns } from "./form.js";

export const HEADER = ["format", "batch", "batch_sha256", "guideline", "annotator", "exported"];
const SPELLED = { t: "\t", n: "\n", "\\": "\\" };

/** What a cell spells, and the character of its first unknown escape. */
function unescaped(cell) {
  let odd = null;
  const text = cell.replace(/\\(.|$)/gsu, (whole, letter) => {
    if (Object.hasOwn(SPELLED, letter)) return SPELLED[letter];
    odd ??= letter;
    return whole;
  });
  return [text, odd];
}
/** The cell that spells a text. */
export const escaped = (text) => text.replaceAll("\r\n", "\n").replaceAll("\\", "\\\\").replaceAll("\t", "\\t").replaceAll("\n", "\\n");

/** An annotator's file as text: `{annotator, exported, answers, comments}`, items in the batch's order. */
export function content(data, batch, { annotator, exported, answers, comments = {} }) {
  const form = formOf(data);
  const cell = (question, value) => (Array.isArray(value) ? value.join(question.answer === "triplets" ? "" : ",") : value ?? "");
  const rows = batch.items.filter(({ id }) => Object.hasOwn(answers, id)).map(({ id }) =>
    [id, ...form.questions.map((one) => cell(one, answers[id][one.id])), comments[id] ?? ""]);
  return sheet(form, batch, annotator, exported, rows);
}
/** The text of a file: its header, its columns, its rows. */
export function sheet(form, batch, annotator, exported, rows) {
  const values = [form.format, batch.batch, batch.sha256, form.guideline, annotator, exported];
  return [...HEADER.map((key, i) => [`#${key}`, values[i]]), form.columns, ...rows]
    .map((line) => `${line.map(escaped).join("\t")}\n`).join("");
}

/** What checks a file: `(bytes, annotator, handedIn) => {faults, errors, annotation}`; a fault is
    `{line, rule, text, about}`. What only the repository knows (authors, roles) is left to it. */
export function checking(data, batch, facts) {
  const form = formOf(data);
  const say = language();
  const said = teller(facts);
  const answer = answering(data, facts);
  const reads = reader({ ...facts, columns: [], empty_line: "fault" }, say);
  const { limits } = facts;
  const items = new Map(batch.items.map((item) => [item.id, item]));
  const short = (text) => {
    const shown = say.excerpt(text, 60);
    return /['"]$/.test(shown) ? shown.slice(1, -1) : shown;
  };
  const ofReading = ({ rule, found, expected, advice }) =>
    ({ rule, text: `${found}; expected ${expected}; ${advice}.`, about: "" });

  function isTime(text) {
    if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$/.test(text) || text.startsWith("0000")) return false;
    const date = new Date(text);
    return !Number.isNaN(date.valueOf()) && date.toISOString().replace(".000Z", "Z") === text;
  }

  return function check(bytes, annotator, handedIn = false) {
    const kept = [];
    const counts = new Map();
    let rows = 0;
    const tell = (line, what) => {
      const count = (counts.get(what.rule) || 0) + 1;
      counts.set(what.rule, count);
      if (count <= limits.shown) kept.push({ line, ...what });
    };

    function textsOf() {
      if (bytes.length > limits.bytes) {
        tell(1, said("ANN-SIZE", "", { n: bytes.length, most: limits.bytes }));
        return null;
      }
      const at = badByte(bytes);
      if (at >= 0) {
        const line = bytes.subarray(0, at).reduce((sum, byte) => sum + (byte === 10), 1);
        tell(line, said("ANN-ENCODING", "", { n: at + 1 }));
        return null;
      }
      const collected = () => collector("", facts, say);
      const file = { bytes, problems: collected(), notes: collected() };
      const lines = reads.lines(file, Infinity);
      if (file.problems.total()) {
        tell(1, file.problems.has("TSV-EMPTY") ? said("ANN-EMPTY") : ofReading(file.problems.kept()[0]));
        return null;
      }
      for (const note of file.notes.kept()) if (note.rule === "TSV-BOM") tell(1, ofReading(note));
      return lines.map((line, i) => {
        const odd = collected();
        const text = reads.text(i + 1, line, odd);
        if (reads.welcome(i + 1, text, odd)) return text;
        for (const problem of odd.kept()) tell(i + 1, ofReading(problem));
        return "";
      });
    }

    function headerOf(texts) {
      let number = texts.findIndex((text) => text && !text.startsWith("#"));
      if (number < 0) number = texts.length;
      const lines = texts.slice(0, number).filter(Boolean).map((text) => {
        const [key] = text.slice(1).split("\t", 1);
        return [key, text.slice(key.length + 2)];
      });
      const keys = lines.map(([key]) => key);
      if (keys.join("\t") !== HEADER.join("\t")) {
        const got = keys.slice(0, 2 * HEADER.length).map(short).join(", ") || "none";
        tell(1, said("ANN-HEADER", "", { keys: HEADER.join(", "), got }));
      }
      return [new Map(lines), number];
    }

    function* rowsOf(texts, first) {
      for (const [i, text] of texts.entries()) {
        if (/^\t*$/.test(text)) continue;
        rows += 1;
        const number = first + i;
        const cells = text.split("\t");
        if (cells.length > form.columns.length) {
          tell(number, said("ANN-CELLS", "", { n: cells.length, m: form.columns.length }));
          continue;
        }
        let wrong = false;
        const found = {};
        for (const [place, col] of form.columns.entries()) {
          const [cell, odd] = unescaped(cells[place] ?? "");
          found[col] = cell;
          if (odd === null) continue;
          wrong = true;
          tell(number, said("ANN-ESCAPE", col, { c: short(odd), col }));
        }
        if (!wrong) yield { number, cells: found };
      }
    }

    function linesOf(texts, first) {
      const named = texts.length ? texts[0].split("\t") : [];
      if (named.join("\t") !== form.columns.join("\t")) {
        const got = named.slice(0, 2 * form.columns.length).map(short).join(", ") || "none";
        tell(first, said("ANN-COLUMNS", "", { cols: form.columns.join(", "), got }));
        return null;
      }
      if (texts.length > limits.rows + 1) {
        tell(first + limits.rows + 1, said("ANN-ROWS", "", { n: texts.length - 1, m: limits.rows }));
        return null;
      }
      const lines = [...rowsOf(texts.slice(1), first + 1)];
      if (!rows) tell(first, said("ANN-EMPTY"));
      return lines;
    }

    function checkHeader(header) {
      const of = (key) => short(header.get(key));
      for (const [key, w, rule] of [["format", form.format, "ANN-FORMAT"], ["batch", batch.batch, "ANN-BATCH folder"],
        ["guideline", form.guideline, "ANN-GUIDELINE"], ["annotator", annotator, "ANN-ANNOTATOR"]]) {
        if (w && header.has(key) && header.get(key) !== w) tell(1, said(rule, "", { v: of(key), w }));
      }
      if (header.has("exported") && !isTime(header.get("exported"))) tell(1, said("ANN-EXPORTED", "", { v: of("exported") }));
      if (header.has("batch_sha256") && header.get("batch_sha256") !== batch.sha256) {
        const a = short([...header.get("batch_sha256")].slice(0, 12).join(""));
        tell(1, said("ANN-BATCH-CHANGED", "", { a, b: batch.sha256.slice(0, 12) }));
      }
      if (batch.training) tell(1, said("ANN-BATCH-TRAINING", "", { b: batch.batch }));
      else if (handedIn && batch.status === "closed") tell(1, said("ANN-BATCH-CLOSED", "", { b: batch.batch }));
    }

    function answersOf(lines) {
      const [answers, comments, first] = [{}, {}, new Map()];
      const topics = batch.topics.map(({ key }) => key);
      for (const { number, cells } of lines) {
        const { item: id } = cells;
        if (!items.has(id)) tell(number, said("ANN-ITEM-UNKNOWN", id, { i: short(id) }));
        else if (first.has(id)) tell(number, said("ANN-ITEM-DUP", id, { i: id, l: first.get(id) }));
        else {
          first.set(id, number);
          const found = answer(items.get(id), cells, topics);
          for (const one of [...(found.fault ? [found.fault] : []), ...found.warnings]) tell(number, one);
          answers[id] = found.answers;
          const comment = strip(cells[COMMENT]);
          if (size(comment) > limits.comment) {
            tell(number, said("ANN-TEXT", COMMENT, { col: COMMENT, n: size(comment), m: limits.comment }));
          }
          if (comment) comments[id] = comment;
        }
      }
      const missing = batch.items.map(({ id }) => id).filter((id) => !first.has(id));
      if (missing.length && first.size) {
        const named = missing.slice(0, limits.named).join(", ") + (missing.length > limits.named ? ", ..." : "");
        tell(1, said("ANN-ITEM-MISSING", "", { k: missing.length, n: batch.items.length, first: named }));
      }
      return { answers, comments };
    }

    function annotationOf() {
      const texts = textsOf();
      if (texts === null) return null;
      const [header, number] = headerOf(texts);
      const lines = linesOf(texts.slice(number), number + 1);
      if (lines === null) return null;
      checkHeader(header);
      return { annotator: annotator || (header.get("annotator") ?? ""), exported: header.get("exported") ?? "", ...answersOf(lines) };
    }
    const annotation = annotationOf();
    const errors = [...counts].reduce((sum, [rule, count]) => sum + (warns(rule, facts) ? 0 : count), 0);
    return { faults: kept, errors, annotation: errors ? null : annotation };
  };
}
