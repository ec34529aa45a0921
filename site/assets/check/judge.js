/* What `scorer check` says of a predictions file, and what can be counted against public gold. In a
   worker it checks what the page sends. */

import { corrected } from "./correction.js";
import { collector, fault, reader } from "./file.js";
import { forms } from "./forms.js";
import { KINDS } from "./kinds.js";
import { counted, language } from "./language.js";

/** What checks predictions for one board: `(bytes, {name, split, items, size}) => report`. */
export function judge(facts) {
  const say = language(facts.characters);
  const read = reader(facts, say);
  const kind = KINDS[facts.task].judging(facts, say, read);
  const recognised = forms(facts);

  function wrongNumber(count, rows, problems) {
    const short = facts.empty_line === "text" && count === rows - 1 ? "end" : "add";
    problems.add(Math.max(1, Math.min(count, rows + 1)), 1, "TSV-ROWS", count > rows ? "remove" : short,
      { count: counted(count, "row"), rows, difference: counted(Math.abs(count - rows), "row") });
  }

  /** The rows of a file and what they answer; what is wrong goes to its problems. */
  function answered(file, name, texts) {
    const [problems, notes] = [collector(name, facts, say), collector(name, facts, say)];
    const { found, count } = kind.read({ ...file, problems, notes }, texts);
    const answers = found.map((row) => [row, kind.answer(row, problems)]).filter(([, answer]) => answer);
    if (count !== null && count !== file.rows) wrongNumber(count, file.rows, problems);
    return { problems, notes, found, answers };
  }

  /** The form of a refused file, if it has one. */
  function formOf(file) {
    const quiet = { add() {}, total: () => 0 };
    const given = read.lines({ ...file, problems: quiet, notes: quiet }, file.rows);
    if (given.length > facts.forms.most_lines) return null;
    const lines = given.map((line) => read.text(1, line, quiet));
    if (lines.some((line) => line === null || !read.mayStand(line))) return null;
    return recognised(lines);
  }

  function formProblem(form, name) {
    const problems = collector(name, facts, say);
    const { columns } = facts;
    problems.add(1, 1, `TSV-FORM ${form.name}`, form.name, { ...form, wanted: counted(columns.length, "column"), names: columns.join(", ") });
    return problems;
  }

  /** A corrected copy of a file, what is gone from it, and how many faults are left; null if there is none. */
  function correct(bytes, { name, split, items = null, size = bytes.length }) {
    const { rows } = facts.splits[split];
    const texts = items && items.texts;
    if (size > facts.limits.file || !bytes.length || fault(bytes) >= 0) return null;
    const file = (text) => { const content = new TextEncoder().encode(text); return { bytes: content, size: content.length, rows }; };
    const faulty = (text, rule) => {
      const found = new Set();
      const add = (line, column, known) => { if (known.split(" ")[0] === rule) found.add(line); };
      const problems = { add, rows() {}, inNoRow() {}, total: () => 0 };
      kind.read({ ...file(text), problems, notes: { add() {}, total: () => 0 } }, texts);
      return found;
    };
    const left = (text) => answered(file(text), name, texts).problems.total();
    const made = corrected(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes), { columns: facts.columns.length, rows, faulty });
    return made.what.length ? { ...made, left: left(made.text) } : null;
  }

  /** What is wrong with a file of `size` bytes; `bytes` may hold one more than is read of any. */
  function check(bytes, { name, split, items = null, size = bytes.length }) {
    const { rows } = facts.splits[split];
    const texts = items && items.texts;
    let { problems, notes, found, answers } = answered({ bytes, size, rows }, name, texts);
    const form = problems.total() ? formOf({ bytes, size, rows }) : null;
    if (form) [problems, found, answers] = [formProblem(form, name), [], []];
    const graded = problems.total() === 0 && kind.gradable(items);
    const placed = items && !["TSV-ROWS", "TSV-BLANK"].some(problems.has); // else a row may answer another item
    const judged = answers.map(([{ line, place }, answer]) => {
      const one = { line, place, ...answer, ...kind.findings(answer, (placed && items.texts[place - 1]) || []) };
      return { ...one, annotation: graded ? kind.annotation(one, items) : null };
    });
    if (!form) kind.notes(answers.map(([row]) => row), judged, notes);
    return {
      total: problems.total(), problems: problems.sorted(), told: problems.told(), notes: notes.kept(), read: found.length, rows: judged,
      scores: graded ? kind.scores(judged) : null, counts: graded ? kind.counts(judged, items) : null,
    };
  }
  return Object.assign(check, { correct });
}

if (typeof WorkerGlobalScope !== "undefined") {
  self.onmessage = ({ data: { id, facts, bytes, options } }) => {
    const check = judge(facts);
    const report = check(bytes, options);
    const fixed = report.total || report.notes.length ? check.correct(bytes, options) : null;
    self.postMessage({ id, report, fixed });
  };
}
