/* A leaderboard's controls: sort, filter, choose columns and what they show. Columns that the page
   does not have come from the leaderboard's document, which is fetched once it is needed. */

import { number as written } from "./text.js";

const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const one = (selector, root = document) => root.querySelector(selector);
const page = one(".wb-lb");
const table = one(".wb-board", page);
const form = one(".wb-controls", page);
const root = new URL("../", import.meta.url);
const state = new URLSearchParams(location.search);
const lines = all(".wb-line", table);
const opposite = { ascending: "descending", descending: "ascending" };

function remember(key, values) {
  state.delete(key);
  for (const value of values) state.append(key, value);
  const query = state.toString();
  history.replaceState(null, "", location.pathname + (query && `?${query}`) + location.hash);
}

/** The document, its rows by key and its columns by id; fetched once. */
let known;
const documentOf = () => (known ||= fetch(new URL(`data/${page.dataset.board}/leaderboard.json`, root))
  .then((answer) => answer.json())
  .then((found) => ({
    columns: new Map(found.columns.map((column) => [column.id, column])),
    rows: new Map(found.rows.map((row) => [row.key, row])),
  })));

// ---- order: each group by itself, equal rows keep their order, no number comes last

const cellOf = (line, column) => all("td, th", line).find((cell) => cell.dataset.column === column);
function sort(column, way) {
  const value = (line) => {
    if (column === "name") return one("bdi", line).textContent.trim().toLowerCase();
    const cell = cellOf(line, column);
    return cell && cell.dataset.v !== undefined ? Number(cell.dataset.v) : null;
  };
  const sign = way === "ascending" ? 1 : -1;
  for (const body of table.tBodies) {
    const rows = all(".wb-line", body).map((line) => [value(line), line, line.nextElementSibling]);
    rows.sort(([a], [b]) => (a === null || b === null ? (a === null) - (b === null) : sign * (a < b ? -1 : a > b ? 1 : 0)));
    const nodes = rows.flatMap(([, line, more]) => (more && more.matches(".wb-more") ? [line, more] : [line]));
    body.append(...nodes);
  }
}
function order(head, way) {
  for (const other of all("th[aria-sort]", table)) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", way);
  sort(head.dataset.column, way);
}
table.tHead.addEventListener("click", ({ target }) => {
  const button = target.closest("button");
  if (!button) return;
  const head = button.closest("th");
  order(head, opposite[head.getAttribute("aria-sort")] || button.dataset.first);
  remember("sort", [`${head.dataset.column} ${head.getAttribute("aria-sort")}`]);
});

// ---- columns and what they show

const boxes = all("[name=column]", form);
const show = () => (one("[name=show]:checked", form) || { value: "v" }).value;
const heads = () => all("thead th[data-column]", table).filter((head) => head.dataset.column !== "name");

async function add(id) {
  const { columns, rows } = await documentOf();
  const column = columns.get(id);
  if (heads().some((head) => head.dataset.column === id)) return;
  const first = column.better === "higher" ? "descending" : "ascending";
  const head = document.createElement("th");
  Object.assign(head, { scope: "col", className: `num${column.why_not_rank ? " grey" : ""}` });
  head.dataset.column = id;
  head.innerHTML = `<button type="button" data-first="${first}"></button>`;
  head.firstChild.textContent = id;
  table.tHead.rows[0].append(head);
  for (const line of lines) {
    const cell = document.createElement("td");
    cell.className = head.className;
    cell.dataset.column = id;
    line.append(cell);
    fill(cell, column, rows.get(line.dataset.key), show());
  }
  for (const wide of all("[colspan]", table)) wide.colSpan = table.tHead.rows[0].cells.length;
}

/** One cell: the official value, the lift over the null, or the mean of what passed. */
function fill(cell, column, row, what) {
  const value = row && row.values[column.id];
  const number = value && value[what];
  const place = one(".v", cell) || cell;
  if (row || !place.textContent) {
    const note = one("abbr", place);
    const shown = document.createElement(value && value.top && what === "v" ? "b" : "span");
    shown.textContent = typeof number === "number" ? written(number, column, what === "lift") : "–";
    place.replaceChildren(shown, ...(note ? [" ", note] : []));
    if (number === undefined || number === null) delete cell.dataset.v;
    else cell.dataset.v = number;
  }
}

async function choose() {
  const wanted = boxes.filter((box) => box.checked).map((box) => box.value);
  await Promise.all(wanted.filter((id) => !heads().some((head) => head.dataset.column === id)).map(add));
  for (const cell of all("thead th[data-column], .wb-line td[data-column]", table)) {
    if (cell.dataset.column !== "name") cell.hidden = !wanted.includes(cell.dataset.column);
  }
}
async function reread() {
  const what = show();
  table.dataset.show = what;
  one(".wb-shows", form).textContent = `: ${one("[name=show]:checked", form).parentElement.textContent.trim()}`;
  const { columns, rows } = await documentOf();
  for (const line of lines) {
    for (const cell of all("td[data-column]", line)) fill(cell, columns.get(cell.dataset.column), rows.get(line.dataset.key), what);
  }
  const head = one("th[aria-sort]", table);
  if (head) sort(head.dataset.column, head.getAttribute("aria-sort"));
}

/** On a narrow screen one column is shown; which, the list says. */
async function narrow(id) {
  if (!heads().some((head) => head.dataset.column === id)) await add(id);
  for (const cell of all(".wb-line td[data-column]", table)) cell.classList.toggle("only", cell.dataset.column === id);
}

// ---- rows: every word in the row, and any of the tags

const find = form.elements.find;
const tags = all("[name=tag]", form);
const searched = lines.map((line) => [line, `${line.textContent} ${line.dataset.words || ""}`.toLowerCase(), line.dataset.tags.split(" ")]);
function sift() {
  const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = tags.filter((tag) => tag.checked).map((tag) => tag.value);
  let left = 0;
  for (const [line, content, own] of searched) {
    line.hidden = !(words.every((word) => content.includes(word)) && (!wanted.length || wanted.some((tag) => own.includes(tag))));
    left += !line.hidden;
  }
  for (const body of table.tBodies) body.hidden = !one(".wb-line:not([hidden])", body);
  one("[role=status]", form).textContent = left < lines.length ? `${left} of ${lines.length} rows` : "";
  remember("find", words.length ? [find.value.trim()] : []);
  remember("tag", wanted);
}

form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("input", ({ target }) => {
  if (target === find || tags.includes(target)) sift();
  if (target.name === "only") narrow(target.value);
  if (target.name === "show") {
    reread();
    remember("show", target.value === "v" ? [] : [target.value]);
  }
  if (boxes.includes(target)) {
    choose();
    const changed = boxes.filter((box) => box.checked !== box.defaultChecked);
    remember("cols", changed.length ? boxes.filter((box) => box.checked).map((box) => box.value) : []);
  }
});
document.addEventListener("click", ({ target }) => {
  for (const menu of all(".wb-menu[open]", form)) if (!menu.contains(target)) menu.open = false;
});
form.addEventListener("keydown", (event) => {
  const menu = event.key === "Escape" && event.target.closest(".wb-menu");
  if (menu) { menu.open = false; one("summary", menu).focus(); }
});

// ---- what the address asks for

find.value = state.get("find") || "";
for (const tag of tags) tag.checked = state.getAll("tag").includes(tag.value);
if (find.value || tags.some((tag) => tag.checked)) sift();
const columns = state.getAll("cols");
if (columns.length) {
  for (const box of boxes) box.checked = box.disabled || columns.includes(box.value);
  await choose();
}
const radio = all("[name=show]", form).find((input) => input.value === state.get("show"));
if (radio) { radio.checked = true; await reread(); }
const [, column, way] = /^(.+) (ascending|descending)$/.exec(state.get("sort")) || [];
const head = all("thead th", table).find((cell) => cell.dataset.column === column);
if (way && head) order(head, way);
page.classList.add("ready"); // controls that would do nothing yet are not shown
