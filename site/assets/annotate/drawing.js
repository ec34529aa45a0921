/* The drawing of an item's triplets, which the site's build has made and escaped. */

import { make } from "../check/show.js";
import { afterPaint } from "./browser.js";
import { inWords } from "./triplets.js";
import { tripletIds } from "./form.js";

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
