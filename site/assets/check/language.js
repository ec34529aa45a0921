/* Text as the program's language sees it: code points, its own Unicode, its own quoting and order. */

/** Lengths, letters and quotes of text. */
export function language() {
  const printable = (letter) => letter === " " || !/[\p{C}\p{Z}]/u.test(letter);
  const alphanumeric = (letter) => /[\p{L}\p{N}]/u.test(letter);
  const lower = (text) => text.toLowerCase();

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
export function size(text) {
  if (!astral(text)) return text.length;
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
export function first(text, most) {
  return astral(text.slice(0, 2 * most)) ? [...text.slice(0, 2 * most)].slice(0, most).join("") : text.slice(0, most);
}
/** The first numbers, and how many more there are. */
export function numbered(noun, numbers, most) {
  const more = numbers.length - most;
  return `${noun}${numbers.length > 1 ? "s" : ""} ${numbers.slice(0, most).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
export const counted = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
export const fill = (template, values) => template.replace(/\{(\w+)\}/g, (_, name) => values[name]);

/** Order by code points; the browser's own is by halves of pairs. */
export function compare(a, b) {
  const least = Math.min(a.length, b.length);
  for (let i = 0; i < least; i += 1) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (x === y) continue;
    const [high, low] = [x, y].map((unit) => unit >= 0xd800 && unit <= 0xdfff);
    return high === low ? x - y : high - low;
  }
  return a.length - b.length;
}
