/* What a question looks back on: an earlier answer, and the triplets for whose rating it is asked. */

import { foreign, make } from "../check/show.js";
import { sourceOf, textOf, tripletIds } from "./form.js";
import { inWords } from "./triplets.js";

const NOT = "It is not the case that ";

export function recall({ form, batch, item, given, judged }, question) {
  const box = make("div", { class: "wb-recall" });
  const rated = Object.entries({ ...question.when?.all, ...question.when?.any })
    .filter(([id]) => question.answer !== "triplets" && form.byId.get(id).answer === "triplets");
  function earlier() {
    const one = form.byId.get(question.recalls);
    const value = one ? given(one.id) : "";
    return value ? [make("p", {}, `You answered ${one.label}: `, make("b", {}, foreign(textOf(one, batch, value))))] : [];
  }
  function triplets([id, wanted]) {
    const not = sourceOf(form, form.byId.get(id)) ? NOT : "";
    const asked = judged().triplets[id] || [];
    const ids = tripletIds(item.triplets.length).filter((triplet) => asked.includes(triplet) && wanted.includes((given(id) || {})[triplet]));
    if (!ids.length) return [];
    return [make("ul", {}, ...ids.map((triplet) => {
      const words = inWords(batch, item.triplets[Number(triplet.slice(1)) - 1]);
      return make("li", {}, not, ...(words.sentence() || words.written()));
    }))];
  }
  if (!question.recalls && !rated.length) return { elements: [], refresh() {} };
  return { elements: [box], refresh() { box.replaceChildren(...earlier(), ...rated.flatMap(triplets)); } };
}
