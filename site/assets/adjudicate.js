/* The page of a closed batch, for maintainers: unit after unit on which annotators disagree, their votes under letters,
   what holds. */

import { answering } from "./annotate/answers.js";
import { bars, keeping, listening, overview, remarks, shortcuts } from "./annotate/around.js";
import { nothing } from "./annotate/draft.js";
import { teller, textOf, tripletIds } from "./annotate/form.js";
import { graphs } from "./annotate/graphs.js";
import { confirming, itemView, lacking, nextOpen } from "./annotate/item.js";
import { filing } from "./annotate/ruling_file.js";
import { formFor, lettered, settled, unitsOf } from "./annotate/rulings.js";
import { inWords } from "./annotate/widgets.js";
import { language } from "./check/language.js";
import { foreign, make, one } from "./check/show.js";

function start(root) {
  const known = JSON.parse(one(".wb-known", root).textContent);
  const { form: rulings, asked, batch, facts, written } = known;
  const [saying, task] = [one(".wb-saying", root), one(".wb-task", root)];
  one(".wb-needs", root).hidden = true;
  const units = unitsOf(known);
  if (!units.length) {
    task.append(make("p", {}, "Annotators agree on every unit, so there is nothing to settle."));
    return;
  }
  const say = language();
  const graph = graphs(facts, say, teller(facts));
  const topics = batch.topics.map(({ key }) => key);
  const forms = new Map(units.map(({ unit: { question } }) => question).map((id) => [id, formFor(asked, rulings, id)]));
  const checks = new Map([...forms].map(([id, form]) => [id, answering(form, facts)]));
  const formOf = ({ unit }) => forms.get(unit.question);
  const answer = (which, given) => checks.get(which.unit.question)(which, given, topics);
  const tell = (text) => { saying.textContent = text; };
  let [place, faults, view] = [0, [], null];
  const item = () => units[place];

  const { draft, above, saved, turned, begin } = keeping({ batch: `adjudicate/${batch.batch}`, sha256: batch.sha256 }, {
    changed, refresh: () => { if (view) refresh(); }, first: { ...nothing(), ...settled(known, units) },
  });

  function contextOf(which) {
    const judge = () => answer(which, draft.of(which.id));
    let judged = judge();
    return {
      form: formOf(which), batch, facts, topics, say, graph, tell, item: which,
      answers: () => draft.of(which.id), given: (id) => draft.of(which.id)[id] ?? "",
      put(id, value, part = null) { if (draft.answer(which.id, id, value, part)) changed(); },
      judged: () => judged, judge() { judged = judge(); }, readOnly: draft.kept.readOnly,
    };
  }

  // ---- one unit

  /** Which triplet it is, who said what, and what annotators wrote on the item. */
  function votes({ unit, triplets }) {
    const { byId } = formOf(item());
    const at = tripletIds(triplets.length).indexOf(unit.unit);
    const about = at < 0 ? [] : [make("p", {}, make("b", {}, `Triplet ${unit.unit}: `), ...inWords(batch, triplets[at]).written())];
    const said = lettered(unit).map(([letter, value]) =>
      make("li", {}, make("b", {}, `${letter}: `), foreign(textOf(byId.get("value"), batch, value)), ` (${value})`));
    const texts = Object.entries(written[unit.item] || {}).map(([name, all]) =>
      make("div", {}, make("h4", {}, name === "comment" ? "Comments" : asked.questions.find(({ id }) => id === name).text),
        make("ul", {}, ...all.map((text) => make("li", {}, foreign(text, 4000))))));
    return make("section", { class: "wb-settle", "aria-label": "Votes" }, ...about, make("h3", {}, "Votes"), make("ul", {}, ...said),
      ...(texts.length ? [make("details", {}, make("summary", {}, "What annotators wrote on this item, in any order"), ...texts)] : []));
  }
  const remark = remarks(draft, facts.limits.comment, item);
  const foot = make("div", {}, remark.element);
  const [heading, stage] = [make("h2", {}), make("div", {})];
  const jumps = overview({ ...batch, items: units }, draft, saved, (to) => move(to));
  const keys = shortcuts(() => ({}));
  const files = make("div", {});
  let handIn = null;
  function handsIn() {
    handIn ??= filing(known, units, draft, tell);
    files.replaceChildren(handIn.element);
    handIn.open();
  }
  function refresh() {
    view.context.judge();
    view.refresh(faults);
    remark.refresh();
    jumps.refresh(place);
    handIn?.refresh();
  }
  function changed() {
    if (faults.length) tell("");
    faults = [];
    refresh();
  }
  function show() {
    view = itemView(contextOf(item()), foot);
    heading.textContent = `Item ${place + 1}: ${asked.questions.find(({ id }) => id === item().unit.question).label}`;
    stage.replaceChildren(votes(item()), view.element);
    changed();
    view.context.light(item().unit.unit);
  }

  // ---- steps

  function move(to) {
    if (to < 0 || to >= units.length) return;
    place = to;
    show();
    view.focus();
    heading.scrollIntoView({ block: "nearest" });
  }
  function finish() {
    if (draft.kept.readOnly()) return;
    faults = lacking(view, answer).faults;
    if (faults.length) {
      tell(faults.map(({ text }) => text).join(" "));
      refresh();
      view.focus(faults[0]);
      return;
    }
    draft.finish(item().id);
    const next = nextOpen(units, place, draft.now().done);
    if (next !== undefined) { move(next); return; }
    changed();
    tell("Every unit is settled. Hand in your file.");
    handsIn();
  }
  const actions = {
    finish, confirm: () => confirming(view, answer, finish), back: () => move(place - 1), next: () => move(place + 1),
    undo: () => turned(draft.undo()), redo: () => turned(draft.redo()), flag: () => turned(draft.flag(item().id)),
    guidelines() { for (const box of stage.querySelectorAll("details")) box.open = !box.open; },
    comment: remark.focus, export: handsIn, keys: keys.open,
  };
  const { tools, steps } = bars(actions, saying);
  task.append(above.element, jumps.element, tools, heading, stage, files, steps, keys.element);
  listening(actions, () => view);
  place = Math.max(units.findIndex(({ id }) => !draft.now().done.includes(id)), 0);
  begin(draft.unsent);
  show();
}

start(document.querySelector(".wb-adjudicate"));
