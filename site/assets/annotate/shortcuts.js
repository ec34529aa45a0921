/* The dialog that names every key. */

import { make } from "../check/show.js";
import { button } from "./button.js";

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
