/* Triplets: a row for each with its rating, and below a row the rating of its opposite where one is asked for. */

import { foreign, make } from "../check/show.js";
import { afterPaint } from "./browser.js";
import { followers, tripletIds } from "./form.js";

const AT_ONCE = 8;
const NOT = "It is not the case that ";
const blank = (text) => text.replaceAll("_", " ");

/** A triplet in words: as it is written, and as a sentence, null where the relation has no gloss. */
export function inWords({ glosses = {} }, [source, relation, target]) {
  return {
    written: () => [foreign(blank(source)), " – ", make("b", {}, foreign(blank(relation))), " – ", foreign(blank(target))],
    sentence: () => (glosses[relation] ? [foreign(blank(source)), ` ${glosses[relation]} `, foreign(blank(target))] : null),
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

export function triplets(context, question) {
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
