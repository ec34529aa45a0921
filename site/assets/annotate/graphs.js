/* Graphs that annotators write, as scorer/people/answers.py reads and judges them. */

import { constraints } from "../check/constraints.js";
import { BETWEEN, strip, words } from "./form.js";

const OF_COUNTS = ["EG-FEW-FACTS", "EG-MANY-FACTS"];
const OF_A_FACT = ["EG-EMPTY", "EG-CHAR", "EG-LONG", "EG-REL", "EG-SELF"];
const AFTER = ["EG-DUP", "EG-DISCONNECTED", "EG-CYCLE", "EG-TEXT-CONCEPTS"];
const known = [...OF_COUNTS, ...OF_A_FACT, ...AFTER];
export const key = (fact) => fact.join("\n");

export const written = (facts) => facts.map((fact) => `(${fact.join("; ")})`).join("");

/** Whether an English phrase is likely a plural. */
const many = (phrase) => /(?:[^sui]s|people|men|children)$/i.test(phrase.trim());
/** A fact as a sentence; `readings`: what stands between the concepts, by relation: `is`, or `is|are` for one and many. */
export function sentence([source, relation, target], readings = {}) {
  const [one, more = one] = (Object.hasOwn(readings, relation) ? readings[relation] : relation).split("|");
  const parts = [source, many(source) ? more : one, target].map((part) => part.trim() || "…");
  const text = parts.join(" ");
  return `${text[0].toUpperCase()}${text.slice(1)}.`;
}

// ---- rows of a graph that is being written, as a draft has them (graph_rows.js)

export const isBlank = ({ fact, old }) => old === null && fact.every((part) => !strip(part));
/** Whether a draft's answer is rows; else it is a bracketed string, as a file has it. */
export const isRows = (value) => value !== null && typeof value === "object" && Array.isArray(value.rows);

/** The facts that rows say, as they were typed; empty rows say none. */
export const factsOf = ({ rows }) => saying(rows).map((place) => rows[place].fact);
/** The places of the rows that say something: the first fact stands in the first of them. */
export const saying = (rows) => [...rows.keys()].filter((place) => !rows[place].gone && !isBlank(rows[place]));

/** What a refined graph keeps, adds and removes; facts must be normalised. */
export function diff(old, now) {
  const [before, after] = [old, now].map((facts) => new Set(facts.map(key)));
  return {
    kept: now.filter((fact) => before.has(key(fact))),
    added: now.filter((fact) => !before.has(key(fact))),
    removed: old.filter((fact) => !after.has(key(fact))),
  };
}

export function graphs(facts, say, said) {
  const { own, wording } = facts;

  /** A fact in lower case, with single spaces. */
  const normalised = (fact) => fact.map((part) => words(say.lower(part)).join(" "));

  /** `{facts, fault}` of a bracketed string; an empty one has no facts. */
  function read(cell) {
    const text = strip(cell);
    if (!text) return { facts: [], fault: null };
    if (!(text.startsWith("(") && text.endsWith(")"))) {
      return { facts: [], fault: said("EG-SYNTAX", "", { where: `it is ${say.excerpt(text, 60)}` }) };
    }
    const found = [];
    for (const [index, part] of text.slice(1, -1).split(BETWEEN).entries()) {
      const parts = part.split(";");
      if (parts.length !== 3) {
        return { facts: [], fault: said("EG-SYNTAX", index + 1, { where: `fact ${index + 1} has ${parts.length} parts` }) };
      }
      found.push(normalised(parts));
    }
    return { facts: found, fault: null };
  }

  const idOf = ({ rule }) => (known.includes(rule) ? rule : "EG-TEXT-CONCEPTS");
  function place(finding) {
    const rule = idOf(finding);
    const number = finding.edges.length ? finding.edges[0] : Infinity;
    if (OF_COUNTS.includes(rule)) return [0, 0, OF_COUNTS.indexOf(rule)];
    if (OF_A_FACT.includes(rule)) return [1, number, OF_A_FACT.indexOf(rule)];
    return [2 + AFTER.indexOf(rule), rule === "EG-DUP" ? number : 0, 0];
  }
  function inOrder(one, other) {
    const [a, b] = [place(one), place(other)];
    const at = a.findIndex((value, i) => value !== b[i]);
    return at < 0 ? 0 : a[at] - b[at];
  }

  /** The number of the fact at fault, or how many concepts are in a text with too few. */
  function about(one) {
    const rule = idOf(one);
    if ([...OF_A_FACT, "EG-DUP"].includes(rule) && one.edges.length) return String(one.edges[0] + 1);
    return rule === "EG-TEXT-CONCEPTS" ? String(one.concepts.length) : "";
  }

  /** `[errors, warnings]`: what the facts of a graph break, and what to look at. */
  function check(form, item, listed) {
    const judge = constraints({ own: { ...own, graph: form.rules, texts: form.texts }, wording }, say);
    const { broken, strict } = judge.ofPieces(form.texts.map(({ name }) => item.texts[name]), listed);
    const inside = (one) => one.rule === "EG-W-INSIDE";
    const told = [...broken, ...strict].filter((one) => !inside(one)).sort(inOrder);
    return [told.map((one) => ({ rule: one.rule, text: one.detail, about: about(one) })),
      strict.filter(inside).map((one) => ({ rule: one.rule, text: one.detail, about: one.concepts[0] ?? "" }))];
  }
  return { normalised, read, check };
}
