/* What `scorer check` says of a predictions file, and what can be counted against public gold. In a
   worker it checks what the page sends. */

import { collector, reader } from "./file.js";
import { KINDS } from "./kinds.js";
import { counted, language } from "./language.js";

/** What checks predictions for one board: `(bytes, {name, split, items, size}) => report`. */
export function judge(facts) {
  const say = language(facts.characters);
  const kind = KINDS[facts.task].judging(facts, say, reader(facts, say));

  function wrongNumber(count, rows, problems) {
    const short = facts.empty_line === "text" && count === rows - 1 ? "end" : "add";
    problems.add(Math.max(1, Math.min(count, rows + 1)), 1, "TSV-ROWS", count > rows ? "remove" : short,
      { count: counted(count, "row"), rows, difference: counted(Math.abs(count - rows), "row") });
  }

  /** What is wrong with a file of `size` bytes; `bytes` may hold one more than is read of any. */
  return function check(bytes, { name, split, items = null, size = bytes.length }) {
    const { rows } = facts.splits[split];
    const problems = collector(name, facts, say);
    const notes = collector(name, facts, say);
    const { found, count } = kind.read({ bytes, size, rows, problems, notes }, items && items.texts);
    const answers = found.map((row) => [row, kind.answer(row, problems)]).filter(([, answer]) => answer);
    if (count !== null && count !== rows) wrongNumber(count, rows, problems);
    const graded = problems.total() === 0 && kind.gradable(items);
    const judged = answers.map(([{ line, place }, answer]) => {
      const one = { line, place, ...answer, ...kind.findings(answer, (items && items.texts[place - 1]) || []) };
      return { ...one, annotation: graded ? kind.annotation(one, items) : null };
    });
    kind.notes(answers.map(([row]) => row), judged, notes);
    return {
      total: problems.total(), problems: problems.sorted(), notes: notes.kept(), read: found.length, rows: judged,
      scores: graded ? kind.scores(judged) : null, counts: graded ? kind.counts(judged, items) : null,
    };
  };
}

if (typeof WorkerGlobalScope !== "undefined") {
  self.onmessage = ({ data: { id, facts, bytes, options } }) =>
    self.postMessage({ id, report: judge(facts)(bytes, options) });
}
