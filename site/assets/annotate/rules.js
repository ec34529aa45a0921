/* What rules say, in the page's data: the sentences of scorer/annotations/rules.py. */

/** What a rule says of some values; `which`: its id, and perhaps a word behind it. */
export const teller = ({ texts }) => (which, about = "", values = {}) => ({
  rule: which.split(" ")[0],
  text: texts[which].replace(/\{\{|\}\}|\{(\w+)\}/g, (whole, name) => (name ? String(values[name]) : whole[0])),
  about: String(about),
});

/** Whether a rule is told and refuses nothing. */
export const warns = (rule, { warnings }) => rule.includes("-W-") || warnings.includes(rule);
