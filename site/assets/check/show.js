/* Parts of the page of reports: everything foreign becomes text, never markup. */

import { first, size } from "./language.js";

export const one = (selector, root) => root.querySelector(selector);
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children.filter((child) => child !== null));
  return element;
}
/** Foreign text by itself, as much of it as a page can bear. */
export function foreign(text, most = 300) {
  const cut = first(text, most).replace(/(\p{M}{4})\p{M}+/gu, "$1");
  const more = size(text) - size(first(text, most));
  return make("bdi", {}, more ? `${cut}… (${more.toLocaleString("en")} more characters)` : cut);
}
export const section = (title, ...children) => make("section", {}, make("h2", {}, title), ...children);
export const chip = (kind, text) => make("span", { class: `wb-chip ${kind}` }, text);
export function table(caption, heads, rows, kind = "") {
  const head = make("tr", {}, ...heads.map((name) => (typeof name === "string" ? make("th", { scope: "col" }, name) : name)));
  const body = make("tbody", {}, ...rows);
  const whole = make("table", { class: `wb-table ${kind}` }, make("caption", { class: "wb-hide" }, caption), make("thead", {}, head), body);
  return make("div", { class: "wb-tablebox", tabindex: "0", role: "region", "aria-label": caption }, whole);
}
export const cell = (name, ...children) => make("td", { "data-head": `${name}: ` }, ...children);
export const countsHead = (name) => make("th", { scope: "col", class: "num" }, name);
export const counts = (name, count) => make("td", { "data-head": `${name}: `, class: "num" }, String(count));
/** Numbers in large type: `[name, number, unit]`, the name as a text or an element. */
export const figures = (shown) => make("dl", { class: "wb-figures" }, ...shown.map(([name, number, unit]) =>
  make("div", {}, make("dt", {}, name), make("dd", {}, make("b", {}, number), ` ${unit}`))));
/** A part that is made when it is first opened. */
export function opened(title, parts) {
  const box = make("details", {}, make("summary", {}, title));
  box.addEventListener("toggle", () => box.append(...parts()), { once: true });
  return box;
}

/** A share as a percentage with one decimal, halves to the even digit as the tables have them. */
export function percent(share) {
  const value = share * 100;
  const half = Number.isInteger(value * 4) && Math.abs(value * 4) % 2 === 1;
  const tenths = Math.floor(value * 10);
  return (half ? (tenths + (tenths % 2)) / 10 : value).toFixed(1);
}
