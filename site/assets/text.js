/* Numbers and foreign text as pages write them; see scorer/scoring/leaderboard/verdict.py. */

/** Text that may stand in HTML. */
export const escape = (text) => String(text).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** A value as people read it: percent with one decimal, distances with three. */
export function number(value, { better }, plus = false) {
  const text = better === "higher" ? (Math.abs(value) * 100).toFixed(1) : Math.abs(value).toFixed(3);
  if (!Number(text)) return text;
  return value < 0 ? `\u2212${text}` : plus ? `+${text}` : text;
}

/** A p-value as people read it. */
export function pText(p) {
  if (p < .001) return "p\u00a0<\u00a0.001";
  const text = p.toFixed(p < .1 ? 3 : 2);
  return `p\u00a0=\u00a0${Number(text) === 1 ? "1" : text.replace(/^0/, "")}`;
}

/** An id of ours as part of an address. */
export const slug = (id) => id.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
