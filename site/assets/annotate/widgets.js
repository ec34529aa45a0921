/* What asks for answers, by the kind of answer: choice, choices, text, triplets, graph.

   A widget is a function `(context, question) => part` called once when its question comes onto the page; the page
   puts a fieldset with the question's text, its faults and its guidelines around the part. What is shown of an item
   (fields.js) is the same: `(context, field) => part`.

   A part has
   - `elements`: what to put on the page;
   - `refresh()`, if it shows answers: called after every change of any answer to the item (its own, another's, an
     undone one) and when the page becomes or stops being read-only. It sets what is there and does not make it anew, so
     that a key is painted at once and the focus stays;
   - `focus(about)`, if the first control is not the place: `about` is a fault's (a triplet, a fact's number), "", or the
     question's id if something of `missing` is wanted;
   - `owns(fault)`: whether a fault is of this answer though `about` is not the question's id;
   - `missing()`, if more is wanted than a sound answer (a box to tick) before the item is done: sentences that say what;
   - `keys`, if it has some: `{ v: ["View graph", action] }`, for the whole item (`Alt+a` also in a field); and
     `key(event)`, for a key that is pressed inside it: true if it was one of its own;
   - `lit(triplet)`: called when a triplet is pointed at anywhere on the page ("" when none is).

   The context is that of one item:
   - `form`, `batch`, `item`, `facts`: as the page's data has them; `topics`: the keys of the batch's topics;
   - `given(id)`: what the draft has as the answer to a question, "" if nothing: a string as in a file's cell, or for
     triplets an object with a value by triplet; `put(id, value, part)` takes another (and the item is not done any
     more); changes of one `part` in a row are one step of undo, null makes a step of its own;
   - `judged()`: what answers.js says of the answers now;
   - `readOnly()`: another tab holds the batch, so nothing may be changed;
   - `say`, `graph`: of ../check/language.js and graphs.js; `tell(text)`: says something politely to everybody;
   - `light(triplet)`: points at a triplet. */

import { foreign, make } from "../check/show.js";
import { words as wordsOf } from "./answers.js";
import { afterPaint } from "./around.js";
import { allowed, followers, textOf, tripletIds } from "./form.js";

// ---- one value, several values, a text

const RESERVED = "cfgv";

/** The key that chooses each of these values: the value itself where it is one letter or digit that the page has no
    other use for, else the first digit that is free; "" where there is none. */
export function hints(values) {
  const own = (value) => value.length === 1 && !RESERVED.includes(value);
  const free = [..."123456789"].filter((digit) => !values.includes(digit));
  return values.map((value) => (own(value) ? value : free.shift() ?? ""));
}

function several({ batch, topics, given, put, readOnly }, question, type, chosen, value) {
  const values = allowed(question, topics);
  const keys = hints(values);
  const boxes = values.map((key, i) => {
    const box = make("input", { type, name: question.id, value: key, ...(keys[i] ? { "aria-keyshortcuts": keys[i] } : {}) });
    box.addEventListener("change", () => put(question.id, value(boxes.filter(({ checked }) => checked).map((one) => one.value))));
    return box;
  });
  return {
    elements: boxes.map((box, i) => make("label", { class: "wb-choice" }, box, " ",
      ...(keys[i] ? [make("kbd", { "aria-hidden": "true" }, keys[i]), " "] : []), textOf(question, batch, values[i]))),
    refresh() {
      const now = chosen(given(question.id));
      for (const box of boxes) {
        box.checked = now.includes(box.value);
        box.disabled = readOnly();
      }
    },
    key(event) {
      const at = keys.indexOf(event.key);
      if (at < 0 || !event.key) return false;
      boxes[at].focus();
      boxes[at].click();
      return true;
    },
  };
}
const choice = (context, question) =>
  several(context, question, "radio", (value) => [value], ([value]) => value);
const choices = (context, question) =>
  several(context, question, "checkbox", (value) => value.split(","), (values) => values.join(","));

function text({ given, put, readOnly }, question) {
  const area = make("textarea", { rows: "4", name: question.id, "aria-label": question.text });
  area.addEventListener("input", () => put(question.id, area.value));
  const count = question.most_words === null ? null : make("small", {});
  return {
    elements: count ? [area, count] : [area],
    refresh() {
      const now = given(question.id);
      if (area.value !== now) area.value = now;
      if (count) count.textContent = `${wordsOf(now)} of at most ${question.most_words} words`;
      area.readOnly = readOnly();
    },
  };
}

// ---- triplets: a row for each with its rating, and below a row the rating of its opposite where one is asked for

const AT_ONCE = 8;
export const NOT = "It is not the case that ";
const spaced = (text) => text.replaceAll("_", " ");

/** A triplet in words: as it is written, and as a sentence, null where the relation has no gloss. */
export function inWords({ glosses = {} }, [source, relation, target]) {
  return {
    written: () => [foreign(spaced(source)), " – ", make("b", {}, foreign(spaced(relation))), " – ", foreign(spaced(target))],
    sentence: () => (glosses[relation] ? [foreign(spaced(source)), ` ${glosses[relation]} `, foreign(spaced(target))] : null),
  };
}
/** The triplets that still want a rating: `[[question's id, triplet]]`, in the order of the rows. */
export function unrated({ form, item, given, judged }, question) {
  const ids = [question, ...followers(form, question)].map(({ id }) => id);
  const about = judged().triplets;
  return tripletIds(item.triplets.length).flatMap((triplet) => ids
    .filter((id) => (about[id] || []).includes(triplet) && !given(id)[triplet]).map((id) => [id, triplet]));
}

/** One row: `{element, radios, refresh()}`. */
function row(context, question, triplet, legend) {
  const { given, put, readOnly, light } = context;
  const value = () => (given(question.id) || {})[triplet] ?? "";
  const radios = question.values.map(({ key }) => {
    const made = make("input", { type: "radio", name: `${question.id} ${triplet}`, value: key, "aria-keyshortcuts": key });
    made.addEventListener("change", () => put(question.id, { ...given(question.id), [triplet]: key }));
    return made;
  });
  const labels = question.values.map(({ key, text }, i) => make("label", { class: "wb-choice" }, radios[i], " ", make("kbd", { "aria-hidden": "true" }, key), " ", text));
  const element = make("fieldset", { "data-triplet": triplet }, make("legend", {}, ...legend), make("div", { class: "wb-rating" }, ...labels));
  element.addEventListener("pointerenter", () => light(triplet));
  element.addEventListener("pointerleave", () => light(""));
  element.addEventListener("focusin", () => light(triplet));
  element.addEventListener("focusout", () => light(""));
  let shown = null;
  return {
    element, radios, triplet, question, value,
    refresh() {
      const now = `${value()} ${readOnly()}`;
      if (now === shown) return;
      shown = now;
      for (const radio of radios) {
        radio.checked = radio.value === value();
        radio.disabled = readOnly();
      }
      element.classList.toggle("wb-rated", value() !== "");
    },
    focus: () => (radios.find(({ checked }) => checked) || radios[0]).focus(),
  };
}

function triplets(context, question) {
  const { item, form, batch, judged } = context;
  const ids = tripletIds(item.triplets.length);
  const words = item.triplets.map((triplet) => inWords(batch, triplet));
  const list = make("div", { class: "wb-triplets" });
  const rows = []; // the first of them at once, the others once the page has painted
  let lit = "";
  const opposites = new Map(); // by question and triplet
  const order = () => rows.flatMap((one) => [one, ...followers(form, question)
    .map(({ id }) => opposites.get(`${id} ${one.triplet}`)).filter(Boolean)]);

  function build(count) {
    for (let i = rows.length; i < Math.min(count, ids.length); i += 1) {
      const sentence = words[i].sentence();
      const gloss = make("span", { class: "wb-gloss" }, ...(sentence ? ["reads: ", ...sentence] : ["no gloss for this relation"]));
      rows.push(row(context, question, ids[i], [...words[i].written(), gloss]));
      list.append(rows[i].element);
    }
    refresh();
  }
  function more() {
    if (!list.isConnected || rows.length === ids.length) return;
    build(rows.length + AT_ONCE);
    setTimeout(more);
  }
  function opposite(follower, triplet) {
    const at = ids.indexOf(triplet);
    const made = row(context, follower, triplet, [NOT, ...(words[at].sentence() || words[at].written())]);
    made.element.classList.add("wb-opposite");
    rows[at].element.after(made.element);
    return made;
  }
  /** Puts an opposite below each row that wants one. */
  function oppose() {
    for (const follower of followers(form, question)) {
      for (const { triplet } of rows) {
        const name = `${follower.id} ${triplet}`;
        if (!(judged().triplets[follower.id] || []).includes(triplet) || opposites.has(name)) continue;
        opposites.set(name, opposite(follower, triplet));
        opposites.get(name).refresh();
      }
    }
  }
  const soon = afterPaint(() => { if (list.isConnected) oppose(); });
  function refresh() {
    for (const [name, { element }] of opposites) {
      const [id, triplet] = name.split(" ");
      if ((judged().triplets[id] || []).includes(triplet)) continue;
      element.remove();
      opposites.delete(name);
    }
    for (const one of order()) one.refresh();
    soon();
  }
  const focused = () => order().find(({ element }) => element.contains(document.activeElement));
  const next = () => order().find((one) => !one.value());
  function key({ key: pressed }) {
    oppose();
    const all = order();
    const at = all.indexOf(focused());
    const by = { ArrowUp: -1, ArrowDown: 1 }[pressed];
    if (by) {
      const to = at < 0 ? null : all[at + by];
      to?.focus();
      return Boolean(to);
    }
    if (pressed === "Enter") {
      const open = all.slice(at + 1).concat(all.slice(0, at)).find((one) => !one.value());
      if (at < 0 || !all[at].value() || !open) return false;
      open.focus();
      return true;
    }
    const target = (all[at] || next())?.radios.find(({ value }) => value === pressed);
    target?.focus();
    target?.click();
    return Boolean(target);
  }
  if (ids.length <= AT_ONCE) build(ids.length);
  else requestAnimationFrame(() => setTimeout(more));
  return {
    elements: ids.length ? [list] : [make("p", { class: "wb-note" }, "The graph has no triplets.")],
    key,
    refresh,
    focus(triplet) {
      build(ids.length);
      oppose();
      (order().find((one) => one.triplet === triplet) || next() || rows[0])?.focus();
    },
    lit(triplet) {
      const mark = (id, is) => { for (const one of order()) if (one.triplet === id) one.element.classList.toggle("lit", is); };
      mark(lit, false);
      lit = triplet;
      mark(lit, true);
    },
  };
}

/** By the kind of answer; page.js adds `graph`, which few forms need. */
export const WIDGETS = { choice, choices, text, triplets };
