/* Explanation graphs, as scorer/tasks/graphs/task.py and graph_findings.py judge them. */

import { unanswered } from "./answers.js";
import { constraints } from "./constraints.js";
import { columnOf } from "./file.js";
import { pieces } from "./graph.js";
import { compare, counted, fill, first, size } from "./language.js";
import { chip, foreign, make, opened } from "./show.js";

export function judging(facts, say, reader) {
  const { columns, wording, own } = facts;
  const { labels, graph: rules } = own;
  const { finding, ofPieces } = constraints(facts, say);

  function* ofSyntax(graph) {
    const faults = [];
    let [position, counted, points, total] = [0, 0, 0, 0];
    const place = (index) => { // code points before this place, plus one; places only grow
      points += size(graph.slice(counted, index));
      counted = index;
      return points + 1;
    };
    const add = (make) => { total += 1; if (total <= own.limits.syntax) faults.push(make()); };
    const outside = (start, end) => add(() => {
      const text = graph.slice(start, end);
      const shown = size(text) <= 40 ? text : `${first(text, 40)}...`;
      return fill(own.syntax.outside, { text: say.repr(shown), place: place(start) });
    });
    for (const { 0: edge, index } of graph.matchAll(/\([^();\t]+; [^();\t]+; [^();\t]+\)/g)) {
      if (index > position) outside(position, index);
      for (const part of edge.slice(1, -1).split("; ")) {
        if (!part.startsWith(" ") && !part.endsWith(" ") && !part.includes("  ")) continue;
        add(() => fill(own.syntax.blanks, { part: say.repr(part), place: place(index) }));
      }
      position = index + edge.length;
    }
    if (!graph) add(() => own.syntax.empty);
    else if (position < graph.length) outside(position, graph.length);
    const beyond = total - faults.length;
    if (beyond > 0) faults.push(fill(own.syntax.more, { count: beyond }));
    for (const one of faults) yield finding("EG-SYNTAX", "EG-SYNTAX", { fault: one });
  }

  /** Broken constraints and strict findings of a graph; without texts none about them. */
  const diagnose = (contents, written) => ofPieces(contents, pieces(say.lower(written), rules.nodes), ofSyntax(written));

  // -- a file of them

  function answer(row, problems) {
    if (labels === null) return { label: null, graph: row.fields[0] };
    const [value, graph] = row.fields;
    if (labels.values.includes(value) || value === labels.no_answer) return { label: value, graph };
    const meant = say.lower(value.trim());
    const near = labels.values.find((label) => label === meant);
    problems.add(row.line, columnOf(row, 0), "TSV-LABEL", near === undefined ? "" : "near",
      { name: labels.name, value: say.excerpt(value), labels: labels.listed, near: say.repr(near || "") });
    return null;
  }

  const missing = labels && unanswered(facts, labels.name, labels.no_answer);

  /** The rule that more than 90 % of the graphs break, where there is one. */
  function commonFault(every, judgements, notes) {
    const drawn = every.map((row) => row.fields.at(-1) !== "-");
    const [rows, judged] = [every.filter((_, at) => drawn[at]), judgements.filter((_, at) => drawn[at])];
    const found = judged.map(({ broken, strict }) => [...broken, ...strict.filter(({ rule }) => rule === "EG-SYNTAX")]);
    const tally = (names) => names.reduce((counts, name) => counts.set(name, (counts.get(name) || 0) + 1), new Map());
    const counts = tally(found.flatMap((graph) => [...new Set(graph.map(({ rule }) => rule))]));
    const firsts = tally(judged.flatMap(({ broken }) => broken.slice(0, 1).map(({ rule }) => rule)));
    const common = [...counts.keys()].filter((rule) => counts.get(rule) * 10 > judged.length * 9);
    if (!common.length || judged.length < own.fewest_graphs) return;
    const [rule] = common.sort((a, b) => own.notation.includes(b) - own.notation.includes(a) || (firsts.get(b) || 0) - (firsts.get(a) || 0) || counts.get(b) - counts.get(a) || compare(a, b));
    const at = found.findIndex((graph) => graph.some((one) => one.rule === rule));
    const { detail } = found[at].find((one) => one.rule === rule);
    notes.add(judged[at].line, columnOf(rows[at], rows[at].fields.length - 1), "EG-SLIP", "rule",
      { rule, count: counts.get(rule), graphs: counted(judged.length, "graph"), detail: detail.replace(/\.$/u, ""), advice: facts.rules[rule].advice });
  }

  const [wrong, incorrect, correct] = facts.annotations;
  function annotation({ place, label, broken }, items) {
    if (items.labels && label !== items.labels[place - 1]) return wrong;
    return broken.length ? incorrect : correct;
  }

  return {
    read: (file) => reader.table(file, columns),
    answer, annotation,
    findings: ({ label, graph }, contents) => {
      const { broken, strict } = diagnose(contents, graph);
      return { broken, strict: labels && label === labels.no_answer ? [missing.finding, ...strict] : strict };
    },
    notes: (rows, judged, notes) => {
      if (labels) missing.note(rows, judged, notes);
      commonFault(rows, judged, notes);
    },
    gradable: (items) => items !== null && items.gold,
    scores: (rows) => ({
      SA: rows.filter((one) => one.annotation !== wrong).length / rows.length,
      StCA: rows.filter((one) => one.annotation === correct).length / rows.length,
    }),
    counts: () => null,
  };
}

/** How the page shows one row. */
export function showing(facts, items) {
  const { labels } = facts.own;

  function verdict(row) {
    const [wrong] = facts.annotations;
    const structure = row.broken.length ? chip("wrong", "✗ structure broken") : chip("good", "✓ structure correct");
    if (row.annotation === null || !labels) return [structure];
    const right = row.annotation !== wrong;
    const label = row.label === labels.no_answer ? "no answer" : row.label;
    return [chip(right ? "good" : "wrong", `${right ? "✓" : "✗"} ${labels.name}: ${label}`), structure,
      right ? null : make("small", {}, `gold: ${items.labels[row.place - 1]}`)];
  }

  function edges(row, most = 60) {
    const culprits = new Set(row.broken.flatMap((one) => one.edges));
    const parts = pieces(row.graph);
    return [
      make("ol", { class: "wb-edges" }, ...parts.slice(0, most).map((edge, i) => make("li",
        culprits.has(i) ? { class: "unreadable" } : {}, make("span", { class: "wb-mark" }, culprits.has(i) ? "!" : String(i + 1)),
        " ", foreign(edge.join("; "))))),
      parts.length > most ? make("p", {}, `and ${parts.length - most} more`) : "",
    ];
  }

  const texts = (row) => ((items && items.texts[row.place - 1]) || []).map((text, i) =>
    make("p", {}, make("b", {}, `${facts.inputs[i]}: `), foreign(text, 1000)));
  return { verdict, body: (row) => opened("Texts and edges", () => [...texts(row), ...edges(row)]), counts: () => null };
}
