/* What is shown of an item, by the kind of field; widgets.js says what a part is. */

import { chip, foreign, make } from "../check/show.js";
import { drawing } from "./drawing.js";
import { sentence } from "./graphs.js";

const NO_MAJORITY = "none"; // as scorer/people/stages.py has it
const MOST = 2000; // characters of a text
const of = (show) => ({ item }, { name }) => ({ elements: [show(item.texts[name])] });

/** A graph as a drawing, once that is here, and as a list of facts, each read as a sentence. A graph to mend has the
    drawing beside its rows. */
function facts({ form, batch, item, graph }, { name }) {
  const { facts: listed } = graph.read(item.texts[name]);
  const readings = { ...batch.glosses, ...form.readings };
  const list = make("ol", { class: "wb-edges" }, ...listed.map((fact) => make("li", {}, foreign(fact[0]), " ", make("b", {}, foreign(fact[1])), " ", foreign(fact[2]),
    ...(readings[fact[1]] ? [make("small", {}, " ", foreign(sentence(fact, readings)))] : []))));
  const box = make("div", {});
  if (form.before !== name && listed.length) {
    import("./graph_view.js").then(({ drawing: drawn }) =>
      box.append(drawn(listed.map((fact) => ({ fact, change: "kept" })), () => true, [])), () => {});
  }
  return { elements: [box, list] };
}

export const FIELDS = {
  text: of((text) => make("p", { class: "wb-statement" }, foreign(text, MOST))),
  label: ({ form, item }, { name, says = {} }) => {
    const votes = form.after.some(({ takes, named }) => takes === "disagreement" && named === name);
    const label = item.texts[name];
    return { elements: [make("p", {}, chip("quiet", says[label] ?? (votes && label === NO_MAJORITY ? "no majority" : label)))] };
  },
  number: of((text) => make("p", {}, text)),
  graph: facts,
  triplets: drawing,
  counts: ({ item }, { name, values }) => {
    const votes = item.counts[name];
    const labels = [...values.filter((label) => label in votes), ...Object.keys(votes).filter((label) => !values.includes(label))];
    return { elements: [make("p", {}, labels.map((label) => `${label}: ${votes[label]}`).join(", "))] };
  },
};

/** Whether there is something to show. */
export const present = ({ texts, counts, triplets }, { name, kind }) =>
  (kind === "triplets" ? triplets.length > 0 : name in texts || name in counts);
