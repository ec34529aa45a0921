/* The file of what was settled, and what hands it in. */

import { formOf, pathOf } from "./form.js";
import { handingIn } from "./hand_in.js";
import { REASON, VALUE, idOf } from "./rulings.js";
import { checking, content, sheet } from "./sheet.js";

/** `{file, faults, errors}`: the file, and what is wrong with its comments. */
export function fileOf({ form, batch, facts, rulings }, units, { answers, comments, done }, annotator, exported) {
  const finished = units.filter(({ id }) => done.includes(id));
  const there = new Set(units.map(({ id }) => id));
  const kept = rulings.filter((one) => !there.has(idOf(one)))
    .map(({ item, unit, question, value, reason, comment }) => [item, unit, question, value, reason, comment]);
  const rows = finished.map(({ id, unit: { item, unit, question } }) =>
    [item, unit, question, answers[id][VALUE], answers[id][REASON], comments[id] ?? ""]);
  const plain = { ...form, questions: [] };
  const open = { ...batch, status: "open", items: finished };
  const said = { annotator, exported, answers: Object.fromEntries(finished.map(({ id }) => [id, {}])), comments };
  const { faults, errors } = checking(plain, open, facts)(new TextEncoder().encode(content(plain, open, said)), "", true);
  return { file: sheet(formOf(form), batch, annotator, exported, [...rows, ...kept]), faults, errors };
}

/** `{element, open(), refresh()}`, as hand_in.js has it. */
export const filing = (known, units, draft, tell) => handingIn({
  known, draft, tell,
  made: (annotator, time) => ({
    ...fileOf(known, units, draft.now(), annotator, time),
    path: pathOf(known.form, known.batch.batch, annotator), exists: known.rulings.length > 0,
  }),
});
