/* The example browser: search, facets with counts, keyboard, and an address that remembers. */

import { Examples, Search, range } from "./filter.js";

const PAGE = 30; // lines added to the list at a time, and how many come with a keystroke
const AHEAD = 600; // pixels below the window that are filled
const MOST = 200; // characters shown of a text; a search reads all
const LONG = 40; // characters of a value that are sure to be seen
const wide = matchMedia("(min-width: 60rem)"); // filters stand beside the list
const FEW = 8; // values of a long facet that are shown at first

// The list is what a reader waits for, so this script does not wait for the theme's, nor for the page.
const page = await new Promise((done) => {
  (function look() {
    if (document.querySelector(".wb-browser > .wb-keys")) done(document.querySelector(".wb-browser"));
    else setTimeout(look, 5);
  })();
});
const form = page.querySelector("form");
const list = page.querySelector(".wb-list");
const said = page.querySelector(".wb-count");
const box = page.querySelector(".wb-facets");
const first = page.querySelector(".wb-first"); // for what is asked before all other filters
const chips = page.querySelector(".wb-chips");
const results = page.querySelector(".wb-browse");
const field = (id) => page.querySelector(`[data-facet="${id}"]`);
const examples = new Examples(page.dataset.root, page.dataset.board);
const folder = `${page.dataset.root}boards/${page.dataset.board}/`;
let search = new Search(location.search);
let found = [];
let drawn = 0;
let told = ""; // what the pages of examples are told: the systems, and the search
const tagged = []; // facets that the list tells beside a text

const element = (tag, name, ...inside) => {
  const made = document.createElement(tag);
  if (name) made.className = name;
  made.append(...inside);
  return made;
};

// ---- the list

function line(place) {
  const [split, row] = examples.rows[place];
  const { name } = examples.known.splits[split];
  const address = examples.address(place);
  const link = element(address ? "a" : "span", "", element("b", "", String(row)));
  if (address) link.href = `${folder}${address}${told}`;
  const tags = [];
  if (examples.known.splits.length > 1) tags.push(name);
  for (const { tag, of, values } of tagged) if (of[place] >= 0) tags.push(tag.replace("{}", () => values[of[place]]));
  if (!address) tags.push("no gold here");
  return element("li", "", link, ...tags.flatMap((tag) => [" ", element("span", "wb-tag", tag)]));
}

/** Adds lines; those whose texts are not there get them when they come. */
function add(places) {
  const lines = places.map(line);
  const cut = (text) => (text.length > MOST ? `${text.slice(0, MOST)}…` : text);
  const write = (place, i) => {
    for (const [mark, text] of examples.shown[place]) lines[i].firstChild.append(" ", element("bdi", "", mark && `${mark} `, cut(text)));
  };
  const late = places.filter((place) => !examples.shown[place]);
  places.forEach((place, i) => { if (examples.shown[place]) write(place, i); });
  if (late.length) examples.read(late).then(() => late.forEach((place) => write(place, places.indexOf(place))));
  list.append(...lines);
}

function telling() {
  const query = new URLSearchParams();
  for (const name of ["a", "b"]) if (search.systems[name]) query.set(name, search.systems[name]);
  if (String(search)) query.set("in", String(search));
  return String(query) ? `?${query}` : "";
}

function more() {
  const next = found.slice(drawn, drawn + PAGE);
  add(next);
  drawn += next.length;
}
const end = page.querySelector(".wb-static");
function fill() {
  while (drawn < found.length && end.getBoundingClientRect().top < innerHeight + AHEAD) more();
}
new IntersectionObserver(fill, { rootMargin: `${AHEAD}px` }).observe(end);

// ---- the facets

const rows = new Map(); // facet -> value -> {line, input, count}
const quicks = [];

/** Above the list a check box for the first value of some facets, beside it a field for each. */
function facets() {
  for (const facet of examples.facets) {
    if (facet.first) {
      quicks.push({ facet, ...option(facet, facet.values[0], facet.first) });
      first.append(quicks.at(-1).line);
    }
    if (facet.values.length > 1 || !facet.first) box.append(fieldset(facet));
  }
}

function fieldset(facet) {
  const lines = new Map(facet.values.map((value) => [value, (facet.number ? bar : option)(facet, value)]));
  rows.set(facet.id, lines);
  const made = element("fieldset", "", element("legend", "", facet.name));
  made.dataset.facet = facet.id;
  if (facet.system) made.append(chooser(facet));
  if (facet.metrics) made.append(metrics(facet));
  if (facet.note) made.append(element("p", "wb-means", facet.note));
  made.append(element("div", facet.number ? "wb-values wb-numbers" : "wb-values", ...[...lines.values()].map(({ line }) => line)));
  if (facet.number) made.append(limits(facet));
  if (facet.system === "b") made.append(element("p", "wb-means wb-never"));
  if (facet.values.length > (facet.long ? FEW : Infinity)) made.append(all(facet, made));
  return made;
}

function option(facet, value, words = shownAs(facet, value)) {
  const input = element("input");
  input.type = "checkbox";
  input.addEventListener("change", () => {
    search.values(facet.id)[input.checked ? "add" : "delete"](value);
    if (facet.number) write(facet);
    show();
    bring();
  });
  const count = element("span", "wb-n");
  const name = element("span", "", words);
  if (name.textContent.length > LONG) name.title = name.textContent; // the style sheet shows its first lines
  return { input, count, line: element("label", "", input, name, count) };
}

/** What people read for a value of an address. */
const shownAs = ({ labels, values }, value) => (labels ? labels[values.indexOf(value)] : value);

// ---- numbers: a bar for each, and two fields for a range

function bar(facet, value) {
  const line = element("button", "", element("i", ""), element("b", ""), element("span", "", value));
  line.type = "button";
  line.tabIndex = -1; // the fields below do the same by keys
  line.addEventListener("click", () => {
    const chosen = [...search.values(facet.id)];
    choose(facet, chosen.length === 1 && chosen[0] === value ? [] : [value]);
  });
  return { line };
}

function limits(facet) {
  const fields = ["From", "to"].map((name) => {
    const end = element("input");
    Object.assign(end, { type: "number", min: facet.values[0], max: facet.values.at(-1) });
    end.setAttribute("aria-label", `${facet.name}: ${name.toLowerCase()}`);
    end.addEventListener("input", () => {
      const [low, high] = fields.map(({ value }) => value);
      choose(facet, low && high ? [`${low} to ${high}`] : low ? [`${low} or more`] : high ? [`${high} or fewer`] : [], true);
    });
    return end;
  });
  return element("p", "wb-limits", ...["From ", " to "].flatMap((word, i) => [word, fields[i]]));
}

function choose(facet, values, typed) {
  search.chosen.set(facet.id, new Set(values));
  if (!typed) write(facet);
  show();
  bring();
}

/** The range of the address in the two fields. */
function write(facet) {
  const ends = [...search.values(facet.id)].map(range);
  const fields = field(facet.id).querySelectorAll(".wb-limits input");
  const outer = [Math.min(...ends.map(([low]) => low)), Math.max(...ends.map(([, high]) => high))];
  fields.forEach((field, i) => { field.value = Number.isFinite(outer[i]) ? outer[i] : ""; });
}

// ---- systems and metrics

/** The select box of the metric by which A and B are compared. */
function metrics(facet) {
  const select = element("select", "", ...facet.metrics.map(([name]) => new Option(`on ${name}`, name)));
  select.dataset.metric = "";
  select.setAttribute("aria-label", "Metric by which A and B are compared");
  select.addEventListener("change", async () => {
    search.by = select.value;
    await examples.ask(search);
    show();
  });
  return select;
}

/** The select box of system A, before what it got, or of B. */
function chooser(facet) {
  if (box.querySelector(`[data-system="${facet.system}"]`)) return "";
  const select = element("select");
  select.dataset.system = facet.system;
  select.setAttribute("aria-label", `System ${facet.system.toUpperCase()}`);
  select.addEventListener("change", async () => {
    search.systems[facet.system] = select.value;
    for (const { id, system } of examples.facets) {
      if (system === "b" || (system && facet.system === "a")) search.chosen.delete(id);
    }
    await examples.ask(search);
    show();
  });
  return select;
}

function choices() {
  for (const select of box.querySelectorAll("[data-metric]")) {
    const known = [...select.options].map(({ value }) => value);
    select.value = known.includes(search.by) ? search.by : known[0];
  }
  examples.facets.filter((facet) => facet.number).forEach(write);
  for (const select of box.querySelectorAll("[data-system]")) {
    if (select.options.length > examples.systems.size && select.value === search.systems[select.dataset.system]) continue;
    const name = select.dataset.system.toUpperCase();
    const options = [new Option(`System ${name}: choose one`, "")];
    for (const { key, title } of examples.systems.values()) options.push(new Option(`${name}: ${title}`, key));
    select.replaceChildren(...options);
    select.value = examples.systems.has(search.systems[select.dataset.system]) ? search.systems[select.dataset.system] : "";
  }
}

function all(facet, around) {
  const words = `all ${facet.values.length}`;
  const button = element("button", "wb-link", words);
  button.type = "button";
  around.classList.add("few");
  button.addEventListener("click", () => {
    button.textContent = around.classList.toggle("few") ? words : "fewer";
    count();
  });
  return button;
}

function count(counts = examples.find(search).counts) {
  for (const { facet, input, count: shown } of quicks) {
    shown.textContent = counts[examples.facets.indexOf(facet)][0];
    input.checked = search.values(facet.id).has(facet.values[0]);
  }
  examples.facets.filter(({ id }) => rows.has(id)).forEach((facet) => {
    const f = examples.facets.indexOf(facet);
    const own = field(facet.id);
    const lines = rows.get(facet.id);
    const asked = facet.system && !(search.systems.a && (facet.system === "a" || search.systems.b));
    own.hidden = Boolean(asked) && !own.querySelector("[data-system]");
    if (facet.number) { draw(facet, lines, counts[f]); return; }
    if (facet.system === "b") never(facet, own, asked);
    const few = own.classList.contains("few");
    const order = few ? [...facet.values.keys()].sort((a, b) => counts[f][b] - counts[f][a]).slice(0, FEW) : [];
    facet.values.forEach((value, i) => {
      const { line: label, input, count: shown } = lines.get(value);
      if (shown.textContent !== String(counts[f][i])) shown.textContent = counts[f][i];
      input.checked = search.values(facet.id).has(value);
      label.classList.toggle("none", !counts[f][i] && !input.checked);
      label.hidden = Boolean(asked) || (few && !order.includes(i) && !input.checked);
    });
  });
}

/** Bars as high as their counts; a value without examples keeps its place. */
function draw(facet, lines, counts) {
  const most = Math.max(1, ...counts);
  const ranges = [...search.values(facet.id)].map(range);
  facet.values.forEach((value, i) => {
    const { line: button } = lines.get(value);
    const words = `${facet.name} ${value}: ${counts[i]}`;
    button.title = words;
    button.setAttribute("aria-label", words);
    button.children[0].textContent = counts[i];
    const share = counts[i] && Math.max(.04, counts[i] / most);
    button.children[1].style.height = `calc((100% - 1.3rem) * ${share})`; // room for the two numbers
    button.classList.toggle("out", ranges.length > 0 && !ranges.some(([low, high]) => low <= value && value <= high));
  });
}

/** Says why A is better than B on no example, if that is so. */
function never(facet, around, asked) {
  const why = around.querySelector(".wb-never");
  why.hidden = Boolean(asked) || facet.of.includes(0) || Boolean(facet.metrics);
  const below = examples.facets.some((one) => one.metrics) ? "; compare the two by score below" : "";
  why.textContent = why.hidden ? "" : `B is right wherever A is${below}.`;
}

// ---- what is chosen, each with a way out, and the results it leaves

/** A and B by their titles, where a facet is about them. */
const titled = (facet, words) => (facet.system ? words.replace(/\b[AB]\b/g, (one) =>
  examples.systems.get(search.systems[one.toLowerCase()])?.title || one) : words);

function chosen() {
  const found = examples.facets.flatMap((facet) => [...search.values(facet.id)].map((value) => ({
    words: value === facet.values[0] && facet.first || titled(facet, `${facet.name}: ${shownAs(facet, value)}`),
    drop: () => { search.values(facet.id).delete(value); if (facet.number) write(facet); },
  })));
  if (search.words.trim()) found.push({ words: `“${search.words.trim()}”`, drop: () => { search.words = form.find.value = ""; } });
  const buttons = found.map(({ words, drop }, i) => {
    const chip = element("button", "", element("span", "", words), " ×");
    chip.type = "button";
    chip.setAttribute("aria-label", `Remove ${words}`);
    chip.addEventListener("click", () => {
      drop();
      show();
      bring();
      (chips.children[Math.min(i, chips.children.length - 1)] || form.find).focus({ preventScroll: true });
    });
    return chip;
  });
  chips.replaceChildren(...buttons);
}

/** Results into view where they begin above the window; a narrow one has a button for it. */
function bring() {
  if (wide.matches && results.getBoundingClientRect().top < page.querySelector(".wb-left").getBoundingClientRect().top) results.scrollIntoView();
}

// ---- all together

function show() {
  const answer = examples.find(search);
  found = answer.found;
  told = telling();
  drawn = 0;
  list.replaceChildren();
  more();
  count(answer.counts);
  chosen();
  const missing = examples.loaded.size < examples.known.splits.length || (search.words.trim() && examples.unread);
  const [some, all] = [found.length, examples.rows.length].map((n) => n.toLocaleString("en"));
  said.textContent = `${some} of ${all} examples${missing ? " so far" : ""}`;
  clearTimeout(remembering);
  remembering = setTimeout(remember, 150); // browsers allow few changes a second
  page.dataset.shown = String(found.length);
  requestAnimationFrame(fill);
}

let remembering;
function remember() {
  const address = String(search);
  history.replaceState(null, "", address ? `?${address}` : location.pathname);
}

async function set(next) {
  search = next;
  form.find.value = search.words;
  await examples.ask(search);
  await examples.read(search.words.trim() ? undefined : examples.find(search).found.slice(0, PAGE));
  choices();
  show();
}

/** A search needs the texts of all examples: they are fetched when one begins. */
async function everything() {
  if (!examples.unread) return;
  await examples.read();
  if (!search.words.trim()) return;
  const here = found[lines().indexOf(document.activeElement)];
  show();
  if (here !== undefined) stand(here);
}

form.addEventListener("submit", (event) => event.preventDefault());
form.find.addEventListener("input", () => { search.words = form.find.value; show(); everything(); });
form.find.addEventListener("focus", everything);
form.clear.addEventListener("click", () => set(new Search()));
form.random.addEventListener("click", random);
page.querySelector(".wb-results").addEventListener("click", () => list.scrollIntoView());

function random() {
  const open = found.filter((place) => examples.address(place));
  if (open.length) location.assign(`${folder}${examples.address(open[Math.floor(Math.random() * open.length)])}${told}`);
}

const lines = () => [...list.children].map((one) => one.firstChild);

function step(by) {
  const links = lines().filter((one) => one.href);
  const at = links.indexOf(document.activeElement);
  const next = links[at < 0 ? (by > 0 ? 0 : -1) : at + by];
  if (next) next.focus();
  else if (by < 0) form.find.focus();
  if (at > links.length - 5 && drawn < found.length) more();
}

/** To the line of an example, if it was found. */
function stand(place) {
  const at = found.indexOf(place);
  if (at < 0) return;
  while (drawn <= at) more();
  const link = lines()[at];
  link.focus();
  link.scrollIntoView({ block: "center" });
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.matches("input:not([type=checkbox]), textarea, select");
  const within = list.contains(event.target) || event.target === form.find;
  if (event.key === "Escape" && event.target === form.find) { form.find.value = search.words = ""; show(); return; }
  const down = (event.key === "ArrowDown" && within) || (event.key === "j" && !typing);
  const up = (event.key === "ArrowUp" && within) || (event.key === "k" && !typing);
  if (down || up) step(down ? 1 : -1);
  else if (event.key === "/" && !typing) form.find.focus();
  else if (event.key === "r" && !typing) random();
  else return;
  event.preventDefault();
  event.stopImmediatePropagation(); // the theme has keys of its own
}, true);

const here = location.hash.slice(1); // the example that the reader comes back from
await examples.open();
facets();
tagged.push(...examples.facets.filter((facet) => facet.tag));
const asked = search.values("split");
const [now, ...others] = examples.known.splits.map((split) => split.name).sort((a, b) => asked.has(b) - asked.has(a));
page.querySelector(".wb-keys").hidden = false;
box.open = wide.matches;
for (const names of others.length ? [[now], others] : [[now]]) {
  await examples.load(...names);
  await set(search);
}
if (here) stand(examples.rows.findIndex((_, place) => examples.address(place) === `${here}/`));
page.dataset.ready = "yes";
