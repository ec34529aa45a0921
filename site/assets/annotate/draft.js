/* Drafts of a batch: kept in the browser as they change, undone and redone, held by one tab at a time.

   Whatever is of the browser (storage, clock, timer) is given, so that all of it runs anywhere. */

import { count } from "./answers.js";

export const SOON = 250; // milliseconds from a change until it is kept
export const HOLD = 5000; // milliseconds for which a tab that says nothing keeps its hold
const FORMAT = 1;
const MOST_STEPS = 200;

/** Where a batch's draft is kept: another form of the batch has another draft. */
export const keyOf = ({ batch, sha256 }) => `annotate/${batch}/${sha256.slice(0, 16)}`;
export const nothing = () => ({ answers: {}, comments: {}, done: [], flags: [], name: "", exported: "" });

const object = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const text = (value) => typeof value === "string";
const soundRow = (row) => Array.isArray(row?.fact) && row.fact.length === 3 && row.fact.every(text);
const soundAnswer = (value) => text(value) || (object(value) &&
  (Array.isArray(value.rows) ? value.rows.every(soundRow) : Object.values(value).every(text)));
const only = (value, sound) => Object.fromEntries(Object.entries(value).filter(([, one]) => sound(one)));

/** What was kept, or null where it is nothing that a page wrote; of its parts those that no page wrote are left out. */
export function parsed(kept) {
  if (kept === null) return null;
  try {
    const { format, saved, draft } = JSON.parse(kept);
    const sound = format === FORMAT && !Number.isNaN(Date.parse(saved)) && object(draft) && object(draft.answers) &&
      Object.values(draft.answers).every(object) && object(draft.comments) &&
      [draft.done, draft.flags].every(Array.isArray) && text(draft.name) && text(draft.exported);
    if (!sound) return null;
    const { answers, comments, done, flags, first } = draft;
    return { saved, draft: {
      ...draft, comments: only(comments, text), done: [...new Set(done.filter(text))], flags: flags.filter(text),
      answers: Object.fromEntries(Object.entries(answers).map(([id, one]) => [id, only(one, soundAnswer)])),
      ...(first === undefined ? {} : { first: object(first) ? first : {} }),
    } };
  } catch {
    return null;
  }
}

/** The steps of a draft: `change(next)`, `undo()`, `redo()`; changes of one `field` in a row are one step. */
export function history(first) {
  let [now, last] = [first, null];
  const [before, after] = [[], []];
  const step = (from, to) => {
    if (!from.length) return false;
    to.push(now);
    now = from.pop();
    last = null;
    return true;
  };
  return {
    now: () => now,
    change(next, field = null) {
      if (field === null || field !== last) before.push(now);
      if (before.length > MOST_STEPS) before.shift();
      after.length = 0;
      [now, last] = [next, field];
    },
    undo: () => step(before, after),
    redo: () => step(after, before),
  };
}

/** Keeps the draft of a batch. `tell(state)` hears `{kind, ...}`: `saved` (at), `full`, `other` (another tab
    holds the batch) and `mine`. `browser`: `{storage, now, later, cancel, tab}`. */
export function store(batch, browser, tell) {
  const { storage, now, later, cancel, tab } = browser;
  const key = keyOf(batch);
  const holder = `${key}/tab`;
  let [waiting, timer, readOnly] = [null, null, false];

  function attempt(what) {
    try {
      return what();
    } catch {
      tell({ kind: "full" });
      return null;
    }
  }
  /** Which tab holds the batch and since when. */
  function held() {
    try {
      return JSON.parse(storage.getItem(holder)) ?? {};
    } catch {
      return {};
    }
  }
  const heldByOther = ({ tab: other, at }) => other !== undefined && other !== tab && Math.abs(now() - at) < HOLD;
  const write = () => attempt(() => storage.setItem(holder, JSON.stringify({ tab, at: now() })));
  /** Takes the batch if no other tab holds it; to be called again well within HOLD. */
  function hold() {
    const [was, other] = [readOnly, heldByOther(held())];
    if (other && !was) flush();
    readOnly = other;
    if (!other) write();
    if (other !== was) tell({ kind: other ? "other" : "mine" });
    return !other;
  }
  /** Takes the batch from the tab that holds it. */
  function take() {
    write();
    hold();
  }
  /** Keeps what waits, at once; whether nothing is left to keep. */
  function flush() {
    if (timer !== null) cancel(timer);
    timer = null;
    if (waiting === null || readOnly) return waiting === null;
    const saved = new Date(now()).toISOString();
    const kept = attempt(() => {
      storage.setItem(key, JSON.stringify({ format: FORMAT, saved, draft: waiting }));
      return true;
    });
    if (!kept) return false;
    waiting = null;
    tell({ kind: "saved", at: saved });
    return true;
  }
  return {
    hold, take, flush,
    readOnly: () => readOnly,
    load: () => { try { return parsed(storage.getItem(key)); } catch { return null; } },
    /** Keeps a draft soon: many changes within that time are kept once. */
    keep(draft) {
      if (readOnly) return false;
      waiting = draft;
      timer ??= later(flush, SOON);
      return true;
    },
    /** What the browser says of another tab's change (a `storage` event's key). */
    changed: (name) => { if (name === holder || name === null) hold(); },
    release() {
      flush();
      if (!readOnly) attempt(() => storage.removeItem(holder));
    },
  };
}

// ---- a draft that the page changes

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
