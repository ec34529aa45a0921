/* The page on which annotators answer a batch: where they are, what they press, what is said. */

import { language } from "../check/language.js";
import { make, one } from "../check/show.js";
import { answering, asked, count } from "./answers.js";
import { afterPaint, bars, button, keeping, listening, overview, remarks, shortcuts, warning } from "./around.js";
import { filing as filingOf } from "./filing.js";
import { formOf, teller } from "./form.js";
import { graph as graphWidget } from "./graph_answer.js";
import { graphs } from "./graphs.js";
import { confirming, itemView, lacking, narrow, nextOpen } from "./item.js";
import { training } from "./training.js";
import { WIDGETS } from "./widgets.js";

export function start(root) {
  const known = JSON.parse(one(".wb-known", root).textContent);
  const { form: data, batch, facts } = known;
  const form = formOf(data);
  WIDGETS.graph = graphWidget;
  const answer = answering(data, facts);
  const say = language();
  const graph = graphs(facts, say, teller(facts));
  const topics = batch.topics.map(({ key }) => key);
  const [saying, task] = [one(".wb-saying", root), one(".wb-task", root)];
  const tell = (text) => { saying.textContent = text; };
  let [place, faults, view] = [0, [], null];
  const item = () => batch.items[place];

  const { draft, above, saved, turned, begin } = keeping(batch, { changed, refresh: () => { if (view) refresh(); } });

  // ---- one item

  /** What counts where nothing was answered: a graph to mend is there as it was. */
  const begun = ({ texts }) => (form.before in texts
    ? Object.fromEntries(form.questions.filter((one) => one.answer === "graph").map(({ id }) => [id, texts[form.before]])) : {});
  const of = (which) => ({ ...begun(which), ...draft.of(which.id) });

  function contextOf(which) {
    const judge = () => answer(which, of(which), topics);
    let judged = judge();
    return {
      form, batch, facts, topics, say, graph, tell, item: which,
      answers: () => of(which),
      given: (id) => of(which)[id] ?? "",
      put(id, value, part = form.byId.get(id).answer === "text" ? "" : null) {
        if (draft.answer(which.id, id, value, part)) changed();
      },
      judged: () => judged,
      judge() { judged = judge(); },
      readOnly: draft.kept.readOnly,
    };
  }
  const late = make("p", { class: "wb-note" });
  const remark = remarks(draft, facts.limits.comment, item);
  const foot = make("div", {}, late, remark.element);

  // ---- the page

  const heading = make("h2", {});
  const stage = make("div", {});
  const jumps = overview(batch, draft, saved, (to) => move(to));
  const look = warning({ form, batch });
  const keys = shortcuts(() => Object.assign({}, ...view.parts().map((part) => part.keys || {})));
  const learn = batch.training ? training({ form, batch, draft, answer, graph, again }) : undefined;
  const files = make("div", {});
  let filing = null;
  /** What hands in and takes files, once it is wanted. */
  function atFiles(then) {
    filing ??= filingOf({ known, form, draft, answer, tell }, (next, text) => {
      if (draft.change({ ...next, finished: draft.now().finished || "" })) { changed(); tell(text); }
    });
    if (!filing.element.isConnected) files.append(filing.element);
    then(filing);
  }

  const around = afterPaint(() => {
    const more = count(draft.of(item().id)) - count(asked(item(), draft.of(item().id), answer, topics));
    late.textContent = more ? `${more} later answer${more === 1 ? " is" : "s are"} kept but will not be exported.` : "";
    late.hidden = !more;
    filing?.refresh();
  });
  function refresh() {
    view.context.judge();
    view.refresh(faults);
    remark.refresh();
    jumps.refresh(place);
    around();
  }
  function changed() {
    if (faults.length) tell("");
    faults = [];
    look.clear();
    learn?.hide();
    refresh();
  }
  function show() {
    view = itemView(contextOf(item()), foot);
    heading.textContent = `Item ${place + 1}`;
    stage.replaceChildren(view.element);
    changed();
  }

  // ---- steps

  function move(to) {
    if (to < 0 || to >= batch.items.length) return;
    place = to;
    show();
    view.focus();
    heading.scrollIntoView({ block: "nearest" });
  }
  function tellFaults(found) {
    faults = found;
    tell([...new Set(faults.map(({ text }) => text))].join(" "));
    refresh();
    view.focus(faults[0]);
  }
  function finish() {
    if (draft.kept.readOnly() || view.goesOn()) return;
    const { faults: found, warnings } = lacking(view, answer);
    if (found.length) tellFaults(found);
    else if (warnings.length) look.ask(warnings, close, () => view.focus());
    else close();
  }
  function close() {
    const given = asked(item(), of(item()), answer, topics);
    draft.finish(item().id, begun(item()), learn ? { first: learn.first(item(), given) } : {});
    if (!learn) {
      onward();
      return;
    }
    refresh();
    learn.feedback(item(), given, onward);
  }
  function onward() {
    const next = nextOpen(batch.items, place, draft.now().done);
    if (next !== undefined) { move(next); return; }
    changed();
    if (learn) learn.score();
    else { tell("All items are done. Hand in your file."); actions.export(); }
  }
  function again() {
    draft.discard();
    move(0);
  }
  const actions = {
    finish, confirm: () => confirming(view, answer, finish), back: () => move(place - 1), next: () => move(place + 1),
    undo: () => turned(draft.undo()), redo: () => turned(draft.redo()),
    flag: () => turned(draft.flag(item().id)),
    guidelines() {
      const boxes = [...stage.querySelectorAll("details")];
      const open = !boxes.every((box) => box.open);
      for (const box of boxes) box.open = open;
    },
    comment: remark.focus, keys: keys.open,
    export: () => { if (!learn) atFiles((one) => one.export()); },
    bring: () => { if (!learn) atFiles((one) => one.bring()); },
  };
  const { tools, steps } = bars(actions, saying, { more: learn ? [] : [button("Import", "", actions.bring)], exports: !learn });
  task.append(above.element, jumps.element, tools, heading, stage, look.element, learn ? learn.element : files, steps, keys.element);
  listening(actions, () => view);
  const fold = () => { one(".wb-about", root).open = !narrow().matches; };
  fold();
  narrow().addEventListener("change", () => { fold(); refresh(); });
  one(".wb-needs", root).hidden = true;
  place = Math.max(batch.items.findIndex(({ id }) => !draft.now().done.includes(id)), 0);
  begin(() => !learn && draft.unsent());
  show();
}
