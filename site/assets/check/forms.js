/* The form of a file that was refused, as scorer/reading/forms.py sees it: other separators, quotes, an index
   column, JSON, HTML. */

import { counted, fill, size } from "./language.js";

const most = (count, of) => 10 * count >= 9 * of;
const columnName = /^[A-Za-z][A-Za-z0-9_ -]{0,39}$/;

/** What finds the form of a file: `(lines, {faults, rows, trial}) => {found, advice, safe, first} | null`. */
export function forms(facts, say) {
  const { columns, key, forms: { longest, letters, separators, unsafe, headers, json }, wording } = facts;
  const quoted = Object.fromEntries(Object.keys(separators).map((separator) =>
    [separator, new RegExp(`"([^"]*(?:""[^"]*)*)"(?=[${separator}]|$)`, "y")]));

  const mayHaveIds = Boolean(key) && columns.length === 1;

  /** The cells of a line, at most so many, and how many of them stood in quotes. */
  function cut(text, separator, limit) {
    const cells = [];
    let quotes = 0;
    for (let start = 0; ; start += 1) {
      const pattern = quoted[separator];
      pattern.lastIndex = start;
      const match = pattern.exec(text);
      const last = cells.length === limit - 1;
      if (match && !(last && pattern.lastIndex < text.length)) {
        cells.push(match[1].replaceAll('""', '"'));
        quotes += 1;
        start = pattern.lastIndex;
      } else {
        const end = last ? -1 : text.indexOf(separator, start);
        cells.push(end < 0 ? text.slice(start) : text.slice(start, end));
        start = end < 0 ? text.length : end;
      }
      if (start >= text.length) return { cells, quotes };
    }
  }

  /** Whether a first line stands above a column that counts the others, and how many it does. Where there
      may be ids it must count all. */
  function index(first) {
    for (const named of [0, 1]) {
      for (const base of [0, 1]) {
        const body = first.slice(named);
        const count = body.filter((cell, i) => cell === String(i + base)).length;
        if (body.length > 1 && (mayHaveIds ? count === body.length : most(count, body.length))) return [named, count];
      }
    }
    return [0, 0];
  }

  const isHeader = (row) => (row.length === 1 ? headers.includes(say.lower(row[0].trim())) : row.every((cell) => columnName.test(cell)));
  const without = (text, separator) => { // a line without the separators at its end
    let end = text.length;
    while (end && text[end - 1] === separator) end -= 1;
    return text.slice(0, end);
  };

  /** The form with one separator and these columns; null if it is the right one. */
  function formOf(given, separator, names, rows) {
    const tabs = separator === "\t";
    const found = [];
    let texts = given;
    const ended = texts.filter((text) => text.endsWith(separator)).length;
    if (most(ended, texts.length)) {
      texts = texts.map((text) => without(text, separator));
      found.push([tabs ? "ends" : "separators", ended]);
    }
    const [named, indexed] = index(texts.map((text) => cut(text, separator, 2).cells[0]));
    const limit = names.length + (indexed ? 1 : 0);
    if (!tabs) {
      if (limit === 1) return null;
      found.unshift([separators[separator], texts.filter((text) => text.includes(separator)).length]);
    }
    const parts = texts.map((text) => cut(text, separator, tabs ? Infinity : limit));
    let quotes = parts.filter((one) => one.quotes).length;
    let cells = parts.map((one) => one.cells);
    if (tabs && !most(quotes, texts.length)) {
      cells = texts.map((text) => text.split("\t"));
      quotes = 0;
    }
    if (quotes) found.push(["quotes", quotes]);
    if (indexed) {
      cells = cells.map((row) => row.slice(1));
      found.push(["index", indexed]);
    }
    const head = cells[0];
    const wanted = (head.length ? names.slice(-head.length) : names).map(say.lower);
    const known = head.length === wanted.length && head.every((cell, i) => say.lower(cell.trim()) === wanted[i]);
    const first = head.length ? head[0] : "";
    if (named || known || (texts.length - 1 === rows && isHeader(head))) {
      cells = cells.slice(1);
      found.push(["header", 1]);
    }
    const more = cells.reduce((least, row) => Math.min(least, row.length), Infinity) - names.length;
    const spare = cells.length && more > 0 ? more : 0;
    if (spare === 1 && mayHaveIds && names.length === 1) return null; // these may be ids
    if (spare) {
      cells = cells.map((row) => row.slice(spare));
      found.push(["more", cells.length]);
    }
    if (!found.length || (known && found.length === 1 && found[0][0] === "header")) return null;
    if (names.length > columns.length && !tabs && cells.some((row) => row.length && row[0].includes(" "))) return null;
    return { found, first, columns: spare, content: cells.map((row) => `${row.join("\t")}\n`).join("") };
  }

  function* every(texts, rows) {
    const names = [columns, ...(mayHaveIds ? [[key, ...columns]] : [])];
    const tabs = texts.filter((text) => text.includes("\t")).length;
    for (const separator of Object.keys(separators)) {
      const parted = texts.filter((text) => text.includes(separator)).length;
      if (separator !== "\t" && (!most(parted, texts.length) || most(tabs, texts.length))) continue;
      for (const one of names) {
        const form = formOf(texts, separator, one, rows);
        if (form) yield form;
      }
    }
  }

  /** Whether the lines are one JSON array; of numbers only if it stands on one line. */
  function isArray(texts) {
    if (!texts.length || without(texts.at(-1), " ").at(-1) !== "]") return false;
    const start = /^ *\[ *(["{[0-9]|$)/.exec(texts[0]);
    return start !== null && (texts.length === 1 || !/[0-9]/.test(start[1]));
  }

  /** A document of another kind. */
  function document(texts) {
    const start = texts[0].replace(/^ +/, "").toLowerCase();
    if (start.startsWith("<!doctype html") || start.startsWith("<html")) return { found: [["html", 1]], columns: 0, first: "" };
    const objects = texts.filter((text) => text[0] === "{" && without(text, ",").at(-1) === "}").length;
    return !json && most(objects, texts.length) ? { found: [["json", objects]], columns: 0, first: "" } : null;
  }

  function told({ found, columns: spare, first, content = "" }, lines) {
    const many = counted(spare, "column");
    const values = { lines, columns: many, first: many.replace(/^1 /, "") };
    const listed = (table) => found.map(([name, count]) => fill(table[name], { ...values, count })).join(", ");
    return {
      header: found.length === 1 && found[0][0] === "header", first, content, safe: !found.some(([name]) => unsafe.includes(name)),
      found: listed(wording.forms), advice: listed(wording.form_advice),
    };
  }

  return function recognised(given, { faults, rows, trial }) {
    const texts = given.slice(0, given.findLastIndex((text) => text.length) + 1);
    if (isArray(texts)) return told({ found: [["array", 1]], columns: 0, first: "" }, texts.length);
    if (!texts.length || texts.some((text) => !text.length || size(text) > longest)) return null;
    if (texts.reduce((sum, text) => sum + size(text), 0) > letters) return null;
    const plain = document(texts);
    if (plain) return told(plain, texts.length);
    for (const form of every(texts, rows)) {
      const left = trial(form.content);
      if (left < faults && 10 * left <= texts.length) return told(form, texts.length);
    }
    return null;
  };
}
