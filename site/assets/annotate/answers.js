/* Answers to the questions of a form, as scorer/people/answers.py judges them: which are asked, and the first that
   is missing, wrong or too many. */

import { language, size } from "../check/language.js";
import { NOT_ASKED, allowed, formOf, sourceOf, strip, teller, tripletIds } from "./form.js";
import { diff, factsOf, graphs, isRows, written } from "./graphs.js";

const ALWAYS = "it is always asked";
const unique = (values) => [...new Set(values)];
const stripped = (text, letter) => {
  let [start, end] = [0, text.length];
  while (start < end && text[start] === letter) start += 1;
  while (end > start && text[end - 1] === letter) end -= 1;
  return text.slice(start, end);
};

/** How many words a text has: what stands between spaces, tabs and line ends. */
export const words = (text) => (text.match(/[^ \t\n]+/g) || []).length;

/** What a draft has for a question, or null where that is of another kind, which no page wrote. */
const fitting = ({ answer }, cell) =>
  (typeof cell === "string" || (answer === "triplets" ? !isRows(cell) : answer === "graph" && isRows(cell)) ? cell : null);

/** What judges answers by a form: `(item, given, topics) => {asked, triplets, fault, warnings, answers}`. `given`
    has the text of a file's cell by question, or for triplets an object with a value for each, for a graph also rows
    (graph_rows.js); `triplets` has those that a question is asked about. */
export function answering(data, facts) {
  const form = formOf(data);
  const say = language();
  const said = teller(facts);
  const graph = graphs(facts, say, said);

  return function check(item, given, topics = []) {
    const [asked, warnings, about] = [[], [], {}];
    let fault = null;
    const answers = new Map();
    const known = new Map(); // by question: its sound values, by triplet (a choice under "")
    const ids = tripletIds((item.triplets || []).length);

    const refuse = (one) => { fault ??= one; };
    const tell = (question, rule, values = {}, of = question.id) =>
      refuse(said(`${form.rules}-${rule}`, of, { q: question.id, ...values }));
    const unasked = (question, rule, reason) => {
      if (question.asked_rule) refuse(said(question.asked_rule, question.id));
      else tell(question, rule, { reason });
    };

    // ---- whether a question is asked

    const hits = ([name, wanted]) => [...known.get(name).values()].filter((value) => wanted.includes(value)).length;
    const isAsked = ({ when }) => !when || Object.entries(when.all).every(hits);
    function subset(question) {
      const of = sourceOf(form, question);
      return of && [...known.get(of[0])].filter(([, value]) => of[1].includes(value)).map(([triplet]) => triplet);
    }
    function because(question) {
      if (!question.when) return ALWAYS;
      return question.when.because.replaceAll("{triplet}", () => (subset(question) || [])[0] ?? "");
    }

    // ---- answers

    function wrong(question, value, may) {
      const cut = say.excerpt(value, 40);
      const v = size(value) <= 40 ? cut.slice(1, -1) : cut;
      if (question.value_rule) refuse(said(question.value_rule, question.id, { v, allowed: may.join(", ") }));
      else tell(question, "VALUE", { v, allowed: may.join(", ") });
    }
    function chosen(question, text) {
      const parts = question.answer === "choices" ? text.split(",") : [text];
      const values = unique(parts.map(strip));
      const may = allowed(question, topics);
      known.set(question.id, new Map(values.filter((value) => may.includes(value))
        .map((value) => [value === values[0] ? "" : value, value])));
      const bad = values.find((value) => !may.includes(value));
      if (bad !== undefined) wrong(question, bad, may);
      else answers.set(question.id, question.answer === "choices" ? values : values[0]);
    }
    function drawn(question, cell) {
      const { facts: listed, fault: unread } = isRows(cell) ? { facts: factsOf(cell).map(graph.normalised), fault: null } : graph.read(cell);
      const [broken, odd] = unread ? [[unread], []] : graph.check(form.graph, item, listed);
      warnings.push(...odd);
      if (broken.length) { refuse(broken[0]); return; }
      answers.set(question.id, written(listed));
      known.set(question.id, new Map([["", written(listed)]]));
      const before = (form.before && item.texts[form.before]) || "";
      if (before) {
        const { added, removed } = diff(graph.read(before).facts, listed);
        if (!added.length && !removed.length) warnings.push(said("EG-W-NOCHANGE", item.id, { i: item.id }));
      }
    }
    function text(question, words_) {
      if (size(words_) > question.most) {
        refuse(said("ANN-TEXT", question.id, { col: question.id, n: size(words_), m: question.most }));
      } else if (question.most_words !== null && words(words_) > question.most_words) {
        refuse(said("ANN-WORDS", question.id, { col: question.id, n: words(words_), m: question.most_words }));
      } else {
        answers.set(question.id, words_);
        known.set(question.id, new Map([["", words_]]));
      }
    }

    function aboutTriplet(question, rule, t) {
      const of = sourceOf(form, question);
      if (of === null) tell(question, `TRIPLET-${rule}`, { t }, t);
      else tell(question, `NEG-${rule}`, { t, of: of[0], v: of[1].join(" or ") }, t);
    }
    function rated(question, cell) {
      const some = subset(question);
      let values = new Map();
      if (typeof cell === "string") {
        const letters = [...cell];
        if (strip(cell) && letters.length !== ids.length) {
          tell(question, "TRIPLET-COUNT", { n: letters.length, m: ids.length });
          return;
        }
        values = new Map(ids.slice(0, letters.length).map((id, i) => [id, letters[i]])
          .filter(([, value]) => some === null || value !== NOT_ASKED));
      } else values = new Map(Object.entries(cell));
      const [may, wanted] = [allowed(question), some ?? ids];
      const sound = new Map(ids.filter((id) => may.includes(values.get(id))).map((id) => [id, values.get(id)]));
      known.set(question.id, sound);
      const bad = [...values.values()].find((value) => !may.includes(value));
      const missing = wanted.find((id) => !values.has(id));
      const extra = [...values.keys()].find((id) => !wanted.includes(id));
      if (bad !== undefined) wrong(question, bad, may);
      else if (missing !== undefined && !values.size) unasked(question, "MISSING", because(question));
      else if (missing !== undefined) aboutTriplet(question, "MISSING", missing);
      else if (extra !== undefined && !ids.includes(extra)) tell(question, "TRIPLET-UNKNOWN", { t: extra }, extra);
      else if (extra !== undefined) aboutTriplet(question, "UNEXPECTED", extra);
      else answers.set(question.id, ids.map((id) => sound.get(id) ?? NOT_ASKED));
    }

    for (const question of form.questions) {
      const isIt = isAsked(question);
      const cell = fitting(question, given[question.id] ?? null);
      const kind = question.answer;
      known.set(question.id, new Map());
      if (kind === "triplets") about[question.id] = isIt ? subset(question) ?? ids : [];
      const rest = typeof cell === "string" && (kind === "triplets" ? stripped(cell, NOT_ASKED) : strip(cell));
      const empty = typeof cell === "string" ? !rest : cell === null || !Object.keys(cell).length;
      if (!isIt) {
        if (!empty) unasked(question, "SKIPPED", question.when.otherwise);
        continue;
      }
      asked.push(question.id);
      if (kind === "triplets") rated(question, cell || {});
      else if (kind === "graph") drawn(question, cell ?? "");
      else if (empty && !(kind === "choice" && question.value_rule)) unasked(question, "MISSING", because(question));
      else if (kind === "text") text(question, cell ?? "");
      else chosen(question, cell ?? "");
    }

    // ---- what to look at again

    function rank(name) {
      const question = form.byId.get(name);
      const value = known.get(name).get("");
      return value === undefined || question.unsure.has(value) ? -1 : question.keys.indexOf(value);
    }
    function applies(caution) {
      if (!Object.entries(caution.all).every(hits) || Object.entries(caution.none).some(hits)) return false;
      if (!caution.later.length) return true;
      const [first, second] = caution.later.map(rank);
      return first >= 0 && second >= 0 && first > second;
    }
    for (const caution of fault ? [] : form.warnings.filter(applies)) {
      const numbers = Object.entries(caution.all).filter(([name]) => form.byId.get(name).answer === "triplets").map(hits);
      let sentence = caution.text.split("{n}").join(String(numbers[0] || 0));
      for (const [name, values] of known) sentence = sentence.split(`{${name}}`).join(values.get("") ?? "");
      warnings.push({ rule: caution.rule, text: sentence, about: "" });
    }
    return { asked, triplets: about, fault, warnings, answers: Object.fromEntries(answers) };
  };
}

/** The answers that are handed in: to questions that are asked, about triplets that they ask about. The others
    stay in the draft and go nowhere. `answer`: what `answering` gives. */
export function asked(item, given, answer, topics) {
  const { asked: ids, triplets } = answer(item, given, topics);
  const about = (id, value) => (typeof value !== "object" || isRows(value) || !triplets[id] ? value
    : Object.fromEntries(Object.entries(value).filter(([triplet]) => triplets[id].includes(triplet))));
  const kept = Object.fromEntries(Object.entries(given).filter(([id]) => ids.includes(id)).map(([id, value]) => [id, about(id, value)]));
  return count(kept) === count(given) ? kept : asked(item, kept, answer, topics);
}
/** How many answers there are, each triplet's being one. */
export const count = (given) => Object.values(given).reduce((sum, value) =>
  sum + (typeof value === "object" && !isRows(value) ? Object.keys(value).length : 1), 0);
