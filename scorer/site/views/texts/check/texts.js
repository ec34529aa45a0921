/* aNLG: a text for each context, as scorer/tasks/texts/task.py reads and judges it. */

import { orderer } from "./answers.js";
import { counted } from "./language.js";
import { sha1 } from "./sha1.js";
import { chip, figures, foreign, make, opened, section } from "./show.js";
import { written } from "./written.js";

/** JSON as Python reads it, which knows NaN and Infinity besides. Throws what is none. */
export function parsed(text) {
  try {
    return JSON.parse(text);
  } catch (fault) {
    if (!/NaN|Infinity/.test(text)) throw fault;
    let inside = false;
    return JSON.parse(text.replace(/\\[^]|"|-?Infinity|NaN/g, (found) => {
      if (found === '"') inside = !inside;
      return inside || found === '"' || found[0] === "\\" ? found : " 0 "; // blanks: it joins no number
    }));
  }
}

const nests = (value) => typeof value === "object" && value !== null;
function shallow(record, levels) {
  let level = [record];
  for (let i = 0; i < levels; i += 1) level = level.filter(nests).flatMap((outer) => Object.values(outer));
  return !level.some(nests);
}

export function judging(facts, say, reader) {
  const { columns, own, annotations: [empty, answered] } = facts;
  const { read: answer, notes, finding } = written(facts, say, 0);
  const { inOrder, plainOrKeyed } = orderer(say);
  const contextId = (...given) => sha1(given.join("\t"));

  /** Whether a file is official JSON lines: it begins so, whatever marks and blanks stand before. */
  function isJson(bytes) {
    const blanks = [0xef, 0xbb, 0xbf, 0x20, 0x0d, 0x0a];
    const start = bytes.findIndex((byte) => !blanks.includes(byte));
    return start >= 0 && bytes[start] === 0x7b && [0x22, 0x20].includes(bytes[start + 1]);
  }

  /** `{obs1, obs2, model, text}` of a line of them, or null if it is no such record. */
  function record(line) {
    let found;
    try { found = parsed(line); } catch { return null; }
    if (!nests(found) || !nests(found.generations) || Array.isArray(found.generations)) return null;
    const entries = Object.entries(found.generations);
    const [model, answers] = entries[0] || [];
    if (entries.length !== 1 || !Array.isArray(answers) || answers.length !== 1) return null;
    const { obs1, obs2 } = found;
    const sound = [obs1, obs2, answers[0]].every((value) => typeof value === "string") && shallow(found, own.levels);
    return sound ? { obs1, obs2, model, text: answers[0] } : null;
  }

  /** Text that can be encoded, whatever a JSON escape made. */
  const plain = (text) => text.replace(/[\ud800-\udfff]/gu, "?");

  function generation(file, number, line, models) {
    const decoded = reader.text(number, line, file.problems);
    if (decoded === null) return null;
    const found = record(decoded);
    if (found === null) {
      file.problems.add(number, 1, "ART-JSON", "", { record: own.generation });
      return null;
    }
    const { obs1, obs2, model, text } = found;
    if (text.includes("\t") || !reader.mayStand(text)) {
      file.problems.add(number, 1, "ART-TEXT", "", { value: say.excerpt(text) });
      return null;
    }
    if (!models.has(model)) models.set(model, number);
    return [contextId(plain(obs1), plain(obs2)), text];
  }

  function generations(file, texts) {
    const lines = reader.lines(file, file.rows * own.lines_a_context);
    file.problems.rows(lines.length);
    const models = new Map();
    const said = new Map();
    let answers = [];
    for (const [i, line] of lines.entries()) {
      const found = generation(file, i + 1, line, models);
      if (found === null) continue;
      const [name, text] = found;
      if (said.has(name) && said.get(name) !== text) file.notes.add(i + 1, 1, "ART-LAST");
      said.set(name, text);
      answers.push([name, { line: i + 1, fields: [text], place: i + 1, start: 0 }]);
    }
    if (models.size > 1) {
      file.problems.add([...models.values()].at(-1), 1, "ART-JSON models", "", { models: counted(models.size, "model key") });
    }
    if (texts === null) answers = [...new Map(answers.map((one) => [one[0], one])).values()];
    const ids = texts && texts.map((context) => [contextId(...context)]);
    return inOrder(file, { answers, count: lines.length ? answers.length : null }, ids, own.context, true);
  }

  function read(file, texts) {
    if (own.official && isJson(file.bytes)) return generations(file, texts);
    const ids = texts && (() => texts.map((context, i) => [String(i + 1), contextId(...context)]));
    return plainOrKeyed(file, reader, own.key, columns, ids);
  }

  function counts(rows) {
    const words = rows.map((one) => one.words);
    return {
      annotations: Object.fromEntries([empty, answered].map((name) => [name, rows.filter((one) => one.annotation === name).length])),
      words: {
        least: words.reduce((a, b) => Math.min(a, b)), most: words.reduce((a, b) => Math.max(a, b)),
        mean: words.reduce((a, b) => a + b) / words.length,
      },
    };
  }

  return {
    read, answer, counts, notes,
    findings: ({ text }) => ({ broken: [], strict: finding(text) }),
    gradable: () => true, // whether there is a text is known without gold
    annotation: ({ strict }) => (strict.length ? empty : answered),
    scores: () => null,
  };
}

/** How the page shows one row, and what was counted. */
export function showing(facts, items) {
  const { inputs, annotations: [empty] } = facts;

  function verdict({ annotation, words }) {
    return [annotation === empty ? chip("wrong", "✗ empty") : chip(annotation ? "good" : "", counted(words, "word"))];
  }

  function body(row) {
    const texts = (items && items.texts[row.place - 1]) || [];
    const written = make("p", {}, foreign(row.text, 1000));
    if (!texts.length) return written;
    return make("div", {}, written, opened("Observations", () => texts.map((text, i) =>
      make("p", {}, make("b", {}, `${inputs[i]}: `), foreign(text, 1000)))));
  }

  function counts({ annotations, words: { least, most, mean } }) {
    const shown = Object.entries(annotations).map(([name, n]) => [name, String(n), counted(n, "text").replace(/^\d+ /, "")]);
    return section("Texts", figures([...shown, ["words a text", mean.toFixed(1), `from ${least} to ${most}`]]));
  }
  return { verdict, body, counts };
}
