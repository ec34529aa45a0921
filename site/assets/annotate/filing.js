/* Files of answers: handed in, or taken to go on from; the rules of a pull request judge those first. */

import { make } from "../check/show.js";
import { asked } from "./answers.js";
import { button } from "./around.js";
import { formOf, pathOf, teller, tripletIds } from "./form.js";
import { handingIn } from "./hand_in.js";
import { checking, content } from "./sheet.js";

/** What a draft hands in: sound answers to finished items, and their comments. */
export function handedIn(batch, { answers, comments, done }, answer) {
  const topics = batch.topics.map(({ key }) => key);
  const finished = batch.items.filter(({ id }) => done.includes(id));
  return {
    answers: Object.fromEntries(finished.map((item) =>
      [item.id, answer(item, asked(item, answers[item.id] || {}, answer, topics), topics).answers])),
    comments: Object.fromEntries(finished.filter(({ id }) => comments[id]).map(({ id }) => [id, comments[id]])),
  };
}

// ---- a file that was exported elsewhere

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** A file's answers to an item as drafts have them. */
function drafted(form, answers) {
  const value = (id, given) => (form.byId.get(id).answer !== "triplets" ? [given].flat().join(",")
    : Object.fromEntries(tripletIds(given.length).map((triplet, i) => [triplet, given[i]]).filter(([, one]) => one !== "-")));
  return Object.fromEntries(form.questions.filter(({ id }) => id in answers).map(({ id }) => [id, value(id, answers[id])]));
}
/** What a draft becomes by a file, and how many items of it have other answers. */
export function merged(form, draft, { annotator, answers, comments }) {
  const ids = Object.keys(answers);
  const taken = Object.fromEntries(ids.map((id) => [id, drafted(form, answers[id])]));
  const replaced = ids.filter((id) => Object.keys(draft.answers[id] || {}).length && !same(draft.answers[id], taken[id]));
  return {
    replaced: replaced.length,
    draft: {
      ...draft, answers: { ...draft.answers, ...taken }, comments: { ...draft.comments, ...comments },
      done: [...new Set([...draft.done, ...ids])], name: draft.name || annotator,
    },
  };
}

/** `{element, open()}`; `take(draft, said)` makes it the draft. */
function importing({ form: data, batch, facts }, draft, take) {
  const form = formOf(data);
  const file = make("input", { type: "file", accept: ".tsv,text/tab-separated-values", id: "wb-file" });
  const out = make("div", { role: "status" });
  const element = make("section", { class: "wb-import" }, make("h2", {}, "Import"),
    make("p", {}, make("label", { for: "wb-file" }, "A file that you exported from this batch"), " ", file), out);
  element.hidden = true;

  function say(...parts) { out.replaceChildren(...parts); }
  function offer(annotation) {
    const { draft: next, replaced } = merged(form, draft.now(), annotation);
    const count = Object.keys(annotation.answers).length;
    const go = () => { element.hidden = true; take(next, `Imported answers to ${count} item${count === 1 ? "" : "s"}. Undo brings back what was here.`); };
    if (!replaced) { go(); return; }
    const yes = button("Take the file's answers", "", go);
    say(make("p", {}, `The file answers ${count} item${count === 1 ? "" : "s"}. You have other answers to ${replaced} of them here.`),
      make("p", { class: "wb-buttons" }, yes, button("Keep mine", "", () => { element.hidden = true; })));
    yes.focus();
  }
  file.addEventListener("change", async () => {
    const [chosen] = file.files;
    if (!chosen) return;
    const large = chosen.size > facts.limits.bytes;
    const { faults, annotation } = large
      ? { faults: [{ line: 1, ...teller(facts)("ANN-SIZE", "", { n: chosen.size, most: facts.limits.bytes }) }], annotation: null }
      : checking(data, batch, facts)(new Uint8Array(await chosen.arrayBuffer()), "");
    file.value = "";
    if (annotation) offer(annotation);
    else {
      say(make("p", {}, "The file was not taken:"), make("ul", {}, ...faults.slice(0, 10).map(({ line, rule, text }) =>
        make("li", { class: "wb-fault" }, `line ${line}: ${rule} ${text}`))));
    }
  });
  return { element, open() { element.hidden = false; say(); element.scrollIntoView(); file.focus({ preventScroll: true }); } };
}

/** `{element, refresh(), export(), bring()}`; `take(draft, said)` makes an imported file the draft. */
export function filing({ known, form, draft, answer, tell }, take) {
  const { form: data, batch, facts, files } = known;
  function made(annotator, time) {
    const file = content(data, batch, { annotator, exported: time, ...handedIn(batch, draft.now(), answer) });
    return {
      file, path: pathOf(form, batch.batch, annotator), exists: files.includes(annotator),
      ...checking(data, batch, facts)(new TextEncoder().encode(file), annotator, batch.status === "open"),
    };
  }
  const hand = handingIn({ known, draft, tell, made });
  const bring = importing(known, draft, take);
  return { element: make("div", {}, bring.element, hand.element), refresh: hand.refresh, export: hand.open, bring: bring.open };
}
