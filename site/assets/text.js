/* Numbers and foreign text as pages write them; see scorer/scoring/leaderboard/verdict.py. */

/** Text that may stand in HTML. */
export const escape = (text) => String(text).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** A number with some decimals, a half to the even side as Python has it. */
function fixed(value, digits) {
  if ((value * 2 ** (digits + 1)) % 2 !== 1) return value.toFixed(digits);
  const low = Math.floor(value * 10 ** digits);
  return ((low + (low % 2)) / 10 ** digits).toFixed(digits);
}

/** A value as people read it: percent with one decimal, distances with three. */
export function number(value, { better }, plus = false) {
  const text = better === "higher" ? fixed(Math.abs(value) * 100, 1) : fixed(Math.abs(value), 3);
  if (!Number(text)) return text;
  return value < 0 ? `\u2212${text}` : plus ? `+${text}` : text;
}

/** A p-value as people read it. */
export function pText(p) {
  if (p < .001) return "p\u00a0<\u00a0.001";
  const text = fixed(p, p < .1 ? 3 : 2);
  return `p\u00a0=\u00a0${Number(text) === 1 ? "1" : text.replace(/^0/, "")}`;
}

/** A name in a sentence: in quotes if it reads like more. */
export const nameText = (title) => (/[.:;] /.test(title) ? `\u201c${title.replace(/[\u201c\u201d]/g, "'")}\u201d` : title);

/** An id of ours as part of an address. */
export const slug = (id) => id.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
