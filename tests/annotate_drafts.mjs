// Drafts of annotators' pages, in a world of tabs with a clock and a storage. Read by
// tests/test_annotation_pages.py; each name is a test.
import { deepEqual } from "node:assert/strict";

const batch = { batch: "b-1", sha256: "5".repeat(64) };

function world(most = Infinity) {
  const [kept, timers] = [new Map(), new Map()];
  let [time, number] = [0, 0];
  const storage = {
    getItem: (key) => kept.get(key) ?? null, removeItem: (key) => { kept.delete(key); },
    setItem: (key, text) => {
      if (text.length > most) throw new Error("quota");
      kept.set(key, text);
    },
  };
  const browser = (tab) => ({
    storage, tab, now: () => time, cancel: (id) => timers.delete(id),
    later: (what, wait) => { number += 1; timers.set(number, [time + wait, what]); return number; },
  });
  function pass(milliseconds) {
    time += milliseconds;
    for (const [id, [at, what]] of [...timers]) if (at <= time) { timers.delete(id); what(); }
  }
  return { kept, browser, pass };
}

export default function tests({ keyOf, history, nothing, store, SOON, HOLD }) {
  const draft = (label) => ({ ...nothing(), answers: { a1: { label } } });
  const label = (tab) => tab.load().draft.answers.a1.label;
  function opened(place, tab) {
    const heard = [];
    return { heard, ...store(batch, place.browser(tab), (state) => heard.push(state.kind)) };
  }

  return {
    "a draft is kept within 300 ms, once for many changes, and is there again"() {
      const place = world(), tab = opened(place, "one");
      tab.hold(); tab.keep(draft("support")); place.pass(100); tab.keep(draft("counter"));
      deepEqual([SOON <= 300, place.kept.has(keyOf(batch))], [true, false]);
      place.pass(SOON - 100);
      deepEqual(tab.heard, ["saved"]);
      const again = opened(place, "one").load();
      deepEqual(again.draft, draft("counter"));
      deepEqual(again.saved, "1970-01-01T00:00:00.250Z");
    },

    "a second tab only reads until the first one leaves or falls silent"() {
      const place = world(), one = opened(place, "one"), two = opened(place, "two");
      deepEqual([one.hold(), two.hold()], [true, false]);
      deepEqual([one.keep(draft("support")), two.keep(draft("counter"))], [true, false]);
      place.pass(HOLD - 1); one.hold(); place.pass(HOLD - 1);
      deepEqual(two.hold(), false);
      place.pass(1);
      deepEqual([two.hold(), one.hold()], [true, false]);
      two.keep(draft("neutral")); two.release(); one.changed(null);
      deepEqual([two.readOnly(), one.readOnly(), label(one)], [false, false, "neutral"]);
    },

    "a tab from which the batch is taken keeps what it has, and then nothing"() {
      const place = world(), one = opened(place, "one"), two = opened(place, "two");
      one.hold(); two.hold(); one.keep(draft("support"));
      two.take(); one.hold();
      deepEqual([one.readOnly(), one.keep(draft("neutral")), two.readOnly(), label(two)], [true, false, false, "support"]);
      two.keep(draft("counter")); place.pass(SOON);
      deepEqual([one.heard, two.heard, label(two)], [["saved", "other"], ["other", "mine", "saved"], "counter"]);
    },

    "a full storage is told, and what waits is kept when there is room"() {
      const place = world(200), full = opened(place, "one");
      full.hold(); full.keep(draft("s".repeat(300))); place.pass(SOON);
      deepEqual(full.flush(), false);
      full.keep(draft("support"));
      deepEqual([full.flush(), full.heard], [true, ["full", "full", "saved"]]);
    },

    "steps are undone and redone, and typing in one field is one step"() {
      const steps = history("0");
      steps.change("a"); steps.change("ab", "q"); steps.change("abc", "q");
      steps.change("abcd", "r");
      const seen = (names) => names.map((name) => (steps[name]() ? steps.now() : "-"));
      deepEqual(seen(["undo", "undo", "redo", "undo"]), ["abc", "a", "abc", "a"]);
      steps.change("x");
      deepEqual(seen(["redo", "undo", "undo", "undo"]), ["-", "a", "0", "-"]);
    },
  };
}
