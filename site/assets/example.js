/* One example: up to four systems beside gold, what can be taken along, keys, and the way through
   what a search found. */

import { json, shard, slug } from "./files.js";
import { light } from "./light.js";

const SHARD = 20; // examples in a file, as scorer/site/pages.py has it
const SLOTS = ["a", "b", "c", "d"];
const ROOT = "../../../../";

const page = document.querySelector(".wb-example");
const [board, split, number] = page.dataset.wb.split("/");
const row = Number(number);
const rows = Number(page.dataset.rows);
const data = `${ROOT}data/${board}/${split}/`;
const trio = page.querySelector(".wb-trio");
const chooser = page.querySelector(".wb-chooser");
const wanted = new URLSearchParams(location.search);
const part = (name) => shard(`${data}${name}/${Math.floor((row - 1) / SHARD)}.shard`).then((file) => file[row]);

const element = (tag, attributes, ...inside) => {
  const made = Object.assign(document.createElement(tag), attributes);
  made.append(...inside);
  return made;
};
const button = (text, act, name = "wb-do") => {
  const made = element("button", { type: "button", className: name }, text);
  made.addEventListener("click", () => act(made));
  return made;
};

// ---- what can be done with a card

function offer(card) {
  const place = card.querySelector(".wb-more");
  if (!place) return;
  place.append(button("Interactive graph", async (pressed) => {
    pressed.disabled = true;
    const { open } = await import("./network.js");
    await open(card);
    pressed.remove();
  }, "wb-do wb-net"));
  place.append(button("Save as SVG", () => save(card)));
  const raw = card.querySelector(".wb-raw code");
  if (raw && navigator.clipboard) {
    place.append(button("Copy graph string", async (pressed) => {
      await navigator.clipboard.writeText(raw.textContent);
      pressed.textContent = "Copied";
    }));
  }
}

/** The drawing as a file of its own, with the rules and colours it has on the page. */
function save(card) {
  const drawing = card.querySelector("figure svg");
  const copy = drawing.cloneNode(true);
  const [left, top, width, height] = drawing.getAttribute("viewBox").split(" ").map(Number);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("viewBox", `${left} ${top} ${width} ${height}`);
  const styles = getComputedStyle(document.body);
  const rules = [...document.styleSheets].filter((sheet) => sheet.href && sheet.href.startsWith(location.origin))
    .flatMap((sheet) => [...sheet.cssRules]).map((rule) => rule.cssText)
    .filter((text) => text.startsWith(".wb-graph") && !text.includes(".key"))
    .map((text) => text.replace(/var\((--[\w-]+)\)/g, (_, name) => styles.getPropertyValue(name).trim()));
  const ground = `.wb-graph{background:${styles.getPropertyValue("--wb-paper")}}`;
  copy.prepend(element("style", {}, [...rules, ground].join("\n")));
  const file = new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" });
  const link = element("a", { href: URL.createObjectURL(file),
    download: `${board}-${split}-${row}-${slug(card.dataset.key)}.svg` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// ---- systems beside gold

const lights = light(page);

const card = (slot) => trio.querySelector(`[data-slot="${slot}"]`);
const keys = () => SLOTS.map((slot) => (card(slot) ? card(slot).dataset.key : ""));
const standard = keys();
let systems = [];
let next = ""; // what the way to the next example where the first system is better is called
let note = ""; // what its words mean
let ahead; // the same by a metric, with its sign: no system is right where its null is wrong

async function put(slot, key) {
  let place = card(slot);
  if (!key) {
    if (place) place.remove();
    return arrange();
  }
  if (place && place.dataset.key === key) return undefined;
  if (!place) {
    place = element("section", { className: "wb-card", ariaLive: "polite" });
    place.dataset.slot = slot;
    const later = SLOTS.slice(SLOTS.indexOf(slot) + 1).map(card).find(Boolean);
    trio.insertBefore(place, later || null);
  }
  place.dataset.key = key;
  arrange();
  const found = await part(slug(key));
  if (place.dataset.key !== key) return undefined;
  place.innerHTML = found.html; // made and escaped by the same template as this page
  offer(place);
  lights();
  return undefined;
}

function arrange() {
  const count = trio.children.length - 1;
  trio.classList.toggle("solo", count === 0);
  trio.classList.toggle("many", count > 2);
}

function query() {
  const told = new URLSearchParams();
  keys().forEach((key, i) => { if (key !== standard[i]) told.set(SLOTS[i], key); });
  if (wanted.get("in")) told.set("in", wanted.get("in"));
  return String(told) ? `?${told}` : "";
}

function remember() {
  history.replaceState(null, "", location.pathname + query());
  for (const link of page.querySelectorAll(".wb-pager [rel]")) link.search = query();
}

function choose() {
  const now = keys();
  const shown = SLOTS.filter((_, i) => now[i]);
  const fields = shown.map((slot, i) => {
    const select = element("select", { autocomplete: "off" });
    select.dataset.for = slot;
    for (const { key, title } of systems) select.append(new Option(`${title} (${key})`, key));
    select.append(new Option("remove", ""));
    select.value = now[SLOTS.indexOf(slot)];
    select.addEventListener("change", async () => { await put(slot, select.value); choose(); remember(); });
    return element("label", {}, element("span", {}, i ? "and" : "Compare gold with"), select);
  });
  const free = SLOTS.find((_, i) => !now[i]);
  const unused = systems.find(({ key }) => !now.includes(key));
  if (free && unused) {
    fields.push(button(shown.length ? "Add a system" : "Compare with a system", async () => {
      await put(free, unused.key);
      choose();
      remember();
      chooser.querySelector(`[data-for="${free}"]`).focus();
    }, "wb-do wb-add"));
  }
  if (shown.length > 1 && next) {
    const way = button(beside() ? ahead[2] : next, duel, "wb-do wb-duel");
    if (note && !beside()) way.title = note;
    fields.push(way);
  }
  chooser.replaceChildren(...fields);
}

/** Whether the first two systems are a system and its null, which scores tell apart. */
function beside() {
  const [first, second] = keys().filter(Boolean);
  const own = (one, other) => (systems.find(({ key }) => key === one) || {}).null === other;
  return ahead && (own(first, second) || own(second, first));
}

/** How well a system does on each example, more is better. */
async function standing(key) {
  const file = (name) => json(`${data}${slug(key)}/${name}.json`);
  if (!beside()) return (await file("outcomes")).standing;
  const [metric, sign] = ahead;
  const scores = (await file("scores"))[metric];
  return scores ? scores.map((score) => sign * score) : Array(rows).fill(null);
}

/** To the next example, after this one and then from the start, where the first is better. */
async function duel(pressed) {
  const [first, second] = await Promise.all(keys().filter(Boolean).slice(0, 2).map(standing));
  for (let i = 0; i < rows - 1; i += 1) {
    const at = (row + i) % rows;
    if (first[at] !== null && second[at] !== null && first[at] > second[at]) return go(at + 1);
  }
  pressed.textContent = "There is no such example";
  return undefined;
}

const go = (to) => location.assign(`../${to}/${query()}`);

if (chooser) {
  ({ systems, next = "", note = "", ahead } = await json(`${data}systems.json`));
  const known = (key) => systems.some((one) => one.key === key);
  await Promise.all(SLOTS.map((slot, i) => {
    const key = wanted.get(slot);
    return key === "" || known(key) ? put(slot, key) : put(slot, standard[i]);
  }));
  choose();
  remember();
}
for (const one of trio.children) if (!one.querySelector(".wb-more button")) offer(one);

// ---- the way through what a search found

const list = `../../examples/?${wanted.get("in") || ""}`; // the search that led here, else all examples
const back = `${list}#${split}/${row}`; // the same, at this example
page.querySelector(".wb-all").href = `../../examples/?split=${split}`;
page.append(element("p", { className: "wb-small wb-keys", innerHTML: "<kbd>j</kbd> <kbd>k</kbd> or arrows: "
  + "next and previous example, <kbd>u</kbd> or <kbd>Esc</kbd> back to its place in the list, <kbd>/</kbd> search"
  + `${chooser ? ", <kbd>n</kbd> the next where the first system is ahead of the second" : ""}`
  + `${page.querySelector(".wb-trio .n") ? "; in a graph, <kbd>↑</kbd> <kbd>↓</kbd> walk the concepts" : ""}.` }));

if (wanted.get("in")) {
  const { Examples, Search } = await import("./filter.js");
  const search = new Search(wanted.get("in"));
  const examples = await new Examples(ROOT, board).open();
  const chosen = search.values("split");
  const names = examples.known.splits.map(({ name }) => name);
  await examples.load(...names.filter((name) => !chosen.size || chosen.has(name)));
  if (search.words.trim()) await examples.read();
  await examples.ask(search);
  const found = examples.find(search).found.filter((place) => examples.address(place));
  const here = found.findIndex((place) => examples.address(place) === `${split}/${row}/`);
  const to = (place, rel, text) => {
    if (place === undefined) return "";
    const address = `../../${examples.address(place)}`;
    const link = element("a", { rel, href: address + query() }, text);
    return link;
  };
  if (here >= 0) {
    const place = element("a", { href: back }, `${here + 1} of ${found.length} found`);
    page.querySelector(".wb-pager").replaceChildren(to(found[here - 1], "prev", "←"), place, to(found[here + 1], "next", "→"));
  }
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, textarea, select")) return;
  const rel = { j: "next", ArrowRight: "next", k: "prev", ArrowLeft: "prev" }[event.key];
  const link = rel && page.querySelector(`.wb-pager [rel=${rel}]`);
  if (link) link.click();
  else if (event.key === "/") location.assign(list);
  else if (event.key === "u" || event.key === "Escape") location.assign(back);
  else if (event.key === "n") page.querySelector(".wb-duel")?.click();
  else return;
  event.preventDefault();
  event.stopImmediatePropagation(); // the theme has keys of its own
}, true);

page.dataset.ready = "yes";
