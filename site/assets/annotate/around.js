/* What stands around an item: buttons, the comment, notices, keys, how far the batch is; and what the page uses of
   the browser, with what it does without. */

import { make } from "../check/show.js";
import { HOLD, drafting } from "./draft.js";
import { textOf } from "./form.js";

/** As draft.js wants it: a storage that keeps nothing says so where the browser gives none. */
function browserOf() {
  const none = { getItem: () => null, removeItem() {}, setItem() { throw new Error("no storage"); } };
  const storage = (() => { try { return localStorage ?? none; } catch { return none; } })();
  return {
    storage, now: Date.now, later: (what, wait) => setTimeout(what, wait), cancel: clearTimeout,
    tab: [...crypto.getRandomValues(new Uint32Array(4))].join("-"),
  };
}
/** Puts a text on the clipboard; whether that worked. */
export async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
/** Hours and minutes here; a browser takes long to load what it knows of times elsewhere, and a key may wait for it. */
const clock = (time) => new Date(time).toTimeString().slice(0, 5);
/** A function that calls another once the page has painted what there is, however often it was called before that. */
export function afterPaint(action) {
  let waits = false;
  return () => {
    if (waits) return;
    waits = true;
    requestAnimationFrame(() => setTimeout(() => {
      waits = false;
      action();
    }));
  };
}

// ---- what may be pressed

/** A button with the key that does the same printed on it. */
export function button(text, key, action, kind = "") {
  const made = make("button", { type: "button", class: `md-button ${kind}`.trim() }, text, ...(key ? [" ", make("kbd", { "aria-hidden": "true" }, key)] : []));
  made.addEventListener("click", action);
  return made;
}

/** `{tools, steps}`; `more`: buttons before the one that exports, `exports`: whether there is one. */
export function bars(actions, saying, { more = [], exports = true } = {}) {
  return {
    tools: make("p", { class: "wb-buttons wb-tools" }, button("Undo", "Ctrl+Z", actions.undo), button("Redo", "Ctrl+Shift+Z", actions.redo),
      button("Flag", "f", actions.flag), button("Guidelines", "g", actions.guidelines), button("Keys", "?", actions.keys, "wb-withkeys"),
      ...more, ...(exports ? [button("Hand in", "Ctrl+S", actions.export)] : [])),
    steps: make("div", { class: "wb-steps" }, saying, make("p", { class: "wb-buttons" },
      button("Done, next", "Enter", actions.finish, "md-button--primary"), button("Back", "←", actions.back), button("Next", "→", actions.next))),
  };
}

/** `{element, refresh(), focus()}`; `item()`: the one on the page. */
export function remarks(draft, most, item) {
  const area = make("textarea", { rows: "2", name: "comment", maxlength: String(most), id: "wb-comment" });
  area.addEventListener("input", () => draft.comment(item().id, area.value));
  return {
    element: make("p", {}, make("label", { for: "wb-comment" }, "Comment, if you like ", make("kbd", { "aria-hidden": "true" }, "c")), area),
    focus: () => area.focus(),
    refresh() {
      const text = draft.now().comments[item().id] || "";
      if (area.value !== text) area.value = text;
      area.readOnly = draft.kept.readOnly();
    },
  };
}

/** `{element, restored(saved), full(is), other(is)}`; `act`: what may be done about each. */
function notices(act) {
  const element = make("div", { class: "wb-notices", role: "status" });
  const kinds = {};
  function put(kind, text, ...buttons) {
    kinds[kind]?.remove();
    kinds[kind] = text ? make("p", { class: "wb-note" }, text, ...buttons.flatMap((one) => [" ", one])) : null;
    if (text) element.append(kinds[kind]);
  }
  const small = (text, action) => button(text, "", action, "wb-small");
  return {
    element,
    full: (is) => put("full", is && "Your browser has no room left, so nothing is saved. Hand in now, or make room and change an answer."),
    other: (is) => put("other", is && "This batch is open in another tab; here you can only read.", small("Go on here", act.takeOver)),
    restored(saved) {
      put("restored", saved && `Restored your draft of ${new Date(saved).toLocaleString()}.`, small("Discard", () => {
        if (!act.discard()) return;
        put("restored", "Draft discarded.", small("Undo", () => { if (act.undo()) put("restored", ""); }));
      }), small("Hide", () => put("restored", "")));
    },
  };
}

/** `{draft, above, saved, turned, begin}`: the draft of a page, what the page says of it, and a step that did change it.
    `changed()`: answers are others now; `refresh()`: they may be changed now, or not any more. */
export function keeping(batch, { changed, refresh, first }) {
  const saved = make("span", { class: "wb-saved" });
  const draft = drafting(batch, browserOf(), (state) => {
    if (state.kind === "saved") {
      saved.textContent = `Saved ${clock(state.at)}`;
      above.full(false);
    } else if (state.kind === "full") above.full(true);
    else {
      above.other(state.kind === "other");
      refresh();
    }
  }, first);
  function turned(did) {
    if (did) changed();
    return did;
  }
  const above = notices({
    takeOver: () => draft.kept.take(), discard: () => turned(draft.discard()), undo: () => turned(draft.undo()),
  });
  return {
    draft, above, saved, turned,
    /** Holds the batch in this tab from now on; `asks()`: whether to leave the page is worth a question. */
    begin(asks) {
      window.addEventListener("storage", ({ key }) => draft.kept.changed(key));
      window.addEventListener("pagehide", draft.kept.release);
      document.addEventListener("visibilitychange", draft.kept.flush); // a tab that is not seen waits longer
      window.addEventListener("beforeunload", (event) => { if (asks()) event.preventDefault(); });
      setInterval(() => draft.kept.hold(), HOLD / 3);
      draft.kept.hold();
      if (draft.found) above.restored(draft.found.saved);
    },
  };
}

const KEYS = [
  ["1 to 9, y, n, x", "choose the answer with that key in the question, or triplet, that has the focus"],
  ["↑ ↓", "question or triplet before and after"], ["Enter", "next question; after the last one: done, next item"],
  ["← →", "item before and after"], ["Ctrl+Enter", "done, also while you write"], ["Esc", "leave a text"],
  ["Ctrl+Z, Ctrl+Shift+Z", "undo, redo"], ["Ctrl+S", "export"], ["f", "flag the item, to find it again"],
  ["g", "guidelines"], ["c", "comment"], ["?", "these keys"],
];

/** `{element, open()}`; `more()`: `{key: [title, action]}` of the item that is shown. */
export function shortcuts(more) {
  const list = make("dl", { class: "wb-keylist" });
  const element = make("dialog", { class: "wb-dialog", "aria-labelledby": "wb-keys" }, make("h2", { id: "wb-keys" }, "Keys"), list,
    button("Close", "Esc", () => element.close()));
  return {
    element,
    open() {
      const own = Object.entries(more()).map(([key, [title]]) => [key, title.toLowerCase()]);
      list.replaceChildren(...[...KEYS.slice(0, -1), ...own, KEYS.at(-1)].map(([key, text]) =>
        make("div", {}, make("dt", {}, make("kbd", {}, key)), make("dd", {}, text))));
      element.showModal();
    },
  };
}

/** What the keys say that a warning speaks of: `Q4: 1 Yes, all of it, 2 Part of it`. */
function spelled({ form, batch }, rule) {
  const { all = {}, none = {}, later = [] } = form.warnings.find((one) => one.rule === rule) ?? {};
  return [...new Set([...Object.keys(all), ...Object.keys(none), ...later])].map((id) => form.byId.get(id))
    .map((one) => `${one.label}: ${one.keys.map((key) => `${key} ${textOf(one, batch, key)}`).join(", ")}.`).join(" ");
}

/** `{element, ask(warnings, yes, no), clear()}`; `of`: the form and the batch. */
export function warning(of) {
  const element = make("section", { class: "wb-warning wb-note", tabindex: "-1", "aria-label": "Look again" });
  element.hidden = true;
  const clear = () => { element.hidden = true; };
  return {
    element, clear,
    ask(found, yes, no) {
      const close = (then) => () => { clear(); then(); };
      const confirm = button("It is right: done, next", "Enter", close(yes), "md-button--primary");
      element.replaceChildren(make("p", {}, make("b", {}, "Look again.")),
        ...found.map(({ rule, text }) => make("p", {}, text, " ", make("small", {}, spelled(of, rule)))),
        make("p", { class: "wb-buttons" }, confirm, button("I will change it", "", close(no))));
      element.hidden = false;
      confirm.focus();
    },
  };
}

const TYPES = "textarea, select, input:not([type=radio]):not([type=checkbox])";

const THEME = [..."fs/p,n."]; // what the theme goes to other pages or to the search by

/** Whether the theme would act on a key: one slip must not leave the page. */
const themes = ({ key, target, altKey, ctrlKey, metaKey }) =>
  THEME.includes(key) && !altKey && !ctrlKey && !metaKey && !target.matches?.(TYPES);

/** Hears every key: `actions` of the page, and those of the parts of the item that is shown (`view()`). */
export function listening(actions, view) {
  const held = { z: actions.undo, Z: actions.redo, y: actions.redo, s: actions.export, Enter: actions.finish };
  const plain = {
    Enter: actions.confirm, ArrowLeft: actions.back, ArrowRight: actions.next, ArrowUp: () => step(-1), ArrowDown: () => step(1),
    "?": actions.keys, f: actions.flag, g: actions.guidelines, c: actions.comment,
  };
  /** To the question before or after. */
  function step(by) {
    const asked = view().asked();
    const at = asked.indexOf(view().current());
    asked[Math.min(Math.max(at + by, 0), asked.length - 1)]?.focus();
  }
  function ofPart(key) {
    for (const part of view().parts()) if (part.keys?.[key]) return part.keys[key][1];
    return null;
  }
  function wanted(event) {
    if (document.querySelector("dialog[open]")) return null;
    const typing = event.target.matches?.(TYPES);
    if (event.altKey) return ofPart(`Alt+${event.code.replace(/^Key/, "").toLowerCase()}`);
    if (typing && (event.ctrlKey || event.metaKey) && "zZy".includes(event.key) && !event.target.closest(".wb-facts")) return null; // the field's own
    if (event.ctrlKey || event.metaKey) return event.shiftKey && event.key === "z" ? actions.redo : held[event.key];
    if (typing) return event.key === "Escape" ? () => event.target.blur() : null;
    if (event.key === "Enter" && event.target.matches?.("button, a, summary")) return null;
    if (!event.target.closest?.(".wb-handin") && view().current()?.key?.(event)) return () => {};
    return ofPart(event.key) || plain[event.key];
  }
  window.addEventListener("keydown", (event) => {
    const action = wanted(event) || (themes(event) ? () => {} : null);
    if (!action) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    action();
  }, true);
}

// ---- how far the batch is

/** What may be handed in so far. */
export const handable = (done, all) => (done === 0 ? "Hand in once an item is done."
  : done < all ? `${done} of ${all} may be handed in now, the others later.` : "All may be handed in.");

/** `{element, refresh(place)}`; `move(i)` goes to an item. */
export function overview(batch, draft, saved, move) {
  const progress = make("span", {});
  const jumps = batch.items.map((_, i) => {
    const made = make("button", { type: "button" });
    made.addEventListener("click", () => move(i));
    return made;
  });
  const nav = make("nav", { class: "wb-jumps", "aria-label": "Items" }, ...jumps);
  const states = batch.items.map(() => "");
  let here = -1;
  const follow = afterPaint(() => { nav.scrollLeft = jumps[here].offsetLeft - nav.offsetLeft - nav.clientWidth / 2; });
  function mark(i, place) {
    const { id } = batch.items[i];
    const state = draft.stateOf(id);
    const flagged = draft.now().flags.includes(id);
    const all = `${state} ${flagged} ${i === place}`;
    if (states[i] === all) return;
    states[i] = all;
    const made = jumps[i];
    made.textContent = `${i + 1}${{ done: "✓", draft: "…", "to do": "" }[state]}${flagged ? "⚑" : ""}`;
    made.setAttribute("aria-label", `Item ${i + 1}, ${state}${flagged ? ", flagged" : ""}`);
    if (i === place) made.setAttribute("aria-current", "true");
    else made.removeAttribute("aria-current");
  }
  return {
    element: make("div", {}, make("p", { class: "wb-progress" }, progress, " ", saved), nav),
    refresh(place) {
      const { done, flags } = draft.now();
      const drafts = batch.items.filter(({ id }) => draft.stateOf(id) === "draft").length;
      progress.textContent = `${batch.batch}: ${done.length} of ${batch.items.length} done, ${drafts} draft${drafts === 1 ? "" : "s"}, ${flags.length} flagged.${batch.training ? "" : ` ${handable(done.length, batch.items.length)}`}`;
      for (let i = 0; i < jumps.length; i += 1) mark(i, place);
      if (here !== place) follow();
      here = place;
    },
  };
}
