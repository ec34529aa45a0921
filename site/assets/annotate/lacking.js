/* What keeps an item from being done, in words for the one who has it before them. */

import { asked } from "./export.js";
import { unrated } from "./triplets.js";

const PLAIN = { choice: "Choose an answer.", choices: "Choose at least one answer.", text: "Write an answer.", triplets: "Rate every triplet." };

/** What is wrong with a question's answer, in plain words where there is none. */
function unanswered(context, question, fault) {
  if (question.answer === "triplets") {
    const left = unrated(context, question);
    const text = `${left.length} rating${left.length === 1 ? " is" : "s are"} missing.`;
    return left.length ? { rule: "", text, about: question.id, at: left[0][1] } : null;
  }
  if (fault?.about === question.id) return plainly(context, fault);
  const missing = plainly(context, { rule: "", text: "", about: question.id });
  return missing.text ? missing : null;
}

/** A fault in plain words, if it is that an answer is missing. */
function plainly(context, fault) {
  const question = context.form.byId.get(fault.about);
  const plain = question && !question.asked_rule && !context.given(question.id) && PLAIN[question.answer];
  return plain ? { ...fault, text: plain } : fault;
}

/** `{faults, warnings}` of the item in a view; a fault is `{text, about, at}`. `answer`: of answers.js. */
export function lacking(view, answer) {
  const { context } = view;
  const { item, topics } = context;
  const { fault: found, warnings } = answer(item, asked(item, context.answers(), answer, topics), topics);
  const owner = found && view.asked().find((one) => one.owns?.(found));
  const fault = owner ? { ...found, about: owner.question.id, at: found.about } : found;
  const told = view.asked().map(({ question }) => unanswered(context, question, fault)).filter(Boolean);
  // What is not on the page yet comes with what was just written: nobody has read its questions.
  if (told.length || fault) return { faults: told.length ? told : [plainly(context, fault)], warnings: [] };
  const faults = view.parts().flatMap((part) => (part.missing?.() ?? [])
    .map((text) => ({ rule: "", text, about: part.question?.id ?? "" })));
  return { faults, warnings: faults.length ? [] : warnings };
}

/** Enter: to the next question that wants an answer, where the one with the focus has its own; else `finish`. */
export function confirming(view, answer, finish) {
  const here = view.current()?.question.id;
  const { faults } = lacking(view, answer);
  const next = faults.find(({ about }) => about && about !== here);
  if (next && !faults.some(({ about }) => about === here)) view.focus(next);
  else finish();
}
/** The place of the next of some items that is not done, after `place` and from the start again; undefined if none. */
export const nextOpen = (items, place, done) =>
  [...items.keys()].map((i) => (place + 1 + i) % items.length).find((i) => !done.includes(items[i].id));
