/* One item on the page: its fields, the questions that are asked of it, a comment; and what keeps it from being done. */

import { make } from "../check/show.js";
import { asked as handedIn } from "./answers.js";
import { afterPaint, button } from "./around.js";
import { FIELDS, drawings, present, recall } from "./fields.js";
import { followers, sourceOf, strip } from "./form.js";
import { WIDGETS, unrated } from "./widgets.js";

const DRAWN = ["graph", "triplets"];
export const narrow = () => matchMedia("(max-width: 45rem)"); // as the style sheet has it

/** Keeps the children of a box to those that are wanted, in order; those that stay are not touched. */
function keyed(box, made) {
  const parts = new Map();
  return (ids) => {
    for (const [id, { element }] of parts) {
      if (ids.includes(id)) continue;
      element.remove();
      parts.delete(id);
    }
    let after = null;
    for (const id of [...ids].reverse()) {
      if (!parts.has(id)) parts.set(id, made(id));
      const { element } = parts.get(id);
      if (element.parentNode !== box || element.nextSibling !== after) box.insertBefore(element, after);
      after = element;
    }
    return ids.map((id) => parts.get(id));
  };
}

/** `{fields, questions}`: what may be seen of an item. A field that waits for an answer is not there before it, and no
    question that comes after the awaited one is; an answer that is being written (`writing`, a question's id) is not
    there yet. */
export function visible(form, item, given, { asked }, writing = "") {
  const waits = Object.entries(form.hidden_until)
    .filter(([, id]) => !asked.includes(id) || !strip(given(id)) || id === writing);
  const last = Math.min(...waits.map(([, id]) => form.columns.indexOf(id)));
  return {
    fields: form.item.filter((field) => present(item, field) && !waits.some(([name]) => name === field.name)),
    questions: form.questions.filter((one) => asked.includes(one.id) && !sourceOf(form, one) && !(form.columns.indexOf(one.id) > last)),
  };
}

const first = (box) => box.querySelector("input:checked") || box.querySelector("input, textarea, select, button");

/** What messages call a question, where that is a number. */
const numbered = ({ label }) => (/\d/.test(label) ? [make("span", { class: "wb-number" }, label), " "] : []);

function asking(context, question) {
  const part = WIDGETS[question.answer](context, question);
  const before = recall(context, question);
  const faults = make("div", { class: "wb-faults" });
  const helps = [question, ...followers(context.form, question)].filter(({ help }) => help);
  const help = helps.length ? [make("details", { class: "wb-help" }, make("summary", {}, "Guidelines ", make("kbd", { "aria-hidden": "true" }, "g")),
    ...helps.map((one) => make("p", {}, ...(one === question ? [] : [make("b", {}, one.text), " "]), one.help)))] : [];
  const element = make("fieldset", { class: "wb-question", "data-question": question.id },
    make("legend", {}, ...numbered(question), question.text), ...help, ...before.elements, ...part.elements, faults);
  return {
    ...part, element, question,
    refresh() { before.refresh(); part.refresh?.(); },
    faults(found) { faults.replaceChildren(...found.map(({ text }) => make("p", { class: "wb-fault" }, text))); },
    focus(about = "") { if (part.focus) part.focus(about); else first(element)?.focus(); },
    /** Adds something under the answer, once. */
    add: (extra) => faults.before(extra),
  };
}
function showing(context, field) {
  const part = FIELDS[field.kind](context, field);
  return { ...part, element: make("section", { "data-field": field.name }, make("h3", {}, field.title), ...part.elements) };
}

/** An item: `{element, context, refresh(faults), focus(fault), ...}`; `foot`: what stands below its questions. */
export function itemView(context, foot) {
  const { form, item, given } = context;
  const boxes = [make("div", { class: "wb-texts", tabindex: "0", role: "region", "aria-label": "What you read" }), make("div", {}), make("div", {})];
  const field = (name) => form.item.find((one) => one.name === name);
  const shows = boxes.slice(0, 2).map((box) => keyed(box, (name) => showing(context, field(name))));
  const asks = keyed(boxes[2], (id) => asking(context, form.byId.get(id)));
  const awaited = new Set(Object.values(form.hidden_until));
  const awaitedAt = Math.max(...[...awaited].map((id) => form.columns.indexOf(id)));
  const on = button("Continue", "Ctrl+Enter", () => go());
  const left = make("div", { class: "wb-shown" }, ...boxes.slice(0, 2));
  let [shown, asked, opened, faults] = [[], [], false, []];
  const parts = () => [...shown, ...asked];
  const of = (fault) => asked.find(({ question }) => question.id === fault.about);
  let lit = "";
  const others = afterPaint(() => refresh());
  const fetch = afterPaint(() => drawings().catch(() => {})); // so that they are there once the answer is written
  const light = afterPaint(() => { for (const part of parts()) part.lit?.(lit); });
  context.light = (triplet) => {
    lit = triplet;
    light();
  };

  /** The awaited question whose answer is being written: what waits for it comes once that is done. */
  function writing() {
    const at = asked.find(({ element, question }) => awaited.has(question.id) && element.contains(document.activeElement));
    return at && !opened && document.activeElement.matches("textarea") ? at.question.id : "";
  }
  /** Of the questions to ask those that are there, and the first new one: the others come once that is painted. */
  function atOnce(ids) {
    const fresh = ids.findIndex((id) => !asked.some(({ question }) => question.id === id));
    return asked.length && fresh >= 0 ? ids.filter((id, i) => i <= fresh || asked.some(({ question }) => question.id === id)) : ids;
  }
  function refresh(found = faults) {
    faults = found;
    const held = writing();
    const seen = visible(form, item, given, context.judged(), held);
    opened = seen.fields.some(({ name }) => name in form.hidden_until);
    const ids = seen.questions.map(({ id }) => id);
    const names = (drawn) => seen.fields.filter(({ kind }) => DRAWN.includes(kind) === drawn).map(({ name }) => name);
    shown = [...shows[0](names(false)), ...shows[1](names(true))];
    asked = asks(atOnce(ids));
    if (asked.length < ids.length) others();
    place();
    for (const part of parts()) part.refresh?.();
    for (const one of asked) one.faults(faults.filter((fault) => of(fault) === one));
    if (held && !on.isConnected) of({ about: held }).add(on);
    if (held && item.triplets.length && !item.drawing) fetch();
    on.hidden = !(held && strip(given(held)));
  }
  /** Puts what waited for an answer beside the questions, or where there is no room, into the one that comes with it. */
  function place() {
    const after = opened && narrow().matches && asked.find(({ question }) => form.columns.indexOf(question.id) > awaitedAt);
    const box = boxes[1];
    if (after && box.parentNode !== after.element) after.element.querySelector("legend").after(box);
    if (!after && box.parentNode !== left) left.append(box);
  }
  /** To the question after the one that has the focus. */
  function go() {
    const at = asked.findIndex(({ element }) => element.contains(document.activeElement));
    document.activeElement.blur();
    refresh();
    asked[at + 1]?.focus();
  }
  boxes[2].addEventListener("focusout", ({ target }) => {
    if (!opened && awaited.size && target.matches("textarea")) setTimeout(() => refresh());
  });
  return {
    element: make("div", { class: "wb-item" }, left, make("div", {}, boxes[2], foot)),
    context, parts, refresh,
    /** Those of some faults that are about what is shown. */
    told: (all) => all.filter(of),
    focus(fault = null) { const one = fault ? of(fault) : asked[0]; one?.focus(fault ? fault.at ?? fault.about : ""); },
    /** Whether a question's answer was being written that something waits for; if so, goes on. */
    goesOn() {
      if (!writing() || !strip(given(writing()))) return false;
      go();
      return true;
    },
    /** The question in which something has the focus, else the first without an answer. */
    current: () => asked.find(({ element }) => element.contains(document.activeElement))
      || asked.find(({ question }) => !given(question.id)) || asked[0],
    asked: () => asked,
  };
}

// ---- what keeps an item from being done, in words for the one who has it before them

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
  const { fault: found, warnings } = answer(item, handedIn(item, context.answers(), answer, topics), topics);
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
