/* aNLI: which of two hypotheses, as scorer/tasks/texts/task.py reads and judges it. */

import { orderer, unanswered } from "./answers.js";
import { columnOf } from "./file.js";
import { chip, counts, countsHead, foreign, make, opened, section, table } from "./show.js";

/** The label of a row's first column, or that there is none; null after telling the problem. */
export function choice({ columns, own }, say, row, problems) {
  const label = row.fields[0].trim();
  if (own.labels.includes(label) || label === own.no_answer) return label;
  problems.add(row.line, columnOf(row, 0), "TSV-LABEL", own.numbers.includes(label) ? "numbers" : "",
    { name: columns[0], value: say.excerpt(row.fields[0]), labels: own.listed });
  return null;
}

export function judging(facts, say, reader) {
  const { columns, own, annotations: [wrong, right] } = facts;
  const { plainOrKeyed } = orderer(say);

  const missing = unanswered(facts, columns[0], own.no_answer);

  const idsOf = (texts) => (texts.every(([id]) => id) ? texts.map(([id]) => [id]) : []);

  function answer(row, problems) {
    const label = choice(facts, say, row, problems);
    return label === null ? null : { label };
  }

  /** How often each label was predicted where each is gold. */
  function confusion(rows, { labels }) {
    const taken = [...own.labels, ...(rows.some(({ label }) => label === own.no_answer) ? [own.no_answer] : [])];
    const found = Object.fromEntries(own.labels.map((gold) => [gold, Object.fromEntries(taken.map((label) => [label, 0]))]));
    for (const { place, label } of rows) found[labels[place - 1]][label] += 1;
    return found;
  }

  return {
    read: (file, texts) => plainOrKeyed(file, reader, own.key, columns, texts && (() => idsOf(texts))),
    answer,
    findings: ({ label }) => ({ broken: [], strict: label === own.no_answer ? [missing.finding] : [] }),
    notes: missing.note,
    gradable: (items) => items !== null && items.gold,
    annotation: ({ place, label }, { labels }) => (label === labels[place - 1] ? right : wrong),
    scores: (rows) => ({ accuracy: rows.filter((one) => one.annotation === right).length / rows.length }),
    counts: (rows, items) => ({ confusion: confusion(rows, items) }),
  };
}

/** How the page shows one row, and what was counted. */
export function showing(facts, items) {
  const { own, inputs, annotations: [, good] } = facts;
  const gold = ({ place }) => items.labels[place - 1];

  function verdict(row) {
    const label = row.label === own.no_answer ? "no answer" : `label: ${row.label}`;
    if (row.annotation === null) return [chip("", label)];
    const right = row.annotation === good;
    return [chip(right ? "good" : "wrong", `${right ? "✓" : "✗"} ${label}`),
      right ? null : make("small", {}, `gold: ${gold(row)}`)];
  }

  function body(row) {
    const texts = items && items.texts[row.place - 1];
    if (!texts) return "";
    const ids = own.key ? 1 : 0;
    const [id, read] = [texts.slice(0, ids), texts.slice(ids).map((text) => foreign(text, 1000))];
    const hypotheses = read.length - own.labels.length; // the last texts, one for each label
    const marks = (i) => {
      const label = own.labels[i - hypotheses];
      return [label === row.label && "predicted", items.labels && label === gold(row) && "gold"].filter(Boolean);
    };
    return opened("Texts", () => [...id.map((text) => make("p", {}, make("small", {}, foreign(text, 1000)))), ...read.map((text, i) =>
      make("p", {}, make("b", {}, `${inputs[i + ids]}: `), text, ...marks(i).flatMap((mark) => [" ", make("span", { class: "wb-badge" }, mark)])))]);
  }

  function confusion({ confusion: found }) {
    const taken = Object.keys(found[own.labels[0]]);
    const named = (label) => (label === own.no_answer ? "no answer" : `predicted ${label}`);
    const rows = own.labels.map((label) => make("tr", {}, make("th", { scope: "row", "data-head": "Gold " }, label),
      ...taken.map((predicted) => counts(named(predicted), found[label][predicted]))));
    return section("Gold and predicted labels",
      table("Rows by gold and predicted label", ["Gold", ...taken.map((label) => countsHead(label === own.no_answer ? "No answer" : `Predicted ${label}`))], rows));
  }
  return { verdict, body, counts: confusion };
}
