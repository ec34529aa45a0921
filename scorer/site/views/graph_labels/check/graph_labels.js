/* Labels for texts and a graph, as scorer/tasks/graph_labels/task.py reads and judges them. */

import { unanswered } from "./answers.js";
import { columnOf } from "./file.js";
import { chip, counts, countsHead, foreign, make, opened, section, table } from "./show.js";

export function judging(facts, say, reader) {
  const { columns, own, annotations: [wrong, right] } = facts;
  const missing = [unanswered(facts, own.name, own.no_answer),
    unanswered(facts, own.without, own.no_answer, 1, ({ without }) => without)];
  const names = [...columns, own.without];

  /** Whether the first line has a tab: then every line has both labels. */
  function two({ bytes }) {
    for (const byte of bytes) {
      if (byte === 9) return true;
      if (byte === 10) return false;
    }
    return false;
  }

  function known(row, place, problems) {
    const value = row.fields[place];
    if (own.labels.includes(value) || value === own.no_answer) return true;
    const meant = say.lower(value.trim());
    const near = own.labels.find((label) => label === meant);
    problems.add(row.line, columnOf(row, place), "TSV-LABEL", near === undefined ? "" : "near",
      { name: names[place], value: say.excerpt(value), labels: own.listed, near: say.repr(near || "") });
    return false;
  }

  function answer(row, problems) {
    const sound = row.fields.map((_, place) => known(row, place, problems));
    const [label, without = null] = row.fields;
    return sound.includes(false) ? null : { label, without };
  }

  /** Rows by whether the label is right with the graph, then without it; null of files that do not tell. */
  function effects(rows, { labels }) {
    if (rows.some(({ without }) => without === null)) return null;
    const found = { [right]: { [right]: 0, [wrong]: 0 }, [wrong]: { [right]: 0, [wrong]: 0 } };
    for (const { place, without, annotation } of rows) found[annotation][without === labels[place - 1] ? right : wrong] += 1;
    return { effects: found };
  }

  return {
    read: (file) => reader.table(file, two(file) ? names : columns),
    answer,
    findings: (one) => ({ broken: [], strict: missing.filter(({ lacks }) => lacks(one)).map(({ finding }) => finding) }),
    notes: (...told) => missing.forEach(({ note }) => note(...told)),
    gradable: (items) => items !== null && items.gold,
    annotation: ({ place, label }, { labels }) => (label === labels[place - 1] ? right : wrong),
    scores: (rows) => ({ accuracy: rows.filter((one) => one.annotation === right).length / rows.length }),
    counts: effects,
  };
}

/** How the page shows one row. */
export function showing(facts, items) {
  const { own, annotations } = facts;
  const good = annotations[1];
  const read = (label) => (label === own.no_answer ? "no answer" : label);

  function verdict(row) {
    const without = row.without === null ? null : make("small", {}, `without the graph: ${read(row.without)}`);
    if (row.annotation === null) return [chip("", `${own.name}: ${read(row.label)}`), without];
    const right = row.annotation === good;
    return [chip(right ? "good" : "wrong", `${right ? "✓" : "✗"} ${own.name}: ${read(row.label)}`), without,
      right ? null : make("small", {}, `gold: ${items.labels[row.place - 1]}`)];
  }

  const texts = (row) => ((items && items.texts[row.place - 1]) || []).map((text, i) =>
    make("p", {}, make("b", {}, `${facts.inputs[i]}: `), foreign(text, 1000)));
  function lift({ effects: found }) {
    const [wrong, right] = annotations;
    const rows = [right, wrong].map((label) => make("tr", {}, make("th", { scope: "row", "data-head": "With the graph " }, label),
      ...[right, wrong].map((without) => counts(`${without} without it`, found[label][without]))));
    const gained = found[right][wrong] - found[wrong][right];
    return section("With and without the graph",
      table("Rows by whether the label is right with and without the graph", ["With the graph", countsHead("Right without it"), countsHead("Wrong without it")], rows),
      make("p", {}, `Lift from the graph: ${gained < 0 ? "\u2212" : "+"}${Math.abs(gained)} rows.`));
  }

  const body = (row) => (items && items.texts[row.place - 1] ? opened("Texts and graph", () => texts(row)) : "");
  return { verdict, body, counts: lift };
}
