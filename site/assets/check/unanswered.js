/* Rows that have "-" for a label: no answer, as scorer/tasks/answers.py says it. */

import { columnOf } from "./file.js";
import { counted, fill, numbered } from "./language.js";

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
