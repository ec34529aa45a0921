/* Units of a closed batch on which annotators disagree, as the page asks about them. Pure. */

import { formOf } from "./form.js";

/** What is asked of each unit, as columns of the file call it. */
export const VALUE = "value";
export const REASON = "reason";
/** A unit's name in the draft. */
export const idOf = ({ item, unit, question }) => [item, unit, question].join(" ");

/** What the page asks of a unit: which value holds, and why annotators disagree. */
export function formFor(asked, rulings, question) {
  const about = asked.questions.find(({ id }) => id === question);
  const reason = rulings.questions.find(({ id }) => id === REASON);
  const value = { ...about, id: VALUE, answer: about.answer === "choices" ? "choices" : "choice", when: null, value_rule: "", asked_rule: "", recalls: "" };
  return formOf({ ...asked, rules: "ANN", hidden_until: {}, warnings: [], before: "", questions: [value, { ...reason, when: null }] });
}

/** The page's items, one a unit: those of the batch, with what the unit is about. */
export function unitsOf({ batch, units }) {
  const items = new Map(batch.items.map((item) => [item.id, item]));
  return units.map((unit) => ({ ...items.get(unit.item), id: idOf(unit), unit }));
}

const LETTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
/** `[[letter, value]]`: the votes on a unit in the order that the page's data has, which hides annotators. */
export const lettered = ({ votes }) => votes.map((vote, i) => [LETTERS[i] ?? String(i + 1), vote]);

/** The draft of what was settled before. */
export function settled({ rulings }, units) {
  const there = new Set(units.map(({ id }) => id));
  const found = rulings.filter((one) => there.has(idOf(one)));
  const by = (value) => Object.fromEntries(found.map((one) => [idOf(one), value(one)]));
  return {
    answers: by(({ value, reason }) => ({ [VALUE]: value, [REASON]: reason })),
    comments: by(({ comment }) => comment), done: found.map(idOf),
  };
}
