/* The search box of every page: what there is to find stands in one file (see
   scorer/site/browsing/site_search.py), which is fetched when the box is first used. */

import { json } from "./files.js";

const MOST = 12; // results that are shown
const AROUND = 60; // characters before a word in the line that shows it
const root = new URL("../", import.meta.url).href;
const form = document.querySelector(".wb-seek");
const input = form.querySelector("input");

const element = (tag, name, ...inside) => {
  const made = document.createElement(tag);
  if (name) made.className = name;
  made.append(...inside);
  return made;
};
const said = element("p", "wb-small");
said.setAttribute("role", "status");
const list = element("ol", "");
const further = element("p", "wb-small");
const hits = element("div", "wb-hits md-typeset", said, list, further);
hits.hidden = true;
form.append(hits);

// ---- what fits

/** A text as words with a blank before each, without case, accents and signs. */
const words = (text) => ` ${text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase()
  .replace(/[^\p{L}\p{N}]+/gu, " ").trim()}`;

/** Boards whose examples can be searched, that of this page first. */
const near = ([, address]) => location.href.startsWith(new URL(address.replace("examples/", ""), root).href);
const known = json(`${root}data/search.json`).then(({ kinds, records, examples }) => ({
  examples: examples.sort((one, other) => near(other) - near(one)),
  records: records.map(([kind, title, address, within, also, text]) => {
    const names = [words(title), ...(also ? [words(also)] : [])];
    return { kind, name: kinds[kind], title, address, within, also, text, names,
      called: `${names.join(" .")} `, all: `${words(`${title} ${also} ${within} ${text}`)} ` };
  }),
}));

/** How well a record fits, 0 best: whole words before those that begin so, which come before those
    inside a name. Undefined where a word is missing. */
function fit({ names, called, all }, asked, each) {
  const whole = (text) => each.every((word) => text.includes(`${word} `));
  const begins = (text) => each.every((word) => text.includes(word));
  const tests = [() => names.includes(asked), () => names.some((name) => `${name} `.startsWith(`${asked} `)),
    () => whole(called), () => whole(all), () => begins(called), () => begins(all),
    () => each.every((word) => called.includes(word.trim()))];
  const found = tests.findIndex((test) => test());
  return found < 0 ? undefined : found;
}

function find(records, query) {
  const asked = words(query);
  const each = asked.split(/(?= )/);
  return records.map((record) => [fit(record, asked, each), record])
    .filter(([rank]) => rank !== undefined)
    .sort(([a, one], [b, other]) => a - b || one.kind - other.kind || one.title.length - other.title.length)
    .map(([, record]) => record);
}

// ---- what is shown

/** The part of a text in which the first word of a query stands, where the title does not have it. */
function part({ title, text }, query) {
  const [first] = query.toLowerCase().split(/\s+/);
  const lower = text.toLowerCase();
  const found = ` ${lower}`.indexOf(` ${first}`); // a word that begins so, else within one
  const at = title.toLowerCase().includes(first) ? 0 : Math.max(0, (found < 0 ? lower.indexOf(first) : found) - AROUND);
  return `${at ? "…" : ""}${text.slice(at, at + 2.5 * AROUND)}${text.length > at + 2.5 * AROUND ? "…" : ""}`;
}

function line(record, query) {
  const link = element("a", "", element("b", "", element("bdi", "", record.title)), " ",
    element("span", "wb-tag", record.name));
  link.href = root + record.address;
  const where = record.within || (record.also !== record.title ? record.also : "");
  if (where) link.append(" ", element("small", "", element("bdi", "", where)));
  if (record.text) link.append(element("span", "wb-part", element("bdi", "", part(record, query))));
  return element("li", "", link);
}

async function show() {
  const query = input.value.trim();
  if (!words(query).trim()) { hits.hidden = true; return; }
  let all;
  try {
    all = await known;
  } catch {
    said.textContent = "Search is not available: its index did not load.";
    hits.hidden = false;
    return;
  }
  if (input.value.trim() !== query) return; // typed on while the index came
  const found = find(all.records, query);
  said.textContent = found.length > MOST ? `${MOST} of ${found.length} results; add a word to narrow them down`
    : found.length || !all.examples.length ? `${found.length || "No"} result${found.length === 1 ? "" : "s"}` : "No page has it; examples may.";
  list.replaceChildren(...found.slice(0, MOST).map((record) => line(record, query)));
  const links = all.examples.map(([title, address], i) => {
    const link = element("a", "", ...(i ? [] : [`Search examples for “${query}” on `]), element("bdi", "", title));
    if (i) link.setAttribute("aria-label", `Search examples for “${query}” on ${title}`);
    link.href = `${root}${address}?${new URLSearchParams({ find: query })}`;
    return link;
  });
  further.replaceChildren(...links.flatMap((link, i) => [["", "; or on ", " · "][Math.min(i, 2)], link]));
  hits.hidden = false;
  form.dataset.shown = query;
}

// ---- keys, before those of the page

const close = () => { hits.hidden = true; };
function step(by) {
  const stops = [input, ...hits.querySelectorAll("a")];
  const next = stops[stops.indexOf(document.activeElement) + by];
  if (next && !hits.hidden) next.focus();
}
const keys = {
  ArrowDown: () => step(1),
  ArrowUp: () => step(-1),
  Escape: () => { close(); input.value = ""; input.focus(); },
};
addEventListener("keydown", (event) => {
  if (!form.contains(event.target)) return;
  event.stopPropagation();
  if (event.key === "Enter" && event.target === input) {
    const first = hits.querySelector("a");
    if (first && !hits.hidden && form.dataset.shown === input.value.trim()) first.click();
  } else if (keys[event.key]) keys[event.key]();
  else return;
  event.preventDefault();
}, true);
input.addEventListener("input", show);
input.addEventListener("focus", show);
for (const name of ["pointerdown", "focusin"]) {
  addEventListener(name, (event) => { if (!form.contains(event.target)) close(); });
}
show();
