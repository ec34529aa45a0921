/* Forms of questions and items of batches, as scorer/people/records.py has them. */

export const NOT_ASKED = "-";
export const COMMENT = "comment";

/** A form as the page's data has it, with what follows of it. */
export function formOf(data) {
  const questions = data.questions.map((one) => ({
    ...one,
    keys: one.values.map(({ key }) => key),
    unsure: new Set(one.values.filter(({ unsure }) => unsure).map(({ key }) => key)),
  }));
  return {
    ...data,
    questions,
    byId: new Map(questions.map((one) => [one.id, one])),
    columns: ["item", ...questions.map(({ id }) => id), COMMENT],
  };
}

/** The question about triplets, with its answers, that another one about triplets goes by; null for any other. */
export function sourceOf(form, { answer, when }) {
  if (answer !== "triplets" || !when) return null;
  return Object.entries(when.all).find(([name]) => form.byId.get(name).answer === "triplets") || null;
}
/** The questions about triplets that go by this one; the page asks them within it. */
export const followers = (form, { id }) => form.questions.filter((one) => sourceOf(form, one)?.[0] === id);

/** Where an annotator's file lies in the repository. */
export function pathOf(form, batch, annotator) {
  return form.adjudicates ? `annotations/${form.folder}/${batch}.tsv` : `annotations/${form.folder}/${batch}/${annotator}.tsv`;
}

/** `t01`, `t02` ... */
export const tripletIds = (count) => Array.from({ length: count }, (_, i) => `t${String(i + 1).padStart(2, "0")}`);

/** What may be chosen: topics, then the question's own values. */
export const allowed = (question, topics = []) => (question.topics ? [...topics, ...question.keys] : question.keys);

/** What one of these values says. */
export const textOf = (question, { topics }, key) =>
  [...(question.topics ? topics : []), ...question.values].find((one) => one.key === key)?.text ?? key;

const WHITE = "[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]";
/** Blanks as the program's language knows them; the browser's own differ. */
const BLANKS = new RegExp(`${WHITE}+`, "u");
const ENDS = new RegExp(`^${WHITE}+|${WHITE}+$`, "gu");
export const BETWEEN = new RegExp(`\\)${WHITE}*\\(`, "u");
export const strip = (text) => text.replace(ENDS, "");
export const words = (text) => text.split(BLANKS).filter(Boolean);

/** What a rule says of some values; `which`: its id, and perhaps a word behind it. */
export const teller = ({ texts }) => (which, about = "", values = {}) => ({
  rule: which.split(" ")[0],
  text: texts[which].replace(/\{\{|\}\}|\{(\w+)\}/g, (whole, name) => (name ? String(values[name]) : whole[0])),
  about: String(about),
});

/** Whether a rule is told and refuses nothing. */
export const warns = (rule, { warnings }) => rule.includes("-W-") || warnings.includes(rule);
