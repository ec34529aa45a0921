/* Answers to the questions of a form, as scorer/annotations/answers.py judges them: which are asked, which are
   missing, wrong or too many. */

import { language, size } from "../check/language.js";
import { NOT_ASKED, allowed, formOf, sourceOf, strip, tripletIds } from "./form.js";
import { diff, factsOf, graphs, isRows, written } from "./graphs.js";
import { teller } from "./rules.js";

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

/** What judges answers by a form: `(item, given, topics) => {asked, triplets, errors, warnings, answers}`. `given`
    has the text of a file's cell by question, or for triplets an object with a value for each, for a graph also rows
    (graph_rows.js); `triplets` has those that a question is asked about. */
export function answering(data, facts) {
  const form = formOf(data);
  const say = language(facts.characters);
  const said = teller(facts);
  const graph = graphs(facts, say, said);

  return function check(item, given, topics = []) {
    const [asked, errors, warnings, about] = [[], [], [], {}];
    const answers = new Map();
    const known = new Map(); // by question: values by triplet (a choice under ""), and whether all is sound
    const ids = tripletIds((item.triplets || []).length);

    const tell = (question, rule, values = {}, about = question.id) =>
      errors.push(said(`${form.rules}-${rule}`, about, { q: question.id, ...values }));
    const unasked = (question, rule, reason) => {
      if (question.asked_rule) errors.push(said(question.asked_rule, question.id));
      else tell(question, rule, { reason });
    };
    const learn = (question, values, whole) => known.set(question.id, { values: new Map(values), whole });

    // ---- whether a question is asked; null if it hangs on an answer that is at fault

    function holds([name, wanted]) {
      const { values, whole } = known.get(name);
      if ([...values.values()].some((value) => wanted.includes(value))) return true;
      return whole ? false : null;
    }
    function isAsked({ when }) {
      if (!when) return true;
      const every = Object.entries(when.all).map(holds);
      const some = Object.entries(when.any).map(holds);
      const found = [every.includes(false) ? false : every.includes(null) ? null : true];
      if (some.length) found.push(some.includes(true) ? true : some.includes(null) ? null : false);
      return found.includes(false) ? false : found.includes(null) ? null : true;
    }
    const source = (question) => sourceOf(form, question);
    function subset(question) {
      const of = source(question);
      if (of === null) return null;
      return [...known.get(of[0]).values].filter(([, value]) => of[1].includes(value)).map(([triplet]) => triplet);
    }
    function because(question) {
      if (!question.when) return ALWAYS;
      return question.when.because.replaceAll("{triplet}", () => (subset(question) || [])[0] ?? "");
    }

    // ---- answers

    function wrong(question, value, may) {
      const cut = say.excerpt(value, 40);
      const v = size(value) <= 40 ? cut.slice(1, -1) : cut;
      if (question.value_rule) errors.push(said(question.value_rule, question.id, { v, allowed: may.join(", ") }));
      else tell(question, "VALUE", { v, allowed: may.join(", ") });
    }
    function chosen(question, text) {
      const parts = question.answer === "choices" ? text.split(",") : [text];
      const values = unique(parts.map(strip));
      const may = allowed(question, topics);
      const bad = values.filter((value) => !may.includes(value));
      for (const value of bad) wrong(question, value, may);
      if (!bad.length) answers.set(question.id, question.answer === "choices" ? values : values[0]);
      learn(question, values.filter((value) => may.includes(value))
        .map((value) => [value === values[0] ? "" : value, value]), !bad.length);
    }
    function drawn(question, cell) {
      const { facts: listed, fault } = isRows(cell) ? { facts: factsOf(cell).map(graph.normalised), fault: null } : graph.read(cell);
      const [broken, odd] = fault ? [[fault], []] : graph.check(form.graph, item, listed);
      errors.push(...broken);
      warnings.push(...odd);
      if (broken.length) { learn(question, [], false); return; }
      answers.set(question.id, written(listed));
      const before = (form.before && item.texts[form.before]) || "";
      if (before) {
        const { added, removed } = diff(graph.read(before).facts, listed);
        if (!added.length && !removed.length) warnings.push(said("EG-W-NOCHANGE", item.id, { i: item.id }));
      }
      learn(question, [["", written(listed)]], true);
    }
    function one(question, text, empty) {
      if (question.answer === "graph") {
        drawn(question, text);
      } else if (empty && !(question.answer === "choice" && question.value_rule)) {
        unasked(question, "MISSING", because(question));
        learn(question, [], false);
      } else if (question.answer !== "text") {
        chosen(question, text);
      } else if (size(text) > question.most) {
        errors.push(said("ANN-TEXT", question.id, { col: question.id, n: size(text), m: question.most }));
        learn(question, [], false);
      } else if (question.most_words !== null && words(text) > question.most_words) {
        errors.push(said("ANN-WORDS", question.id, { col: question.id, n: words(text), m: question.most_words }));
        learn(question, [], false);
      } else {
        answers.set(question.id, text);
        learn(question, [["", text]], true);
      }
    }

    function aboutTriplet(question, rule, t) {
      const of = source(question);
      if (of === null) tell(question, `TRIPLET-${rule}`, { t }, t);
      else tell(question, `NEG-${rule}`, { t, of: of[0], v: of[1].join(" or ") }, t);
    }
    function rated(question, cell, isIt) {
      const some = subset(question);
      let values = new Map();
      if (typeof cell === "string") {
        const letters = [...cell];
        if (strip(cell) && letters.length !== ids.length) {
          tell(question, "TRIPLET-COUNT", { n: letters.length, m: ids.length });
          learn(question, [], false);
          return;
        }
        values = new Map(ids.slice(0, letters.length).map((id, i) => [id, letters[i]])
          .filter(([, value]) => some === null || value !== NOT_ASKED));
      } else values = new Map(Object.entries(cell));
      const may = allowed(question);
      const sound = ids.filter((id) => may.includes(values.get(id))).map((id) => [id, values.get(id)]);
      const before = errors.length;
      for (const value of unique(values.values())) if (!may.includes(value)) wrong(question, value, may);
      const wanted = some === null ? ids : some;
      if (wanted.length && !values.size && isIt) unasked(question, "MISSING", because(question));
      if ((values.size || (some && some.length)) && isIt) {
        for (const id of wanted) if (!values.has(id)) aboutTriplet(question, "MISSING", id);
      }
      for (const id of values.keys()) {
        if (!ids.includes(id)) tell(question, "TRIPLET-UNKNOWN", { t: id }, id);
        else if (!wanted.includes(id) && isIt) aboutTriplet(question, "UNEXPECTED", id);
      }
      const whole = errors.length === before && Boolean(isIt);
      learn(question, sound, whole);
      if (whole) answers.set(question.id, ids.map((id) => known.get(question.id).values.get(id) ?? NOT_ASKED));
    }

    for (const question of form.questions) {
      const isIt = isAsked(question);
      const cell = fitting(question, given[question.id] ?? null);
      if (isIt) asked.push(question.id);
      if (question.answer === "triplets") about[question.id] = isIt ? subset(question) ?? ids : [];
      const rest = typeof cell === "string" && (question.answer === "triplets" ? stripped(cell, NOT_ASKED) : strip(cell));
      const empty = typeof cell === "string" ? !rest : cell === null || !Object.keys(cell).length;
      if (isIt === false) {
        learn(question, [], true);
        if (!empty) unasked(question, "SKIPPED", question.when.otherwise);
      } else if (isIt === null && empty) {
        learn(question, [], false);
      } else if (question.answer === "triplets") {
        rated(question, cell || {}, isIt);
      } else {
        one(question, cell ?? "", empty);
        if (isIt === null) answers.delete(question.id);
      }
    }

    // ---- what to look at again

    const hits = ([name, wanted]) => [...known.get(name).values.values()].filter((value) => wanted.includes(value)).length;
    function rank(name) {
      const question = form.byId.get(name);
      const value = known.get(name).values.get("");
      return value === undefined || question.unsure.has(value) ? -1 : question.keys.indexOf(value);
    }
    function applies(caution) {
      if (!Object.entries(caution.all).every(hits) || Object.entries(caution.none).some(hits)) return false;
      if (!caution.later.length) return true;
      const [first, second] = caution.later.map(rank);
      return first >= 0 && second >= 0 && first > second;
    }
    for (const caution of errors.length ? [] : form.warnings.filter(applies)) {
      const counted = Object.entries(caution.all).filter(([name]) => form.byId.get(name).answer === "triplets").map(hits);
      let { text } = caution;
      for (const [name, { values }] of known) text = text.split(`{${name}}`).join(values.get("") ?? "");
      warnings.push({ rule: caution.rule, text: text.split("{n}").join(String(counted[0] || 0)), about: "" });
    }
    return { asked, triplets: about, errors, warnings, answers: Object.fromEntries(answers) };
  };
}
