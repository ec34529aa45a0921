/* The answer that is a graph: its facts in rows, what is right and wrong with them, a drawing. With an old graph
   to mend, what became of each fact too. */

import { foreign, make } from "../check/show.js";
import { button } from "./around.js";
import { MOST_ROWS, SIGNS, added, changes as changesOf, edited, removed, reset as began, restored, rowsOf, state as stateOf } from "./graph_rows.js";
import { drawing, legend } from "./graph_view.js";
import { factsOf, saying, sentence } from "./graphs.js";

const NO_MOST = null;

/** `[{words, told, kept}]`: every rule of a form's graphs in words, and what its errors say. */
export function checks({ rules, texts }, errors) {
  const { least_edges: least, most_edges: most, concept_words: most_words } = rules;
  const facts = (count) => `${count} fact${count === 1 ? "" : "s"}`;
  const wanted = [
    [["EG-FEW-FACTS", "EG-MANY-FACTS"], most === NO_MOST ? `At least ${facts(least)}` : least === most ? facts(least) : `${least} to ${facts(most)}`],
    [["EG-EMPTY"], "Both concepts of each fact"],
    [["EG-REL"], "A relation in each fact"],
    ...(most_words === NO_MOST ? [] : [[["EG-LONG"], `At most ${most_words} word${most_words === 1 ? "" : "s"} in a concept`]]),
    [["EG-CHAR"], "No brackets, semicolons or tabs"],
    ...(rules.acyclic ? [[["EG-SELF"], "Two different concepts in each fact"]] : []),
    [["EG-DUP"], "No fact twice"],
    ...(rules.connected ? [[["EG-DISCONNECTED"], "All facts connected"]] : []),
    ...(rules.acyclic ? [[["EG-CYCLE"], "No cycle"]] : []),
    ...texts.filter(({ concepts }) => concepts).map(({ name, concepts }) =>
      [[`EG-${name.toUpperCase()}-CONCEPTS`], `${concepts} concept${concepts === 1 ? "" : "s"} from the ${name}`]),
  ];
  const known = new Set(wanted.flatMap(([ids]) => ids));
  const others = [...new Set(errors.map(({ rule }) => rule))].filter((rule) => !known.has(rule));
  return [...wanted, ...others.map((rule) => [[rule], rule])].map(([ids, words]) => {
    const told = errors.filter(({ rule }) => ids.includes(rule));
    return { words, told, kept: !told.length };
  });
}

const MOST_PHRASES = 400;
/** Phrases of the texts of up to `most` words, and concepts that are used already; each once, lower-cased. */
export function phrases(texts, concepts, most) {
  const found = new Set(concepts.filter(Boolean));
  for (const text of texts) {
    for (const part of text.toLowerCase().split(/[^\p{L}\p{M}\p{N}'’\- ]+/u)) {
      const words = part.split(" ").filter(Boolean);
      for (let length = 1; length <= (most ?? 3); length += 1) {
        for (let at = 0; at + length <= words.length && found.size < MOST_PHRASES; at += 1) {
          const phrase = words.slice(at, at + length).join(" ");
          if (phrase.length > 2) found.add(phrase);
        }
      }
    }
  }
  return [...found];
}

/** Relations in the groups of a list to choose from: `[[name, relations]]`. */
export function grouped({ relations, negated }) {
  const groups = [["Positive", relations.filter((one) => !negated.includes(one))], ["Negative", relations.filter((one) => negated.includes(one))]];
  return negated.length ? groups.filter(([, listed]) => listed.length) : [["", relations]];
}

// ---- the answer

const SOON = 200; // milliseconds after a change until the rules are told
const SAID = { kept: "kept", added: "added", removed: "removed" };
const MARKS = { wanted: "○", kept: "✓", broken: "✗" };
const CELLS = ["first concept", "relation", "second concept"];
const LONGEST = "200";

export function graph(context, question) {
  const { form, item, facts: known, given, put, readOnly, say, tell } = context;
  const { rules, texts, reminders } = form.graph;
  const { normalised, read, check } = context.graph;
  const old = form.before ? read(item.texts[form.before] || "").facts : [];
  const contents = texts.map(({ name }) => item.texts[name] || "");
  const lowered = contents.map(say.lower);
  const inside = (concept) => Boolean(concept) && lowered.some((text) => text.includes(concept));
  const now = () => rowsOf(given(question.id), old, rules.least_edges, read);
  const facts = () => factsOf(now()).map(normalised);

  // ---- steps; each takes the rows as they are and puts others

  function step(next, part = null) {
    if (readOnly()) return;
    const { rows, ticked } = now();
    put(question.id, { rows: next(rows), ticked }, part);
  }
  function add() {
    if (now().rows.length >= MOST_ROWS) { tell(`At most ${MOST_ROWS} rows.`); return; }
    step(added);
    lines.at(now().rows.length - 1)?.cells[0].focus();
  }
  function remove(place) {
    step((rows) => removed(rows, place));
    const after = lines.at(Math.min(place, now().rows.length - 1));
    if (now().rows.length) (now().rows[place]?.gone ? after.restore : after.cells[0]).focus();
    else more.focus();
  }

  // ---- rows

  const [list, phraseList] = [make("ol", { class: "wb-facts" }), make("datalist", { id: `wb-phrases-${question.id}` })];
  const lines = [];
  function chooser() {
    const select = make("select", {}, make("option", { value: "" }, "relation …"));
    for (const [name, relations] of grouped(rules)) {
      const options = relations.map((relation) => make("option", { value: relation }, relation));
      if (name) select.append(make("optgroup", { label: name }, ...options));
      else select.append(...options);
    }
    return select;
  }
  const typed = () => make("input", { type: "text", placeholder: "concept", maxlength: LONGEST, autocomplete: "off", autocapitalize: "off", spellcheck: "true", list: phraseList.id });
  function lineOf(place) {
    const cells = [typed(), chooser(), typed()];
    cells.forEach((cell, i) => cell.addEventListener("input", () => step((rows) => edited(rows, place, i, cell.value), ` ${place} ${i}`)));
    const [mark, reading, was] = [make("b", { class: "wb-factmark" }), make("p", { class: "wb-reading" }), make("p", { class: "wb-was" })];
    const drop = button("Remove", "", () => remove(place));
    const restore = button("Restore", "", () => { step((rows) => restored(rows, place)); lines[place].cells[0].focus(); });
    const reset = button("Reset fact", "", () => { step((rows) => began(rows, place, old)); lines[place].cells[0].focus(); });
    const element = make("li", {}, mark, make("div", { class: "wb-cells" }, ...cells, drop, restore), reading, was, reset);
    return { element, cells, mark, reading, was, drop, restore, reset };
  }
  function show(line, one, number) {
    const state = stateOf(one, old, normalised);
    const sign = old.length ? { gone: SIGNS.removed, added: SIGNS.added, changed: "✎" }[state] || "" : "";
    const name = state === "gone" ? "Removed fact" : number ? `Fact ${number}` : "New fact";
    line.element.className = state;
    line.mark.textContent = `${number || ""}${sign}`;
    line.cells.forEach((cell, i) => {
      if (i === 1 && one.fact[1] && ![...cell.options].some(({ value }) => value === one.fact[1])) {
        cell.append(make("option", { value: one.fact[1] }, `${one.fact[1]} (not in the list)`));
      }
      if (cell.value !== one.fact[i]) cell.value = one.fact[i];
      cell.disabled = readOnly() || one.gone;
      cell.setAttribute("aria-label", `${name}: ${CELLS[i]}`);
    });
    line.reading.textContent = number && one.fact.some((part) => part.trim()) ? sentence(one.fact, form.readings) : "";
    line.was.replaceChildren(...(state === "changed" ? ["was: ", foreign(old[one.old].join(" – "))] : state === "gone" ? ["removed"] : []));
    for (const [which, shown] of [["drop", !one.gone], ["restore", one.gone], ["reset", state === "changed"]]) {
      line[which].hidden = !shown;
      line[which].disabled = readOnly();
      line[which].setAttribute("aria-label", `${line[which].textContent.trim()}: ${name}`);
    }
  }

  // ---- what is right and wrong

  const verdict = make("p", { class: "wb-hide", role: "status" });
  const listed = make("ul", { class: "wb-checks" });
  let timer = null;
  function judge() {
    const [errors, odd] = check(form.graph, item, facts());
    const told = checks(form.graph, errors);
    const untouched = !facts().length;
    const line = ({ words, told: why, kept }) => {
      const verdict = untouched ? "wanted" : kept ? "kept" : "broken";
      return make("li", { class: verdict }, make("b", { "aria-hidden": "true" }, MARKS[verdict]), make("span", { class: "wb-hide" }, `${verdict}: `), ` ${words}`,
        ...(untouched ? [] : why).map(({ text }) => make("p", { class: "wb-fault" }, foreign(text))));
    };
    listed.replaceChildren(...told.map(line), ...odd.map(({ text }) => make("li", { class: "odd" }, make("b", { "aria-hidden": "true" }, "!"), " ", foreign(text))));
    const broken = told.filter(({ kept }) => !kept).length;
    const said = untouched ? "" : broken ? `${broken} of ${told.length} rules broken` : "All rules kept";
    if (verdict.textContent !== said) verdict.textContent = said;
    const concepts = [...new Set(facts().flatMap(([a, , b]) => [a, b]))].filter(Boolean);
    phraseList.replaceChildren(...phrases(contents, concepts, rules.concept_words).map((phrase) => make("option", { value: phrase })));
    if (!view.hidden) drawn();
  }

  // ---- changes, drawing, reminders

  const changes = () => (old.length ? changesOf(now().rows, old, normalised) : facts().map((fact) => ({ fact, change: "kept", was: null })));
  const differs = (all) => all.some(({ change: what }) => what !== "kept");
  const change = ({ fact, change: what, was }) => make("li", { class: what },
    ...(old.length ? [make("b", { "aria-hidden": "true" }, SIGNS[what]), make("span", { class: "wb-hide" }, `${SAID[what]}: `)] : []),
    " ", foreign(fact[0] || "…"), " ", make("b", {}, foreign(fact[1] || "…")), " ", foreign(fact[2] || "…"), ...(was ? [make("small", {}, " instead of ", foreign(was.join(" – ")))] : []));
  const changed = make("ul", { class: "wb-changes" });
  const view = make("section", { class: "wb-view", "aria-label": "Graph" });
  view.hidden = true;
  function drawn() {
    const all = changes();
    view.replaceChildren(...(all.length
      ? [drawing(all, inside, rules.negated), legend(texts.map(({ name }) => name), old.length > 0), ...(differs(all) ? [] : [make("ol", { class: "wb-changes" }, ...all.map(change))])]
      : [make("p", {}, "No facts yet.")]));
  }
  function toggle() {
    view.hidden = !view.hidden;
    open.setAttribute("aria-expanded", String(!view.hidden));
    if (!view.hidden) drawn();
  }
  const more = button("Add fact", "Alt+A", add);
  const open = button("View graph", "v", toggle);
  open.setAttribute("aria-expanded", "false");
  const boxes = reminders.map((text, place) => {
    const box = make("input", { type: "checkbox", name: `${question.id}-reminder` });
    box.addEventListener("change", () => {
      const { rows, ticked } = now();
      put(question.id, { rows, ticked: box.checked ? [...ticked, place] : ticked.filter((other) => other !== place) }, null);
    });
    return { box, label: make("label", { class: "wb-choice" }, box, ` ${text}`) };
  });
  const reminding = boxes.length ? [make("div", { class: "wb-reminders", role: "group", "aria-label": "Before you finish" },
    make("h4", {}, "Before you finish, tick each"), ...boxes.map(({ label }) => label))] : [];

  let begun = false;
  return {
    elements: [list, phraseList, make("p", { class: "wb-buttons" }, more, open), view,
      ...(old.length ? [make("h4", {}, "Changes"), changed] : []), verdict, listed, ...reminding],
    refresh() {
      const { rows, ticked } = now();
      const numbers = new Map(saying(rows).map((place, i) => [place, i + 1]));
      while (lines.length > rows.length) lines.pop().element.remove();
      while (lines.length < rows.length) {
        lines.push(lineOf(lines.length));
        list.append(lines.at(-1).element);
      }
      rows.forEach((one, place) => show(lines[place], one, numbers.get(place)));
      if (old.length) {
        const all = changes();
        changed.replaceChildren(...(differs(all) ? all.map(change) : [make("li", {}, "None yet.")]));
      }
      for (const [place, { box }] of boxes.entries()) [box.checked, box.disabled] = [ticked.includes(place), readOnly()];
      more.disabled = readOnly();
      clearTimeout(timer);
      if (begun) timer = setTimeout(judge, SOON);
      else judge();
      begun = true;
    },
    focus(about = "") {
      const place = saying(now().rows)[Number(about) - 1];
      const untold = boxes.find(({ box }) => !box.checked);
      const line = lines[place] || lines.find(({ cells }) => cells.some(({ value }) => !value)) || lines[0];
      if (about === question.id && untold) untold.box.focus();
      else (line ? line.cells[0] : more).focus();
    },
    owns: ({ rule }) => rule.startsWith("EG-"),
    missing: () => (boxes.every(({ box }) => box.checked) ? [] : ["Tick every reminder before you finish."]),
    keys: { v: ["View graph", toggle], "Alt+a": ["Add fact", add] },
  };
}
