/* What is shown of an item, by the kind of field, and what a question looks back on; widgets.js says what a part is. */

import { chip, foreign, make } from "../check/show.js";
import { afterPaint } from "./around.js";
import { sourceOf, textOf, tripletIds } from "./form.js";
import { drawing as graphDrawing } from "./graph_view.js";
import { sentence } from "./graphs.js";
import { NOT, inWords } from "./widgets.js";

// ---- the drawing of an item's triplets, which the site's build has made and escaped

const MARKS = [["k0", "P", "in the premise"], ["k1", "C", "in the conclusion"], ["km", "PC", "in both"], ["kx", "–", "in neither."]];

let script = null;
/** The drawings of the batch by item, which a script beside the page has. */
export const drawings = () => (script ??= new Promise((done, failed) => {
  const made = make("script", { src: "drawings.js" });
  made.addEventListener("load", () => done(window.wbDrawings || {}));
  made.addEventListener("error", () => { script = null; failed(new Error("no drawings")); });
  document.head.append(made);
}));

/** The edges of a drawing, each with its label, in the order of the triplets; `light`: points at one. */
function edgesOf(box, ids, light) {
  const labels = box.querySelectorAll("text.l");
  const edges = new Map([...box.querySelectorAll(".e")].map((edge, i) => [ids[i], [edge, labels[i]]]));
  for (const [id, pair] of edges) {
    for (const part of pair) {
      part.addEventListener("pointerenter", () => light(id));
      part.addEventListener("pointerleave", () => light(""));
      part.addEventListener("click", () => document.querySelector(`[data-triplet="${id}"] input`)?.focus());
    }
  }
  return edges;
}

export function drawing({ form, batch, item, light }) {
  const ids = tripletIds(item.triplets.length);
  const box = make("div", { class: "wb-drawing", tabindex: "0", role: "region", "aria-label": "Drawing of the triplets" });
  const listed = form.questions.some(({ answer }) => answer === "triplets") ? []
    : [make("ol", { class: "wb-edges" }, ...item.triplets.map((triplet) => make("li", {}, ...inWords(batch, triplet).written())))];
  const legend = make("p", { class: "wb-origins" }, ...MARKS.flatMap(([kind, mark, text]) =>
    [make("span", {}, make("b", { class: kind }, mark), ` ${text}`), " "]),
  "The marks are found automatically and may be wrong.");
  let [edges, now] = [new Map(), ""];
  function mark(triplet, is) { for (const part of edges.get(triplet) || []) part.classList.toggle("lit", is); }
  function draw(markup) {
    box.innerHTML = markup; // made and escaped by the site's build
    edges = edgesOf(box, ids, light);
    mark(now, true);
  }
  if (item.drawing) draw(item.drawing);
  else {
    box.textContent = "Drawing …";
    drawings().then((all) => afterPaint(() => draw(all[item.id] || ""))(), () => { box.textContent = "The drawing could not be loaded; its triplets are listed."; });
  }
  return {
    elements: [box, legend, ...listed],
    lit(triplet) {
      mark(now, false);
      now = triplet;
      mark(now, true);
    },
  };
}

// ---- fields

const NO_MAJORITY = "none"; // as scorer/people/answered.py has it
const MOST = 2000; // characters of a text
const of = (show) => ({ item }, { name }) => ({ elements: [show(item.texts[name])] });

/** A graph as a drawing and as a list of facts, each read as a sentence. A graph to mend has the
    drawing beside its rows. */
function facts({ form, batch, item, graph }, { name }) {
  const { facts: listed } = graph.read(item.texts[name]);
  const readings = { ...batch.glosses, ...form.readings };
  const list = make("ol", { class: "wb-edges" }, ...listed.map((fact) => make("li", {}, foreign(fact[0]), " ", make("b", {}, foreign(fact[1])), " ", foreign(fact[2]),
    ...(readings[fact[1]] ? [make("small", {}, " ", foreign(sentence(fact, readings)))] : []))));
  const box = make("div", {});
  if (form.before !== name && listed.length) {
    box.append(graphDrawing(listed.map((fact) => ({ fact, change: "kept" })), () => true, []));
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

/** What a question looks back on: an earlier answer, and the triplets for whose rating it is asked. */
export function recall({ form, batch, item, given, judged }, question) {
  const box = make("div", { class: "wb-recall" });
  const rated = Object.entries(question.when?.all ?? {})
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
