/* A choice and why, as scorer/tasks/texts/task.py reads and judges them. */

import * as labels from "./labels.js";
import { foreign, make } from "./show.js";
import { written } from "./written.js";

export function judging(facts, say, reader) {
  const choices = labels.judging(facts, say, reader);
  const text = written(facts, say, 1);

  function answer(row, problems) {
    const [choice, found] = [choices.answer(row, problems), text.read(row, problems)];
    return choice && found && { ...choice, ...found };
  }

  function notes(rows, judged, told) {
    choices.notes(rows, judged, told);
    text.notes(rows, judged, told);
  }

  return {
    ...choices, answer, notes,
    read: (file) => reader.table(file, facts.columns),
    findings: (one) => ({ broken: [], strict: [...choices.findings(one).strict, ...text.finding(one.text)] }),
  };
}

/** How the page shows one row, and what was counted. */
export function showing(facts, items) {
  const choices = labels.showing(facts, items);
  const body = (row) => make("div", {}, make("p", {}, foreign(row.text, 1000)), choices.body(row));
  return { ...choices, body };
}
