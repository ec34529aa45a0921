/* A file as scorer/core/reading/tsv.py reads it: bytes, lines, characters, columns, their faults. */

import { counted, fill, compare, size } from "./language.js";

/** Where the first byte that is no part of UTF-8 stands; -1 if all are. */
export function fault(bytes) {
  for (let i = 0; i < bytes.length;) {
    const byte = bytes[i];
    if (byte < 0x80) { i += 1; continue; }
    const more = byte >= 0xc2 && byte <= 0xdf ? 1 : byte >= 0xe0 && byte <= 0xef ? 2 : byte >= 0xf0 && byte <= 0xf4 ? 3 : 0;
    const least = { 0xe0: 0xa0, 0xf0: 0x90 }[byte] || 0x80;
    const most = { 0xed: 0x9f, 0xf4: 0x8f }[byte] || 0xbf;
    if (!more || !(bytes[i + 1] >= least && bytes[i + 1] <= most)) return i;
    for (let k = 2; k <= more; k += 1) if (!(bytes[i + k] >= 0x80 && bytes[i + k] <= 0xbf)) return i;
    i += more + 1;
  }
  return -1;
}

/** Collects faults in the board's words: the first are kept, all are counted. */
export function collector(name, { limits, wording, rules }, say) {
  const [kept, late] = [[], []];
  const counts = new Map(); // by rule
  let [total, rows] = [0, 0];
  const add = (line, column, fault, hint = "", values = {}) => {
    const rule = fault.split(" ")[0];
    const known = counts.get(rule) || 0;
    counts.set(rule, known + 1);
    total += 1;
    if (kept.length === limits.shown && known) return;
    const problem = {
      path: name, line, column, rule,
      found: fill(wording.faults[fault].found, values),
      expected: fill(wording.faults[fault].expected, values),
      advice: hint ? fill(wording.hints[`${rule} ${hint}`], values) : rules[rule].advice,
    };
    const place = kept.length < limits.shown ? kept : late;
    place.push({ ...problem, text: say.safe(fill(wording.problem, problem)) });
  };
  const order = (a, b) => a.line - b.line || a.column - b.column ||
    ["rule", "found", "expected", "advice"].reduce((so, key) => so || compare(a[key], b[key]), 0);

  /** What a submitter reads: of each rule the first problems, of one that every row breaks the first, and how many more. */
  function told() {
    const shown = new Map();
    const lines = [];
    const most = (rule) => (counts.get(rule) === rows && rows > limits.first ? 1 : limits.first);
    for (const problem of [...kept, ...late].sort(order)) {
      const { rule } = problem;
      const nth = (shown.get(rule) || 0) + 1;
      shown.set(rule, nth);
      if (nth <= most(rule)) lines.push(problem);
      else if (nth === most(rule) + 1) lines.push(`${counts.get(rule) - most(rule)} more ${rule}`);
    }
    for (const [rule, count] of [...counts].sort(([a], [b]) => compare(a, b))) {
      const left = count - shown.get(rule);
      if (left && shown.get(rule) <= most(rule)) lines.push(`${left} more ${rule}`);
    }
    return lines;
  }
  return { add, told, rows: (many) => { rows = many; }, count: (rule) => counts.get(rule) || 0, has: (rule) => counts.has(rule), kept: () => [...kept], sorted: () => [...kept].sort(order), total: () => total };
}

/** The one-based character column at which a field of a row begins. */
export const columnOf = ({ fields, start }, index) =>
  fields.slice(0, index).reduce((sum, text) => sum + size(text) + 1, 1 + start);

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads `{bytes, rows, problems, notes}`: its lines, the text of a line, a table. */
export function reader(facts, say) {
  const { limits, characters, packed } = facts;
  const unwelcome = new RegExp(characters.unwelcome, "u");
  const controls = new RegExp(characters.controls, "u");

  /** The lines in bytes; none of a file that is refused. `rows`: about how many there should be. */
  function lines({ bytes, problems, notes }, rows) {
    if (bytes.length > limits.file) {
      problems.add(1, 1, "TSV-SIZE", "", { most: limits.file });
      return [];
    }
    if (!isText(bytes, problems)) return [];
    let content = bytes;
    if (content[0] === 0xef && content[1] === 0xbb && content[2] === 0xbf) {
      content = content.subarray(3);
      notes.add(1, 1, "TSV-BOM");
    }
    if (content.every((byte) => byte === 10 || byte === 13)) {
      problems.add(1, 1, "TSV-EMPTY");
      return [];
    }
    if (content.at(-1) === 10) content = content.subarray(0, -1);
    let ends = 0;
    for (const byte of content) ends += byte === 10;
    if (ends > 2 * rows + limits.spare_lines) {
      problems.add(rows + 1, 1, "TSV-ROWS", "", { count: counted(ends + 1, "line"), rows });
      return [];
    }
    return cut(content, notes);
  }

  /** Whether a file may be UTF-8, by its first bytes; what is packed or UTF-16 is told once. */
  function isText(bytes, problems) {
    const [kind] = Object.entries(packed).find(([, start]) => start.every((byte, i) => byte === bytes[i])) || [];
    const wide = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
    if (kind) problems.add(1, 1, "TSV-ENCODING packed", "packed", { kind });
    else if (wide) problems.add(1, 1, "TSV-ENCODING", "UTF-16", { byte: bytes[0].toString(16), place: 1 });
    return !kind && !wide;
  }

  /** Lines without their ends; it is said once that some ended in CR LF. */
  function cut(content, notes) {
    const found = [];
    let ended = 0;
    for (let start = 0, end; start <= content.length; start = end + 1) {
      end = content.indexOf(10, start);
      if (end < 0) end = content.length;
      const returned = end > start && content[end - 1] === 13;
      found.push(content.subarray(start, returned ? end - 1 : end));
      if (returned && !ended) ended = found.length;
    }
    if (ended) notes.add(ended, 1, "TSV-CRLF");
    return found;
  }

  /** A line's text, or null after telling that it is not UTF-8. */
  function text(number, line, problems) {
    try {
      return decoder.decode(line);
    } catch {
      const at = fault(line);
      problems.add(number, size(decoder.decode(line.subarray(0, at))) + 1, "TSV-ENCODING", "",
        { byte: line[at].toString(16).padStart(2, "0"), place: at + 1 });
      return null;
    }
  }

  /** Whether every character may stand in a field; each that may not is told once. */
  function welcome(number, given, problems) {
    if (!unwelcome.test(given)) return true;
    const known = new Set();
    let [column, told] = [0, 0];
    for (const letter of given) {
      column += 1;
      if (known.has(letter)) continue;
      known.add(letter);
      if (!unwelcome.test(letter)) continue;
      const code = letter.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
      if (letter === "\r") problems.add(number, column, "TSV-CR");
      else if (controls.test(letter)) problems.add(number, column, "TSV-CONTROL", letter === "\0" ? "NUL" : "", { code });
      else problems.add(number, column, "TSV-INVISIBLE", "", { code });
      told += 1;
      if (told === limits.shown) break;
    }
    return false;
  }

  function shaped(number, given, columns, problems) {
    let count = 1;
    for (let tab = given.indexOf("\t"); tab >= 0; tab = given.indexOf("\t", tab + 1)) count += 1;
    if (count !== columns.length) {
      problems.add(number, 1, "TSV-COLUMNS", given.startsWith("version https://git-lfs") ? "git lfs" : "",
        { given: counted(count, "column"), wanted: counted(columns.length, "column"), names: columns.join(", ") });
      return null;
    }
    const row = { line: number, fields: given.split("\t"), place: number, start: 0 };
    let sound = true;
    for (const [index, value] of row.fields.entries()) {
      if (value.length * 3 <= limits.field) continue;
      const bytes = new TextEncoder().encode(value).length;
      if (bytes <= limits.field) continue;
      problems.add(number, columnOf(row, index), "TSV-FIELD", "", { size: bytes, most: limits.field, name: columns[index] });
      sound = false;
    }
    return sound ? row : null;
  }

  function row(number, line, columns, problems) {
    const given = text(number, line, problems);
    return given !== null && welcome(number, given, problems) ? shaped(number, given, columns, problems) : null;
  }

  /** Rows that could be read, and how many lines stand for items; `header`: whether the first may name the
      columns, `empty`: whether an empty line is a fault ("item") or an empty text, unless it is behind the last item. */
  function table(file, columns, { header = false, empty = facts.empty_line } = {}) {
    const cells = lines(file, file.rows);
    if (!cells.length) return { found: [], count: null };
    const spare = cells.length - 1 === file.rows;
    const names = [...columns.map(say.lower), ...(columns.length > 1 || spare ? facts.headers : [])];
    const isHeader = ({ fields }) => {
      const cells = fields.map((value) => say.lower(value.trim()));
      return new Set(cells).size === cells.length && cells.some((one) => names.includes(one))
        && cells.every((one) => names.includes(one) || /^[A-Za-z][A-Za-z0-9_-]{0,39}$/.test(one));
    };
    const [found, blank] = [[], []];
    let named = 0;
    for (const [i, line] of cells.entries()) {
      const one = line.length ? row(i + 1, line, columns, file.problems) : null;
      if (!line.length) {
        blank.push(i + 1);
      } else if (one !== null && i === 0 && isHeader(one)) {
        if (!header) file.problems.add(1, 1, "TSV-HEADER", "", { name: say.excerpt(one.fields[0]) });
        named = 1;
      } else if (one !== null) {
        found.push(one);
      }
    }
    file.problems.rows(cells.length - named - blank.length);
    const texts = blank.filter((number) => empty === "text" && number - named <= file.rows);
    for (const number of blank.slice(texts.length)) file.problems.add(number, 1, "TSV-BLANK");
    const rows = texts.map((number) => ({ line: number, fields: [""], place: number, start: 0 }));
    return { found: [...found, ...rows].sort((a, b) => a.line - b.line), count: cells.length - named - blank.length + texts.length };
  }

  return { lines, text, table, welcome, mayStand: (given) => !unwelcome.test(given) };
}
