/* What `scorer check` says of a predictions file, and what can be counted against public gold; the form of a refused
   file, and a corrected copy of it. In a worker it checks what the page sends. */

import { collector, fault, reader } from "./file.js";
import { KINDS } from "./kinds.js";
import { counted, language } from "./language.js";

// ---- what a refused file looks like as a whole, as scorer/core/reading/tsv.py sees it: other separators, quotes, JSON

/** What finds the form of lines of text: `(lines) => {name, count, lines} | null`. */
function forms(facts) {
  const { columns, empty_line: emptyLine, forms: { separators, json } } = facts;

  /** What lines may have that no predictions file has, and how many do. */
  function* features(texts) {
    const count = (has) => texts.filter(has).length;
    const start = texts[0].replace(/^ +/, "").toLowerCase();
    yield ["html", start.startsWith("<!doctype html") || start.startsWith("<html") ? texts.length : 0];
    if (!json) yield ["json", count((one) => /^(\{.*\}|\[ *[[{"].*\]),*$/su.test(one))];
    if (columns.length > 1 || emptyLine !== "text") {
      for (const [name, separator] of Object.entries(separators)) {
        const bare = new RegExp(`[${separator}](?! )`, "u"); // in texts a space follows
        yield [name, count((one) => bare.test(one) && !one.includes("\t"))];
      }
    }
    if (columns.length > 1) {
      yield ["quotes", count((one) => one[0] === '"' && one.includes('"\t"'))];
      yield ["ends", count((one) => one.at(-1) === "\t" && one.split("\t").length === columns.length + 1)];
    }
  }

  return function recognised(texts) {
    for (const [name, count] of texts.length ? features(texts) : []) {
      if (10 * count >= 9 * texts.length) return { name, count, lines: texts.length };
    }
    return null;
  };
}

// ---- a file without what is around its answers, never an answer: what `scorer check --fix` writes (scorer/scoring/fixing.py)

const lines = (text) => text.split("\n").length - 1;

/** How many such signs stand at the end; a regular expression would look at each run of them again and again. */
function atEnd(text, sign) {
  let start = text.length;
  while (start && text[start - 1] === sign) start -= 1;
  return text.length - start;
}

/** A line without the empty columns at its end that are too many. */
function withoutTabs(line, columns) {
  const ends = atEnd(line, "\t");
  return line.slice(0, line.length - Math.max(0, Math.min(ends, line.split("\t").length - columns)));
}

/** How many empty lines at the end answer no item: the first `rows` lines answer one each. */
function spareLines(text, rows) {
  const ends = atEnd(text, "\n");
  return ends < text.length ? Math.max(0, Math.min(ends - 1, lines(text) - rows)) : 0;
}

/** The corrected text, and what is gone. `faulty(text, rule)`: lines that break a rule. */
function corrected(given, { columns, rows, faulty }) {
  const what = [];
  let text = given;
  const become = (next, words) => { text = next; what.push(words); };
  if (text[0] === "\ufeff") become(text.slice(1), "the byte order mark");
  if (text.includes("\r")) {
    const ends = text.includes("\n") ? "\r\n" : "\r";
    const count = text.split(ends).length - 1;
    if (count) become(text.replaceAll(ends, "\n"), `${ends === "\r" ? "CR" : "CR LF"} at the end of ${counted(count, "line")}`);
  }
  const wide = columns === 1 && text.split("\n", 1)[0].includes("\t") ? 2 : columns;
  const wrong = faulty(text, "TSV-COLUMNS");
  const before = text.split("\n");
  const after = before.map((line, i) => (wrong.has(i + 1) ? withoutTabs(line, wide) : line));
  const shorter = after.filter((line, i) => line !== before[i]).length;
  if (shorter) become(after.join("\n"), `tabs at the end of ${counted(shorter, "line")}`);
  if (faulty(text, "TSV-HEADER").has(1)) become(text.slice(text.indexOf("\n") + 1 || text.length), "the header");
  const spare = spareLines(text, wide === 1 ? rows : 0);
  if (spare) become(text.slice(0, -spare), `${counted(spare, "empty line")} at the end`);
  return { text, what };
}

// ---- the report

/** What checks predictions for one board: `(bytes, {name, split, items}) => report`. */
export function judge(facts) {
  const say = language();
  const read = reader(facts, say);
  const kind = KINDS[facts.task].judging(facts, say, read);
  const recognised = forms(facts);

  function wrongNumber(count, rows, problems) {
    problems.add(Math.max(1, Math.min(count, rows + 1)), 1, "TSV-ROWS", count > rows ? "remove" : "add",
      { count: counted(count, "row"), rows, difference: counted(Math.abs(count - rows), "row") });
  }

  /** The rows of a file and what they answer; what is wrong goes to its problems. */
  function answered(file, name, texts) {
    const [problems, notes] = [collector(name, facts, say), collector(name, facts, say)];
    const { found, count } = kind.read({ ...file, problems, notes }, texts);
    const answers = found.map((row) => [row, kind.answer(row, problems)]).filter(([, answer]) => answer);
    const empty = problems.count("TSV-BLANK"); // an empty line may stand for the row that lacks
    if (count !== null && ![count, count + empty].includes(file.rows)) wrongNumber(count, file.rows, problems);
    return { problems, notes, found, answers };
  }

  /** The form of a refused file, if it has one. */
  function formOf(file) {
    const quiet = { add() {}, total: () => 0 };
    const given = read.lines({ ...file, problems: quiet, notes: quiet }, file.rows);
    if (given.length > facts.forms.most_lines) return null;
    const lines = given.map((line) => read.text(1, line, quiet));
    if (lines.some((line) => line === null || !read.mayStand(line))) return null;
    return recognised(lines);
  }

  function formProblem(form, name) {
    const problems = collector(name, facts, say);
    const { columns } = facts;
    problems.add(1, 1, `TSV-FORM ${form.name}`, `TSV-FORM ${form.name}` in facts.wording.hints ? form.name : "", { ...form, wanted: counted(columns.length, "column"), names: columns.join(", ") });
    return problems;
  }

  /** A corrected copy of a file, what is gone from it, and how many faults are left; null if there is none. */
  function correct(bytes, { name, split, items = null }) {
    const { rows } = facts.splits[split];
    const texts = items && items.texts;
    if (bytes.length > facts.limits.file || !bytes.length || fault(bytes) >= 0) return null;
    const file = (text) => ({ bytes: new TextEncoder().encode(text), rows });
    const faulty = (text, rule) => {
      const found = new Set();
      const add = (line, column, known) => { if (known.split(" ")[0] === rule) found.add(line); };
      const problems = { add, rows() {}, total: () => 0 };
      kind.read({ ...file(text), problems, notes: { add() {}, total: () => 0 } }, texts);
      return found;
    };
    const left = (text) => answered(file(text), name, texts).problems.total();
    const made = corrected(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes), { columns: facts.columns.length, rows, faulty });
    return made.what.length ? { ...made, left: left(made.text) } : null;
  }

  /** What is wrong with a file; `bytes` may hold one more than is read of any. */
  function check(bytes, { name, split, items = null }) {
    const { rows } = facts.splits[split];
    const texts = items && items.texts;
    let { problems, notes, found, answers } = answered({ bytes, rows }, name, texts);
    const form = problems.total() ? formOf({ bytes, rows }) : null;
    if (form) [problems, found, answers] = [formProblem(form, name), [], []];
    const graded = problems.total() === 0 && kind.gradable(items);
    const placed = items && !["TSV-ROWS", "TSV-BLANK", "TSV-HEADER"].some(problems.has); // else a row may answer another item
    const judged = answers.map(([{ line, place }, answer]) => {
      const one = { line, place, ...answer, ...kind.findings(answer, (placed && items.texts[place - 1]) || []) };
      return { ...one, annotation: graded ? kind.annotation(one, items) : null };
    });
    if (!form) kind.notes(answers.map(([row]) => row), judged, notes);
    return {
      total: problems.total(), problems: problems.sorted(), told: problems.told(), notes: notes.kept(), read: found.length, rows: judged,
      scores: graded ? kind.scores(judged) : null, counts: graded ? kind.counts(judged, items) : null,
    };
  }
  return Object.assign(check, { correct });
}

if (typeof WorkerGlobalScope !== "undefined") {
  self.onmessage = ({ data: { id, facts, bytes, options } }) => {
    const check = judge(facts);
    const report = check(bytes, options);
    const fixed = report.total || report.notes.length ? check.correct(bytes, options) : null;
    self.postMessage({ id, report, fixed });
  };
}
