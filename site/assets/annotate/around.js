/* What stands around an item: buttons, the comment, notices, the list of keys, warnings. */

import { make } from "../check/show.js";
import { textOf } from "./form.js";

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
export function notices(act) {
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
