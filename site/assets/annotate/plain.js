/* Answers of one value, of several values, of a text. */

import { make } from "../check/show.js";
import { words } from "./answers.js";
import { allowed, textOf } from "./form.js";

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
export const choice = (context, question) =>
  several(context, question, "radio", (value) => [value], ([value]) => value);
export const choices = (context, question) =>
  several(context, question, "checkbox", (value) => value.split(","), (values) => values.join(","));

export function text({ given, put, readOnly }, question) {
  const area = make("textarea", { rows: "4", name: question.id, "aria-label": question.text });
  area.addEventListener("input", () => put(question.id, area.value));
  const count = question.most_words === null ? null : make("small", {});
  return {
    elements: count ? [area, count] : [area],
    refresh() {
      const now = given(question.id);
      if (area.value !== now) area.value = now;
      if (count) count.textContent = `${words(now)} of at most ${question.most_words} words`;
      area.readOnly = readOnly();
    },
  };
}
