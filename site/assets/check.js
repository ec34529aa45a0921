/* Whyboard's checker: judges a predictions file in the browser as `scorer check` does, by the facts
   and the words that scorer/website/checker.py exports. It is the page's script and, in a worker,
   the judge. Nothing is sent anywhere. Tests hold it to the program's answers, case by case. */

// ---- text, as the program's language sees it: code points, its own Unicode, its own quoting

/** Lengths, letters and quotes of text; `unassigned` are the code points that it does not know. */
export function language(characters) {
  const unknown = new RegExp(characters.unassigned, "u");
  const everyUnknown = new RegExp(characters.unassigned, "gu");
  const ascii = (text) => /^[\0-\x7f]*$/.test(text);

  const printable = (letter) =>
    letter === " " || !(/[\p{C}\p{Z}]/u.test(letter) || unknown.test(letter));
  const alphanumeric = (letter) => /[\p{L}\p{N}]/u.test(letter) && !unknown.test(letter);

  function lower(text) {
    if (ascii(text)) return text.toLowerCase();
    const kept = [];
    const held = text.replace(everyUnknown, (letter) => { kept.push(letter); return "\ue000"; });
    const low = held.toLowerCase();
    return kept.length ? low.replace(/\ue000/g, () => kept.shift()) : low;
  }

  function escape(letter) {
    const code = letter.codePointAt(0);
    const digits = code.toString(16);
    if (letter === "\n" || letter === "\r" || letter === "\t") return { "\n": "\\n", "\r": "\\r", "\t": "\\t" }[letter];
    if (code < 0x100) return "\\x" + digits.padStart(2, "0");
    return code < 0x10000 ? "\\u" + digits.padStart(4, "0") : "\\U" + digits.padStart(8, "0");
  }
  function quoted(text, plain) {
    const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
    let out = quote;
    for (const letter of text) {
      if (letter === quote || letter === "\\") out += "\\" + letter;
      else out += plain(letter) ? letter : escape(letter);
    }
    return out + quote;
  }
  const repr = (text) => quoted(text, printable);

  function excerpt(text, limit = 80) {
    const short = quoted(first(text, limit), (letter) => letter >= " " && letter <= "~");
    if (size(text) <= limit && short.length <= limit) return short;
    return short.slice(0, limit - 1) + short[0] + "...";
  }

  /** A message that neither moves a terminal nor commands a workflow runner, on one line. */
  function safe(message) {
    let plain = "";
    for (const letter of message) plain += letter === "\n" || printable(letter) ? letter : escape(letter);
    return plain.replace(/^( *):(?=:)/gm, "$1\\x3a").replaceAll("##[", "#\\x23[").replaceAll("\n", "\\n");
  }
  return { lower, alphanumeric, printable, repr, excerpt, safe };
}

const astral = (text) => /[\ud800-\udbff]/.test(text);
function size(text) {
  if (!astral(text)) return text.length;
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
function first(text, most) {
  return astral(text.slice(0, 2 * most)) ? [...text.slice(0, 2 * most)].slice(0, most).join("") : text.slice(0, most);
}
const counted = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
const fill = (template, values) => template.replace(/\{(\w+)\}/g, (_, name) => values[name]);

/** Order by code points; the browser's own is by halves of pairs. */
function compare(a, b) {
  const least = Math.min(a.length, b.length);
  for (let i = 0; i < least; i += 1) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (x === y) continue;
    const [high, low] = [x, y].map((unit) => unit >= 0xd800 && unit <= 0xdfff);
    return high === low ? x - y : high - low;
  }
  return a.length - b.length;
}

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

// ---- the nearest relation: Ratcliff and Obershelp, as Python's difflib has it

function matched(a, b) {
  let [size, x, y] = [0, 0, 0];
  let ends = [];
  for (let i = 0; i < a.length; i += 1) {
    const now = [];
    for (let j = 0; j < b.length; j += 1) {
      if (a[i] !== b[j]) continue;
      now[j] = ((j && ends[j - 1]) || 0) + 1;
      if (now[j] > size) [size, x, y] = [now[j], i - now[j] + 1, j - now[j] + 1];
    }
    ends = now;
  }
  if (!size) return 0;
  return size + matched(a.slice(0, x), b.slice(0, y)) + matched(a.slice(x + size), b.slice(y + size));
}
function nearest(relation, relations) {
  const word = [...first(relation, 60)];
  let best = { ratio: 0.8, name: "" };
  for (const name of relations) {
    const letters = [...name];
    const length = letters.length + word.length;
    const ratio = length ? (2 * matched(letters, word)) / length : 1;
    const better = ratio > best.ratio || (ratio === best.ratio && compare(name, best.name) > 0);
    if (better) best = { ratio, name };
  }
  return best.name;
}

// ---- graphs

const pieces = (graph) => [...graph].slice(1, -1).join("").split(")(").map((edge) => edge.split("; "));
const unique = (values) => [...new Set(values)];
const conceptsOf = (edges) => unique(edges.flatMap(([source, , target]) => [source, target]));

function components(edges) {
  const parent = new Map();
  const root = (concept) => {
    if (!parent.has(concept)) parent.set(concept, concept);
    while (parent.get(concept) !== concept) {
      parent.set(concept, parent.get(parent.get(concept)));
      concept = parent.get(concept);
    }
    return concept;
  };
  for (const [source, , target] of edges) {
    const above = root(source);
    parent.set(root(target), above);
  }
  const groups = new Map();
  for (const concept of conceptsOf(edges)) {
    const key = root(concept);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(concept);
  }
  return [...groups.values()];
}

function cycle(edges) {
  const targets = new Map();
  for (const [source, , target] of edges) {
    if (!targets.has(source)) targets.set(source, []);
    targets.get(source).push(target);
  }
  const finished = new Set();
  for (const start of targets.keys()) {
    if (finished.has(start)) continue;
    const path = [start];
    const onPath = new Set(path);
    const waiting = [targets.get(start).values()];
    while (path.length) {
      const { value: next, done } = waiting.at(-1).next();
      if (done) {
        const left = path.pop();
        finished.add(left);
        onPath.delete(left);
        waiting.pop();
      } else if (onPath.has(next)) {
        return [...path.slice(path.indexOf(next)), next];
      } else if (!finished.has(next)) {
        path.push(next);
        onPath.add(next);
        waiting.push((targets.get(next) || []).values());
      }
    }
  }
  return [];
}

/** A judge of predictions for one board: `(bytes, {name, split, items, size}) => report`. */
export function judge(facts) {
  const { limits, wording, graph: rules, texts, labels, columns } = facts;
  const say = language(facts.characters);
  const unwelcome = new RegExp(facts.characters.unwelcome, "u");
  const controls = new RegExp(facts.characters.controls, "u");
  const relations = new Set(rules.relations);

  // -- one graph

  const finding = (rule, key, values, edges = [], concepts = []) =>
    ({ rule, detail: fill(wording.details[key], values), edges, concepts });

  function capped(found) {
    const kept = new Map();
    for (const one of found) {
      if (!kept.has(one.rule)) kept.set(one.rule, []);
      kept.get(one.rule).push(one);
    }
    return [...kept].flatMap(([rule, same]) => {
      const more = same.length - limits.of_a_rule;
      return more > 0 ? [...same.slice(0, limits.of_a_rule), finding(rule, "more", { count: more })] : same;
    });
  }

  function* ofCounts(parts) {
    if (parts.length < rules.least_edges) {
      yield finding("EG-FEW-FACTS", "EG-FEW-FACTS", { edges: counted(parts.length, "edge"), least: rules.least_edges });
    }
    if (rules.most_edges !== null && parts.length > rules.most_edges) {
      yield finding("EG-MANY-FACTS", "EG-MANY-FACTS", { count: parts.length, most: rules.most_edges });
    }
  }

  function* ofEdges(parts, numbered) {
    for (const [index, part] of parts.entries()) {
      if (part.length !== 3) yield finding("EG-PARTS", "EG-PARTS", { number: index + 1, parts: part.length }, [index]);
    }
    for (const [index, [source, relation, target]] of numbered) {
      const number = index + 1;
      for (const concept of unique([source, target])) {
        const words = concept.split(" ").length;
        if (concept === "") {
          yield finding("EG-EMPTY", "EG-EMPTY", { number }, [index]);
        } else if (rules.concept_words !== null && words > rules.concept_words) {
          yield finding("EG-LONG", "EG-LONG", { number, concept, words, most: rules.concept_words }, [index], [concept]);
        }
      }
      if (!relations.has(relation)) {
        const near = index < limits.of_a_rule ? nearest(relation, rules.relations) : "";
        yield finding("EG-REL", near ? "EG-REL near" : "EG-REL", { number, relation, near }, [index]);
      }
      if (rules.acyclic && source === target) {
        yield finding("EG-SELF", "EG-SELF", { number, concept: source }, [index], [source]);
      }
    }
  }

  function* ofShape(numbered) {
    const edges = numbered.map(([, edge]) => edge);
    const groups = components(edges);
    if (rules.connected && groups.length > 1) {
      const apart = new Set(groups.slice(1).flat());
      const culprits = numbered.filter(([, [source]]) => apart.has(source)).map(([index]) => index);
      const parts = groups.slice(0, 4).map((group) => group.slice(0, 4).join(", ")).join(" / ");
      yield finding("EG-DISCONNECTED", "EG-DISCONNECTED", { count: groups.length, parts },
        culprits.slice(0, limits.culprits), [...apart].sort(compare).slice(0, limits.culprits));
    }
    const circle = rules.acyclic ? cycle(edges) : [];
    if (circle.length) {
      const steps = new Set(circle.slice(1).map((concept, i) => `${circle[i]}\n${concept}`));
      const culprits = numbered.filter(([, [source, , target]]) => steps.has(`${source}\n${target}`));
      const shown = circle.slice(0, 12).join(" → ") + (circle.length > 12 ? " → ..." : "");
      yield finding("EG-CYCLE", "EG-CYCLE", { circle: shown },
        culprits.map(([index]) => index).slice(0, limits.culprits), unique(circle).slice(0, limits.culprits));
    }
  }

  function* ofTexts(contents, concepts) {
    for (const [i, text] of texts.entries()) {
      const inside = concepts.filter((concept) => contents[i].includes(concept));
      if (inside.length >= text.concepts) continue;
      const values = { count: counted(inside.length, "concept"), text: text.name, least: text.concepts, concepts: inside.join(", ") };
      yield finding(`EG-${text.name.toUpperCase()}-CONCEPTS`, inside.length ? "EG-TEXT-CONCEPTS" : "EG-TEXT-CONCEPTS none", values, [], inside);
    }
  }

  function* ofStrictEdges(count, numbered) {
    if (rules.strict_most_edges !== null && count > rules.strict_most_edges) {
      yield finding("EG-MANY-FACTS", "EG-MANY-FACTS strict", { count, most: rules.strict_most_edges });
    }
    const seen = new Map();
    for (const [index, edge] of numbered) {
      const key = edge.join("\n");
      if (seen.has(key)) yield finding("EG-DUP", "EG-DUP", { number: index + 1, first: seen.get(key) + 1 }, [index]);
      else seen.set(key, index);
      const odd = unique([edge[0], edge[2]]).filter((concept) => /[();\t]/.test(concept));
      if (odd.length) yield finding("EG-CHAR", "EG-CHAR", { number: index + 1, concept: odd[0] }, [index], odd);
    }
  }

  function* ofSyntax(graph) {
    const faults = [];
    let [position, counted, points, total] = [0, 0, 0, 0];
    const place = (index) => { // code points before this place, plus one; places only grow
      points += size(graph.slice(counted, index));
      counted = index;
      return points + 1;
    };
    const add = (make) => { total += 1; if (total <= limits.syntax) faults.push(make()); };
    const outside = (start, end) => add(() => {
      const text = graph.slice(start, end);
      const shown = size(text) <= 40 ? text : `${first(text, 40)}...`;
      return fill(wording.syntax.outside, { text: say.repr(shown), place: place(start) });
    });
    for (const { 0: edge, index } of graph.matchAll(/\([^();\t]+; [^();\t]+; [^();\t]+\)/g)) {
      if (index > position) outside(position, index);
      for (const part of edge.slice(1, -1).split("; ")) {
        if (!part.startsWith(" ") && !part.endsWith(" ") && !part.includes("  ")) continue;
        add(() => fill(wording.syntax.blanks, { part: say.repr(part), place: place(index) }));
      }
      position = index + edge.length;
    }
    if (!graph) add(() => wording.syntax.empty);
    else if (position < graph.length) outside(position, graph.length);
    if (total > faults.length) faults.push(fill(wording.syntax.more, { count: total - faults.length }));
    for (const one of faults) yield finding("EG-SYNTAX", "EG-SYNTAX", { fault: one });
  }

  function whole(concept, text) {
    for (let place = text.indexOf(concept); place >= 0; place = text.indexOf(concept, place + 1)) {
      const [before] = [...text.slice(Math.max(0, place - 2), place)].slice(-1);
      const [after] = text.slice(place + concept.length, place + concept.length + 2);
      if (![before, after].some((letter) => letter && (letter === "_" || say.alphanumeric(letter)))) return true;
    }
    return false;
  }

  function* ofInside(contents, concepts) {
    for (const [i, text] of texts.entries()) {
      for (const concept of concepts) {
        if (text.concepts && concept && contents[i].includes(concept) && !whole(concept, contents[i])) {
          yield finding("EG-W-INSIDE", "EG-W-INSIDE", { concept, text: text.name }, [], [concept]);
        }
      }
    }
  }

  /** Broken constraints and strict diagnostics of a graph; without texts none about them. */
  function diagnose(contents, written) {
    const parts = pieces(say.lower(written));
    const low = contents.map(say.lower);
    const numbered = [...parts.entries()].filter(([, part]) => part.length === 3);
    const concepts = conceptsOf(numbered.map(([, edge]) => edge));
    const broken = [...ofCounts(parts), ...ofEdges(parts, numbered), ...ofShape(numbered)];
    const strict = [...ofStrictEdges(parts.length, numbered), ...ofSyntax(written)];
    if (low.length) {
      broken.push(...ofTexts(low, concepts));
      strict.push(...ofInside(low, concepts));
    }
    return { broken: capped(broken), strict: capped(strict) };
  }

  // -- the file

  function collector(name) {
    const kept = [];
    let total = 0;
    const add = (line, column, fault, hint = "", values = {}) => {
      total += 1;
      if (total > limits.shown) return;
      const rule = fault.split(" ")[0];
      const problem = {
        path: name, line, column, rule,
        found: fill(wording.faults[fault].found, values),
        expected: fill(wording.faults[fault].expected, values),
        advice: hint ? fill(wording.hints[`${rule} ${hint}`], values) : facts.rules[rule].advice,
      };
      kept.push({ ...problem, text: say.safe(fill(wording.problem, problem)) });
    };
    const order = (a, b) => a.line - b.line || a.column - b.column ||
      ["rule", "found", "expected", "advice"].reduce((so, key) => so || compare(a[key], b[key]), 0);
    return { add, sorted: () => [...kept].sort(order), total: () => total };
  }

  function welcome(number, text, problems) {
    if (!unwelcome.test(text)) return true;
    const known = new Set();
    let [column, told] = [0, 0];
    for (const letter of text) {
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

  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const columnOf = (fields, index) => fields.slice(0, index).reduce((sum, text) => sum + size(text) + 1, 1);

  function shaped(number, text, problems) {
    let given = 1;
    for (let tab = text.indexOf("\t"); tab >= 0; tab = text.indexOf("\t", tab + 1)) given += 1;
    if (given !== columns.length) {
      let hint = "";
      if (text.startsWith("version https://git-lfs")) hint = "git lfs";
      else if (given === 1 && text.includes("\\t")) hint = "backslash";
      else if (given === 1 && text.includes(" ")) hint = "blanks";
      problems.add(number, 1, "TSV-COLUMNS", hint,
        { given: counted(given, "column"), wanted: counted(columns.length, "column"), names: columns.join(", ") });
      return null;
    }
    const fields = text.split("\t");
    let sound = true;
    for (const [index, value] of fields.entries()) {
      if (value.length * 3 <= limits.field) continue;
      const bytes = new TextEncoder().encode(value).length;
      if (bytes <= limits.field) continue;
      problems.add(number, columnOf(fields, index), "TSV-FIELD", "", { size: bytes, most: limits.field, name: columns[index] });
      sound = false;
    }
    return sound ? fields : null;
  }

  function row(number, line, problems) {
    if (!line.length) {
      problems.add(number, 1, "TSV-BLANK");
      return null;
    }
    let text;
    try {
      text = decoder.decode(line);
    } catch {
      const at = fault(line);
      const wide = number === 1 && ((line[0] === 0xff && line[1] === 0xfe) || (line[0] === 0xfe && line[1] === 0xff));
      problems.add(number, size(decoder.decode(line.subarray(0, at))) + 1, "TSV-ENCODING", wide ? "UTF-16" : "",
        { byte: line[at].toString(16).padStart(2, "0"), place: at + 1 });
      return null;
    }
    return welcome(number, text, problems) ? shaped(number, text, problems) : null;
  }

  const isHeader = (fields) => fields.every((value, i) => say.lower(value.trim()) === say.lower(columns[i]));

  /** Rows that could be read; every fault goes to `problems`. */
  function read(content, rows, problems, notes) {
    if (content[0] === 0xef && content[1] === 0xbb && content[2] === 0xbf) {
      content = content.subarray(3);
      notes.add(1, 1, "TSV-BOM");
    }
    if (content.every((byte) => byte === 10 || byte === 13)) {
      problems.add(1, 1, `TSV-EMPTY ${content.length ? "lines" : notes.total() ? "mark" : "nothing"}`);
      return { found: [], lines: null };
    }
    if (content.at(-1) === 10) content = content.subarray(0, -1);
    let ends = 0;
    for (const byte of content) ends += byte === 10;
    if (ends > 2 * rows + limits.spare_lines) {
      problems.add(rows + 1, 1, "TSV-ROWS", "", { count: counted(ends + 1, "line"), rows });
      return { found: [], lines: null };
    }
    const lines = [];
    const ended = [];
    for (let start = 0, end; start <= content.length; start = end + 1) {
      end = content.indexOf(10, start);
      if (end < 0) end = content.length;
      const returned = end > start && content[end - 1] === 13;
      lines.push(content.subarray(start, returned ? end - 1 : end));
      if (returned) ended.push(lines.length);
    }
    if (ended.length) {
      const kind = ended.length === lines.length ? "TSV-CRLF" : "TSV-CRLF mixed";
      notes.add(ended[0], 1, kind, "", { ended: ended.length, lines: lines.length });
    }
    let count = lines.filter((line) => line.length).length;
    const found = [];
    for (const [i, line] of lines.entries()) {
      const fields = row(i + 1, line, problems);
      if (fields !== null && i === 0 && isHeader(fields)) {
        problems.add(1, 1, "TSV-HEADER", "", { name: say.excerpt(fields[0]) });
        count -= 1;
      } else if (fields !== null) {
        found.push([i + 1, fields]);
      }
    }
    return { found, lines: count };
  }

  function answer(line, fields, problems) {
    if (labels === null) return { line, label: null, graph: fields[0] };
    const [value, graph] = fields;
    if (labels.values.includes(value)) return { line, label: value, graph };
    const meant = say.lower(value.trim());
    const near = labels.values.find((label) => label === meant);
    problems.add(line, 1, "TSV-LABEL", near === undefined ? "" : "near",
      { name: labels.name, value: say.excerpt(value), labels: labels.listed, near: say.repr(near || "") });
    return null;
  }

  function annotation(items, { line, label, broken }) {
    const [wrong, incorrect, correct] = facts.annotations;
    if (items.labels && label !== items.labels[line - 1]) return wrong;
    return broken.length ? incorrect : correct;
  }

  /** What is wrong with a file of `size` bytes; `bytes` may hold one more than is read of any. */
  return function check(bytes, { name, split, items = null, size: length = bytes.length }) {
    const problems = collector(name);
    const notes = collector(name);
    const { rows } = facts.splits[split];
    let found = [];
    let lines = null;
    if (bytes.length > limits.file) problems.add(1, 1, "TSV-SIZE", "", { size: length, most: limits.file });
    else ({ found, lines } = read(bytes, rows, problems, notes));
    const answers = found.map(([line, fields]) => answer(line, fields, problems)).filter(Boolean);
    if (lines !== null && lines !== rows) {
      problems.add(Math.max(1, Math.min(lines, rows + 1)), 1, "TSV-ROWS", lines > rows ? "remove" : "add",
        { count: counted(lines, "row"), rows, difference: counted(Math.abs(lines - rows), "row") });
    }
    const judged = answers.map((one) => ({ ...one, ...diagnose((items && items.texts[one.line - 1]) || [], one.graph) }));
    const graded = problems.total() === 0 && items !== null && items.gold;
    const verdicts = judged.map((one) => ({ ...one, annotation: graded ? annotation(items, one) : null }));
    return {
      total: problems.total(), problems: problems.sorted(), notes: notes.sorted(), read: found.length, rows: verdicts,
      scores: graded ? {
        SA: verdicts.filter((one) => one.annotation !== facts.annotations[0]).length / rows,
        StCA: verdicts.filter((one) => one.annotation === facts.annotations.at(-1)).length / rows,
      } : null,
    };
  };
}

/** A share as a percentage with one decimal, halves to the even digit as the tables have them. */
export function percent(share) {
  const value = share * 100;
  const half = Number.isInteger(value * 4) && Math.abs(value * 4) % 2 === 1;
  const tenths = Math.floor(value * 10);
  return (half ? (tenths + (tenths % 2)) / 10 : value).toFixed(1);
}

// ---- in a worker: judge what the page sends

if (typeof WorkerGlobalScope !== "undefined") {
  self.onmessage = ({ data: { id, facts, bytes, options } }) =>
    self.postMessage({ id, report: judge(facts)(bytes, options) });
}

// ---- on the page: everything foreign becomes text, never markup

const one = (selector, root) => root.querySelector(selector);
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children.filter((child) => child !== null));
  return element;
}
/** Foreign text by itself, as much of it as a page can bear. */
function foreign(text, most = 300) {
  const cut = first(text, most).replace(/(\p{M}{4})\p{M}+/gu, "$1");
  const more = size(text) - size(first(text, most));
  return make("bdi", {}, more ? `${cut}… (${more.toLocaleString("en")} more characters)` : cut);
}
const section = (title, ...children) => make("section", {}, make("h2", {}, title), ...children);
const chip = (kind, text) => make("span", { class: `wb-chip ${kind}` }, text);
function table(caption, heads, rows, kind = "") {
  const head = make("tr", {}, ...heads.map((name) => make("th", { scope: "col" }, name)));
  const body = make("tbody", {}, ...rows);
  const whole = make("table", { class: `wb-table ${kind}` }, make("caption", { class: "wb-hide" }, caption), make("thead", {}, head), body);
  return make("div", { class: "wb-tablebox", tabindex: "0", role: "region", "aria-label": caption }, whole);
}
const cell = (name, ...children) => make("td", { "data-head": `${name}: ` }, ...children);

/** The parts of a page that show one report. */
function shownReport(report, facts, { name, split, items }, root) {
  const link = (rule) => make("a", { href: root + facts.rules[rule].page }, make("code", {}, rule));

  function problems() {
    const lines = [...report.problems.map((one) => [one, ""]), ...report.notes.map((one) => [one, "note"])];
    if (!lines.length) return null;
    const rows = lines.map(([one, note]) => make("tr", {},
      make("th", { scope: "row", "data-head": "Line " }, `${one.line}:${one.column}`),
      cell("Rule", link(one.rule), note ? make("span", { class: "wb-badge" }, note) : null),
      cell("Found", foreign(one.found)), cell("Expected", foreign(one.expected)), cell("What to do", foreign(one.advice))));
    const title = report.total ? "Errors" : "Notes";
    const more = report.total > report.problems.length ? `${counted(report.total, "error")}, the first ${report.problems.length} shown.` : null;
    const plain = lines.map(([one, note]) => (note ? `note: ${one.text}` : one.text)).join("\n");
    return section(title, table(title, ["Line:column", "Rule", "Found", "Expected", "What to do"], rows, "wb-stack"),
      more && make("p", {}, more),
      make("details", {}, make("summary", {}, "As scorer check prints them"), make("pre", {}, make("code", {}, plain))));
  }

  function scores() {
    if (report.total) return null;
    if (!report.scores) {
      const why = items ? "Gold of this split is not public" : "The items of this split are not part of this site";
      return make("p", { class: "wb-note" }, `${why}, so ${facts.labels ? "SA and StCA are" : "StCA is"} not measured here` +
        (items ? "." : ", and whether concepts occur in the texts was not checked."));
    }
    const { rows } = facts.splits[split];
    const shown = Object.entries(report.scores).filter(([metric]) => metric !== "SA" || facts.labels);
    return make("dl", { class: "wb-figures" }, ...shown.map(([metric, share]) => make("div", {},
      make("dt", {}, make("a", { href: `${root}metrics/${metric.toLowerCase()}/` }, metric)),
      make("dd", {}, make("b", {}, percent(share)), ` ${Math.round(share * rows)} of ${rows} rows`))));
  }

  function counts() {
    const lines = [["broken", "breaks StCA"], ["strict", "strict, not counted"]].flatMap(([which, said]) => {
      const found = new Map();
      for (const row of report.rows) {
        for (const rule of new Set(row[which].map((one) => one.rule))) found.set(rule, (found.get(rule) || 0) + 1);
      }
      return [...found].sort(([a, n], [b, m]) => m - n || compare(a, b)).map(([rule, n]) =>
        make("li", {}, make("b", {}, String(n)), link(rule), make("span", {}, said)));
    });
    return lines.length ? section("Rows by rule", make("ul", { class: "wb-rulecounts" }, ...lines)) : null;
  }

  function verdict(row) {
    const [wrong] = facts.annotations;
    const structure = row.broken.length ? chip("wrong", "✗ structure broken") : chip("good", "✓ structure correct");
    if (row.annotation === null || !facts.labels) return [structure];
    const right = row.annotation !== wrong;
    return [chip(right ? "good" : "wrong", `${right ? "✓" : "✗"} ${facts.labels.name}: ${row.label}`), structure,
      right ? null : make("small", {}, `gold: ${items.labels[row.line - 1]}`)];
  }

  const list = (found) => make("ul", {}, ...found.map((one) => make("li", {}, link(one.rule), " ", foreign(one.detail))));

  function graph(row, most = 60) {
    const box = make("details", {}, make("summary", {}, "Texts and edges"));
    box.addEventListener("toggle", () => {
      const culprits = new Set(row.broken.flatMap((one) => one.edges));
      const edges = pieces(row.graph);
      const texts = (items && items.texts[row.line - 1]) || [];
      box.append(
        ...texts.map((text, i) => make("p", {}, make("b", {}, `${facts.texts[i].name}: `), foreign(text, 1000))),
        make("ol", { class: "wb-edges" }, ...edges.slice(0, most).map((parts, i) => make("li",
          culprits.has(i) ? { class: "unreadable" } : {}, make("span", { class: "wb-mark" }, culprits.has(i) ? "!" : String(i + 1)),
          " ", foreign(parts.join("; "))))),
        edges.length > most ? make("p", {}, `and ${edges.length - most} more`) : "");
    }, { once: true });
    return box;
  }

  function line(row) {
    return make("tr", {}, make("th", { scope: "row", "data-head": "Row " }, String(row.line)), cell("Verdict", ...verdict(row)),
      cell("Findings", make("div", { class: "wb-findings" },
        row.broken.length ? list(row.broken) : null,
        row.strict.length ? make("details", {}, make("summary", {}, counted(row.strict.length, "strict diagnostic") + ", not counted"), list(row.strict)) : null,
        graph(row))));
  }

  function rows(step = 100) {
    if (!report.rows.length) return null;
    const bad = report.rows.filter((row) => row.broken.length || row.annotation === facts.annotations[0]);
    const box = table("Verdicts", ["Row", "Verdict", "Findings"], [], "wb-stack wb-rows");
    const body = one("tbody", box);
    const more = make("button", { type: "button", class: "wb-net" });
    const choice = make("select", {}, make("option", { value: "bad" }, `rows that fail (${bad.length})`),
      make("option", { value: "all" }, `all rows (${report.rows.length})`));
    if (!bad.length) choice.value = "all";
    const add = () => {
      const chosen = choice.value === "bad" ? bad : report.rows;
      const shown = body.rows.length;
      body.append(...chosen.slice(shown, shown + step).map(line));
      const left = chosen.length - body.rows.length;
      more.textContent = `Show ${Math.min(step, left)} more of ${left}`;
      more.hidden = left <= 0;
    };
    choice.addEventListener("change", () => { body.replaceChildren(); add(); });
    more.addEventListener("click", add);
    add();
    return section("Rows", make("p", { class: "wb-filter" }, make("label", {}, "Show ", choice)), box, more);
  }

  const where = `${facts.board} ${split}`;
  const sound = report.rows.filter((row) => !row.broken.length).length;
  const said = report.total
    ? `: ${counted(report.total, "error")}, so it cannot be scored on ${where}.`
    : `: can be scored on ${where}: ${counted(report.read, "row")}, all readable; ${counted(sound, "graph")} keep${sound === 1 ? "s" : ""} every constraint.`;
  return { said: [foreign(name, 120), said], parts: [problems(), scores(), counts(), rows()].filter(Boolean) };
}

function start(page) {
  const root = page.dataset.root;
  const form = one("form", page);
  const said = one("[role=status]", page);
  const shown = one(".wb-checked", page);
  const { where, file, rows } = form.elements;
  const fetched = new Map();
  let worker = null;
  let id = 0;
  let last = null;

  const json = (path) => {
    if (!fetched.has(path)) {
      fetched.set(path, fetch(`${root}check/${path}.json`).then((answer) => {
        if (!answer.ok) throw new Error(`${path}.json: ${answer.status}`);
        return answer.json();
      }));
    }
    return fetched.get(path);
  };
  const failed = (why) => {
    page.removeAttribute("aria-busy");
    said.replaceChildren(`The page could not check it (${why}); use scorer check as shown below.`);
  };

  async function check() {
    const mine = (id += 1);
    const { bytes, name, size: length } = last;
    const [board, split] = where.value.split("/");
    page.setAttribute("aria-busy", "true");
    said.replaceChildren("Checking ", foreign(name, 120), " …");
    shown.replaceChildren();
    try {
      const facts = await json(board);
      const items = facts.splits[split].items ? await json(`${board}/${split}`) : null;
      if (mine !== id) return;
      if (worker) worker.terminate(); // only the newest file matters
      worker = new Worker(import.meta.url, { type: "module" });
      worker.onerror = () => failed("its worker stopped");
      worker.onmessage = ({ data }) => {
        if (data.id !== id) return;
        const { said: words, parts } = shownReport(data.report, facts, { name, split, items }, root);
        page.removeAttribute("aria-busy");
        said.replaceChildren(...words);
        said.className = `wb-saying ${data.report.total ? "wrong" : "good"}`;
        shown.replaceChildren(...parts);
      };
      worker.postMessage({ id, facts, bytes, options: { name, split, items, size: length } });
    } catch (fault) {
      fetched.clear();
      failed(fault.message);
    }
  }

  const most = 8 * 1024 * 1024 + 1; // of a larger file no more is read than shows that it is
  async function take(given) {
    const split = /\.(train|dev|test)\./.exec(given.name);
    const wanted = split && `${where.value.split("/")[0]}/${split[1]}`;
    if (wanted && [...where.options].some((option) => option.value === wanted)) where.value = wanted;
    try {
      last = { bytes: new Uint8Array(await given.slice(0, most).arrayBuffer()), name: given.name, size: given.size };
    } catch (fault) {
      failed(fault.message);
      return;
    }
    check();
  }
  function takeText(text) {
    const bytes = new TextEncoder().encode(text);
    file.value = "";
    last = { bytes: bytes.subarray(0, most), name: "pasted.tsv", size: bytes.length };
    check();
  }

  form.hidden = false;
  form.addEventListener("submit", (event) => { event.preventDefault(); if (rows.value) takeText(rows.value); });
  file.addEventListener("change", () => { if (file.files.length) take(file.files[0]); });
  where.addEventListener("change", () => { if (last) check(); });
  const drop = one(".wb-drop", form);
  for (const type of ["dragover", "dragleave", "drop"]) {
    page.addEventListener(type, (event) => {
      event.preventDefault(); // a file dropped beside the zone must not replace the page
      drop.classList.toggle("over", type === "dragover");
      const [given] = event.dataTransfer.files;
      if (type !== "drop" || !given) return;
      file.files = event.dataTransfer.files; // so that the field names it
      take(given);
    });
  }
  document.addEventListener("paste", (event) => {
    if (event.target.closest && event.target.closest("input, textarea")) return;
    const [given] = event.clipboardData.files;
    const text = event.clipboardData.getData("text/plain");
    if (given) take(given);
    else if (text) takeText(text);
  });
}

if (typeof document !== "undefined") {
  const page = document.querySelector(".wb-checker");
  if (page) start(page);
}
