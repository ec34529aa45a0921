/* The draft of a batch, as the page changes it: every change is a step and is kept in the browser. */

import { count } from "./export.js";
import { history, nothing, store } from "./store.js";

/** `first`: what it begins with where nothing was kept. */
export function drafting(batch, browser, tell, first = nothing()) {
  const kept = store(batch, browser, (state) => {
    if (state.kind === "mine") reload();
    tell(state);
  });
  const found = kept.load();
  const steps = history(found ? found.draft : first);
  const now = () => steps.now();
  const of = (id) => now().answers[id] || {};
  const time = () => new Date(browser.now()).toISOString();

  function change(next, field = null) {
    if (kept.readOnly()) return false;
    steps.change({ ...now(), ...next }, field);
    kept.keep(now());
    return true;
  }
  /** Takes what another tab has kept. */
  function reload() {
    const other = kept.load();
    if (other) steps.change(other.draft);
  }
  const turn = (did) => {
    if (did) kept.keep(now());
    return did;
  };
  const without = (list, id) => list.filter((other) => other !== id);
  const touched = (id) => (now().done.includes(id) ? { finished: time() } : {});
  return {
    kept, found, now, change, of,
    undo: () => !kept.readOnly() && turn(steps.undo()),
    redo: () => !kept.readOnly() && turn(steps.redo()),
    /** `part`: what of the answer is typed, changes of which in a row are one step; null: a step of its own. */
    answer: (id, question, value, part = null) => change({
      answers: { ...now().answers, [id]: { ...of(id), [question]: value } }, done: without(now().done, id), ...touched(id),
    }, part === null ? null : `${id} ${question} ${part}`),
    comment: (id, text) => change({ comments: { ...now().comments, [id]: text }, ...touched(id) }, `${id} comment`),
    /** `begun`: what counts where nothing was answered. */
    finish: (id, begun = {}, more = {}) => change({
      done: [...without(now().done, id), id], answers: { ...now().answers, [id]: { ...begun, ...of(id) } }, finished: time(), ...more,
    }),
    flag: (id) => change({ flags: now().flags.includes(id) ? without(now().flags, id) : [...now().flags, id] }),
    discard: () => change({ ...first, name: now().name, first: {}, finished: "" }),
    /** The answers as they are have been taken along. */
    exported: () => change({ exported: time() }, "exported"),
    /** Whether finished items were never exported as they are. */
    unsent: () => now().done.length > 0 && (now().finished || "") > now().exported,
    stateOf: (id) => (now().done.includes(id) ? "done" : count(of(id)) > 0 ? "draft" : "to do"),
  };
}
