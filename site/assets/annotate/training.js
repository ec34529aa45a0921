/* Batches to learn on: right or wrong after each item, and a score at the end; where people write, a good answer to
   compare theirs with. Nothing is handed in. */

import { foreign, make } from "../check/show.js";
import { button } from "./around.js";
import { FIELDS } from "./fields.js";
import { textOf, tripletIds } from "./form.js";
import { inWords } from "./widgets.js";

const ENOUGH = 0.8;
const JUDGED = ["choice", "choices", "triplets"];

/** `[{question, right, wanted, given}]`: each question of an item that has one right answer, beside the answers;
    `answer`: of answers.js. */
export function judged(form, item, given, answer, topics) {
  const wanted = answer(item, item.answer, topics).answers;
  const found = answer(item, given, topics).answers;
  const alike = (value) => JSON.stringify([value ?? []].flat().slice());
  return form.questions.filter(({ id, answer: kind }) => JUDGED.includes(kind) && id in wanted)
    .map((question) => {
      const set = question.answer === "choices" ? (value) => [...(value ?? [])].sort() : (value) => value;
      return { question, wanted: wanted[question.id], given: found[question.id],
        right: alike(set(wanted[question.id])) === alike(set(found[question.id])) };
    });
}

/** `{element, hide(), first(item, given), feedback(item, given, then), score()}`; `again` begins anew. */
export function training({ form, batch, draft, answer, graph, again }) {
  const topics = batch.topics.map(({ key }) => key);
  const element = make("section", { class: "wb-training", tabindex: "-1" });
  element.hidden = true;

  function said({ question, right, wanted, given }, item) {
    const say = (value) => [value ?? []].flat().map((key) => textOf(question, batch, key)).join(", ") || "nothing";
    const mark = make("b", { class: right ? "wb-right" : "wb-wrong" }, right ? "✓ Right" : "✗ Not so");
    if (question.answer !== "triplets") {
      return make("li", {}, mark, `: ${question.text} `, ...(right ? [say(wanted)] : [make("b", {}, say(wanted)), `, not: ${say(given)}`]));
    }
    const ids = tripletIds(wanted.length);
    const asked = ids.filter((_, i) => wanted[i] !== "-");
    const other = asked.filter((id) => wanted[ids.indexOf(id)] !== (given || [])[ids.indexOf(id)]);
    return make("li", {}, mark, `: ${question.text} ${asked.length - other.length} of ${asked.length} ratings agree.`,
      make("ul", {}, ...other.map((id) => {
        const i = ids.indexOf(id);
        return make("li", {}, ...inWords(batch, item.triplets[i]).written(), ": ", make("b", {}, say(wanted[i])), `, not: ${say((given || [])[i])}`);
      })));
  }
  function texts(item) {
    return form.questions.filter(({ id, answer: kind }) => !JUDGED.includes(kind) && item.answer[id])
      .flatMap(({ id, text, answer: kind }) => {
        if (kind !== "graph") return [make("p", {}, `${text} A good answer: `, foreign(item.answer[id], 2000))];
        const { elements } = FIELDS.graph({ form, batch, item: { texts: item.answer }, graph }, { name: id });
        return [make("p", {}, `${text} A good answer:`), ...elements];
      });
  }
  const counts = form.questions.some(({ answer: kind }) => JUDGED.includes(kind));
  const isRight = (item, given) => judged(form, item, given, answer, topics).every(({ right }) => right);
  return {
    element,
    hide() { element.hidden = true; },
    /** What the first try at each item was, with that at this one: later tries do not count. */
    first(item, given) {
      const { first = {} } = draft.now();
      return item.id in first ? first : { ...first, [item.id]: isRight(item, given) };
    },
    feedback(item, given, then) {
      const next = button("Go on", "Enter", then, "md-button--primary");
      const found = judged(form, item, given, answer, topics);
      const heading = !counts ? "Compare" : found.every(({ right }) => right) ? "✓ Right" : "✗ Not quite";
      element.replaceChildren(make("h2", {}, heading),
        make("ul", {}, ...found.map((one) => said(one, item))), ...texts(item),
        item.why ? make("p", {}, make("b", {}, "Why: "), foreign(item.why, 1000)) : "", make("p", {}, next));
      element.hidden = false;
      next.focus();
    },
    score() {
      const { first = {} } = draft.now();
      const right = batch.items.filter(({ id }) => first[id]).length;
      const all = batch.items.length;
      const enough = right >= ENOUGH * all;
      element.replaceChildren(make("h2", {}, counts ? `${right} of ${all}` : `All ${all} are done`),
        make("p", {}, counts ? `You had ${right} of ${all} items right at the first try. ` : "If your answers said what ours say: ",
          enough ? "You are ready for batches whose answers count." : "Read the guidelines again, and try once more."),
        make("p", {}, button("Begin again", "", again)));
      element.hidden = false;
      element.focus();
    },
  };
}
