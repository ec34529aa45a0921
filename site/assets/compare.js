/* Any two rows of a split side by side, and the matrix of pairs on other columns: from the document alone. */

import { json } from "./files.js";
import { escape, nameText, number, pText, slug } from "./text.js";

const ALPHA = .05;
const FEWEST = 100; // items that a verdict takes

const page = document.querySelector(".wb-compare");
const { data, board, split, metrics, examples } = page.dataset;
const binary = page.dataset.binary === "yes"; // on the column that orders rows, items are right or wrong
const form = page.querySelector("form");
const pair = page.querySelector(".wb-two");
const table = page.querySelector(".wb-matrix");
const options = new Map([...form.a.options].map((option) => [option.value, option]));
const first = table && table.innerHTML;
const name = (key) => `<bdi>${escape(nameText(options.get(key).textContent))}</bdi>`;

// ---- what the document says of two rows

/** Where a pair stands in an upper triangle, and whether it has to be turned round. */
function cell({ rows, tri }, a, b) {
  const [one, two] = [rows.indexOf(a), rows.indexOf(b)];
  if (one < 0 || two < 0) return null;
  const [low, high] = one < two ? [one, two] : [two, one];
  return { found: tri[low * rows.length - (low * (low + 1)) / 2 + high - low - 1], turned: one > two };
}

/** The same of rows beyond those: each with the one above it and its null. */
function further({ more = [] }, a, b) {
  const found = more.find(([one, two]) => (one === a && two === b) || (one === b && two === a));
  return found && { found: [found[2], found[3], found[4], null], turned: found[0] !== a };
}

/** Wins, losses, p and p by Holm on the column that orders rows. */
function ordered({ pairs }, a, b) {
  const known = pairs && (cell(pairs, a, b) || further(pairs, a, b));
  if (!known) return null;
  const [wins, losses, p, holm] = known.found;
  return known.turned ? { wins: losses, losses: wins, p, holm } : { wins, losses, p, holm };
}

/** Difference, interval and p of the few rows that the document has on every column. */
function close({ close: columns }, id, a, b) {
  const known = columns[id] && cell(columns[id], a, b);
  if (!known) return null;
  const [d, low, high, p] = known.found;
  if (!known.turned) return { d, low, high, p };
  const minus = (value) => (typeof value === "number" ? -value : value);
  return { d: -d, low: minus(high), high: minus(low), p };
}

/** One row less another on a column; null where they cannot be compared. */
function difference(known, column, a, b) {
  const [one, two] = [a, b].map((key) => known.rows.find((row) => row.key === key).values[column.id]);
  if (!one || !two || one.v === null || two.v === null || one.sig !== two.sig) return null;
  const pairs = column.id === known.order.by ? ordered(known, a, b) : null;
  return close(known, column.id, a, b) || { d: one.v - two.v, ...pairs };
}

/** "better", "worse" or "same": by Holm where both are ranked. */
function verdict(column, d, { p, holm }) {
  if ((typeof holm === "number" ? holm : p) > ALPHA || !d) return "same";
  return (d > 0) === (column.better === "higher") ? "better" : "worse";
}

// ---- as people read it

const interval = (found, column) => (typeof found.low === "number" ? `[${number(found.low, column)}, ${number(found.high, column)}]` : "");

function sentence(known, a, b) {
  const column = known.columns.find(({ id }) => id === known.order.by);
  const [found, pairs] = column ? [difference(known, column, a, b), ordered(known, a, b)] : [];
  if (!found || !pairs) return "The document has no test of these two on the column that orders rows: they lack scores of the same items, were scored apart, or stand far from each other.";
  if (verdict(column, found.d, pairs) === "worse") return sentence(known, b, a);
  const value = (key) => number(known.rows.find((row) => row.key === key).values[column.id].v, column);
  const names = [a, b].map((key) => `${name(key)} (${value(key)})`);
  const holm = typeof pairs.holm === "number" ? ` (${pText(pairs.holm)} by Holm)` : "";
  const numbers = `difference ${number(found.d, column, true)} ${interval(found, column)}`.trim() + `, ${pText(pairs.p)}${holm}`;
  const id = escape(column.id);
  if (known.items < FEWEST) return `No verdict on ${id}: ${known.items} items are fewer than ${FEWEST}. ${names.join(" against ")}, ${numbers}.`;
  if (verdict(column, found.d, pairs) === "same") return `No significant difference on ${id} between ${names.join(" and ")}: ${numbers}.`;
  return `${names[0]} is better than ${names[1]} on ${id}: ${numbers}.`;
}

const about = (column) => (column.better === "lower" ? " <small>lower is better</small>" : "")
  + (column.why_not_rank ? ` <small>never ranks: ${escape(column.why_not_rank)}</small>` : "");

function lines(known, a, b) {
  const values = (key) => known.rows.find((row) => row.key === key).values;
  const [one, two] = [values(a), values(b)];
  const text = (value, column) => (value && value.v !== null ? number(value.v, column) : "–");
  return known.columns.filter(({ id }) => [one, two].some((all) => all[id] && all[id].v !== null)).map((column) => {
    const found = difference(known, column, a, b) || {};
    const sure = found.p <= ALPHA && known.items >= FEWEST && found.d && !column.why_not_rank;
    const ahead = sure ? ((found.d > 0) === (column.better === "higher") ? 0 : 1) : 2;
    const both = [text(one[column.id], column), text(two[column.id], column)].map((value, i) => (i === ahead ? `<b>${value}</b>` : value));
    const cells = [...both, "d" in found ? number(found.d, column, true) : "–", interval(found, column) || "–", "p" in found ? pText(found.p) : "–"];
    return `<tr><th scope="row" class="name">${column.people ? escape(column.id) : `<a href="${metrics}${slug(column.id)}/">${escape(column.id)}</a>`}${about(column)}</th>${cells.map((value) => `<td class="num">${value}</td>`).join("")}</tr>`;
  }).join("");
}

/** Links to the items on which one row is better, and to the others. */
function lists(known, a, b) {
  const counts = ordered(known, a, b);
  if (!counts) return "";
  const right = Math.round(known.rows.find((row) => row.key === a).values[known.order.by].v * known.items);
  const kinds = binary ? [["both", "both right", right - counts.wins], ["a", `only ${name(a)} right`, counts.wins],
    ["b", `only ${name(b)} right`, counts.losses], ["none", "none right", known.items - right - counts.losses]]
    : [["a", `${name(a)} better`, counts.wins], ["b", `${name(b)} better`, counts.losses],
      ["equal", "equal", known.items - counts.wins - counts.losses]];
  const keys = [a, b].map((key) => options.get(key).dataset.key); // empty where the example browser has no such lists
  const found = kinds.map(([kind, words, count]) => {
    const said = `<b>${count}</b> ${words}`;
    const query = new URLSearchParams({ split, a: keys[0], b: keys[1],
      ...(binary ? { pair: kind } : { ahead: kind, by: known.order.by }) });
    return keys.every(Boolean) ? `<a href="${examples}?${escape(query)}">${said}</a>` : said;
  });
  return `<p class="wb-pairlists">Items by ${escape(known.order.by)}: ${found.join(" · ")}; ${known.items} items.</p>`;
}

/** The items that both passed, where decoding enforces the constraints. */
function passed(known, a, b) {
  const tests = known.both_passed.filter((test) => [test.a, test.b].includes(a) && [test.a, test.b].includes(b));
  const columns = new Map(known.columns.map((column) => [column.id, column]));
  const parts = tests.map((test) => `${escape(test.column)} ${number(test.a === a ? test.d : -test.d, columns.get(test.column), true)} (${pText(test.p)})`);
  return parts.length ? `<p>On the ${tests[0].n} items that both passed: ${parts.join(", ")}.</p>` : "";
}

const grid = (kind, words, head, body) => `<div class="wb-tablebox wb-fit" role="region" aria-label="${words}" tabindex="0"><table class="wb-table ${kind}">`
  + `<caption class="wb-hide">${words}</caption><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`;

// ---- the page

const document_ = () => json(`${data}leaderboard.json`);

async function show(a, b) {
  const known = await document_();
  if (a !== form.a.value || b !== form.b.value) return; // others were chosen since
  const heads = ["column", name(a), name(b), "difference", "95 % interval", "exact p"];
  pair.innerHTML = `<h2>${name(a)} against ${name(b)}</h2><p class="wb-answer">${sentence(known, a, b)}</p>${passed(known, a, b)}${lists(known, a, b)}`
    + `<h3>Every column</h3>${grid("wb-everycolumn", "Every column", heads.map((words, i) => `<th scope="col" class="${i ? "num" : "name"}">${words}</th>`).join(""), lines(known, a, b))}`
    + `<p class="wb-small">Bold: significantly better on that column at 5 %, by itself. –: not in the document${command(a, b)}.</p>`;
}

/** What computes the rest; no folder of an anonymous row is known that it could be given. */
const command = (a, b) => ([a, b].some((key) => key.startsWith("anonymous/")) ? ""
  : `; <code>scorer compare ${escape(a)} ${escape(b)} --board ${board} --split ${split}</code> computes it`);

function choose() {
  const [a, b] = [form.a.value, form.b.value];
  const asked = new URLSearchParams(a && b ? { a, b } : {});
  history.replaceState(null, "", location.pathname + (a && b ? `?${decodeURIComponent(String(asked))}` : ""));
  if (a && b && a !== b) show(a, b);
  else pair.replaceChildren();
}

const asked = new URLSearchParams(location.search);
form.b.append(...[...options.values()].map((option) => option.cloneNode(true)));
for (const select of [form.a, form.b]) {
  select.prepend(new Option("choose one", ""));
  select.value = options.has(asked.get(select.name)) ? asked.get(select.name) : "";
  select.addEventListener("change", choose);
}

// ---- the matrix on another column: the few rows that the document has it for

const of = page.querySelector(".wb-of");
const SIGNS = { better: "▲", worse: "▼", same: "≈" };
if (of) {
  const select = of.querySelector("select");
  select.addEventListener("change", async () => {
    const known = await document_();
    page.querySelector(".wb-on").textContent = select.value;
    if (select.value === known.order.by) { table.innerHTML = first; return; }
    const column = known.columns.find(({ id }) => id === select.value);
    const kinds = new Map(known.rows.map((row) => [row.key, row.kind]));
    const rows = known.close[column.id].rows.filter((key) => options.has(key) && kinds.get(key) !== "reference");
    const head = rows.slice(0, -1).map((key) => `<th scope="col" class="up">${name(key)}</th>`).join("");
    const body = rows.map((key, at) => `<tr><th scope="row" class="name">${name(key)}</th>${rows.slice(0, at).map((other) => {
      const found = close(known, column.id, key, other);
      const word = known.items < FEWEST ? "" : verdict(column, found.d, found);
      const link = escape(`?${new URLSearchParams({ a: key, b: other })}`);
      return `<td class="num${word ? ` is-${word}` : ""}"><a href="${link}">${number(found.d, column, true)}</a> ${SIGNS[word] || ""}<small>${pText(found.p)}</small></td>`;
    }).join("")}</tr>`).join("");
    table.innerHTML = `${table.caption.outerHTML}<thead><tr><th scope="col" class="name">system</th>${head}</tr></thead><tbody>${body}</tbody>`;
  });
}

if (form.a.value && form.b.value && form.a.value !== form.b.value) await show(form.a.value, form.b.value);
page.dataset.ready = "yes";
