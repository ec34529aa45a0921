/* One hint where nearly all graphs are written wrong in the same way, as scorer/tasks/graphs/slips.py says it. */

import { columnOf } from "./file.js";
import { compare, counted, fill, size } from "./language.js";

/** What tells it: `(rows, judged, notes)`. */
export function noter(facts, say) {
  const { kinds, letters, named, rows: fewest, quotes, separators, spaces } = facts.own.slips;
  const space = `[ ${spaces}]`;
  const isSpace = new RegExp(`^${space}$`, "u");
  const instead = new RegExp(`[${separators}]|->`, "u");
  const groups = [["between", /\)([^()]+)\(/u], ["quotes", new RegExp(`[(;\uff1b]${space}*([${quotes}])`, "u")],
    ["inside", new RegExp(`[^;\uff1b]([${spaces}])(?![;\uff1b])`, "u")]];

  const most = (count, rows) => rows >= fewest && count * 10 > rows * 9;
  const rulesOf = ({ broken, strict }) =>
    new Set([...broken.map((one) => one.rule), ...strict.map((one) => one.rule).filter((rule) => rule === "EG-SYNTAX")]);
  const tally = (names) => {
    const found = new Map();
    for (const name of names) found.set(name, (found.get(name) || 0) + 1);
    return found;
  };

  /** The first separator of parts that is not a semicolon and a space. */
  function separator(text) {
    let signs = [...text.matchAll(/[;\uff1b]/gu)];
    if (!signs.length) signs = [instead.exec(text)].filter(Boolean);
    for (const { 0: sign, index } of signs) {
      let [start, end] = [index, index + sign.length];
      while (start > 0 && isSpace.test(text[start - 1])) start -= 1;
      while (end < text.length && isSpace.test(text[end])) end += 1;
      if (text.slice(start, end) !== "; ") return { start, text: text.slice(start, end) };
    }
    return null;
  }

  /** The first slip of each kind. */
  function slips(text) {
    const found = new Map();
    const [opening, closing] = [text.indexOf("("), text.lastIndexOf(")")];
    if (text && opening < 0) found.set("open", { start: 0, text: [...text.slice(0, 2)][0] });
    if (opening > 0) found.set("before", { start: 0, text: text.slice(0, opening) });
    if (closing >= 0 && closing < text.length - 1) found.set("after", { start: closing + 1, text: text.slice(closing + 1) });
    const parts = separator(text);
    if (parts) found.set("parts", parts);
    for (const [kind, pattern] of groups) {
      const match = pattern.exec(text);
      if (match) found.set(kind, { start: match.index + match[0].indexOf(match[1], 1), text: match[1] });
    }
    return found;
  }

  /** A piece of a graph and the names of its signs; of one sign its name alone. */
  function worded(text) {
    const all = [...text];
    if (all.length === 1 && !say.alphanumeric(text)) return say.named(text);
    const cut = all.slice(0, letters);
    const signs = [...new Set(cut)].filter((letter) => !say.alphanumeric(letter)).slice(0, named);
    return `"${cut.join("")}${all.length > letters ? "..." : ""}"${signs.length ? ` (${signs.map(say.named).join(", ")})` : ""}`;
  }

  return function notes(rows, judged, told) {
    const total = judged.length;
    const rules = tally(judged.flatMap((one) => [...rulesOf(one)]));
    const broken = [...rules.keys()].filter((rule) => most(rules.get(rule), total));
    if (!broken.length) return;
    const graphs = counted(total, "graph");
    const found = judged.map(({ graph }) => slips(graph));
    const count = (kind) => found.filter((one) => one.has(kind)).length;
    const same = Object.keys(kinds).filter((kind) => most(count(kind), total));
    const column = (place) => columnOf(rows[place], rows[place].fields.length - 1);
    if (same.length) {
      const first = (kind) => found.find((one) => one.has(kind)).get(kind);
      const said = same.map((kind) => `${fill(kinds[kind], { text: worded(first(kind).text) })} in ${count(kind)}`);
      const place = found.findIndex((one) => one.has(same[0]));
      const before = judged[place].graph.slice(0, first(same[0]).start);
      told.add(judged[place].line, column(place) + size(before), "EG-SLIP", "", { slips: said.join(", "), graphs });
      return;
    }
    const firsts = tally(judged.filter((one) => one.broken.length).map((one) => one.broken[0].rule));
    const order = (a, b) => (firsts.get(b) || 0) - (firsts.get(a) || 0) || rules.get(b) - rules.get(a) || compare(a, b);
    const [cause] = broken.filter((rule) => rule !== "EG-SYNTAX").sort(order);
    if (cause === undefined) return;
    const place = judged.findIndex((one) => rulesOf(one).has(cause));
    const { detail } = judged[place].broken.find((one) => one.rule === cause);
    told.add(judged[place].line, column(place), "EG-SLIP rule", "rule",
      { rule: cause, count: rules.get(cause), graphs, detail: detail.replace(/\.$/u, ""), advice: facts.rules[cause].advice });
  };
}
