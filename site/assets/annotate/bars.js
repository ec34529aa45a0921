/* The buttons of a page: tools above the item, steps below it. */

import { make } from "../check/show.js";
import { button } from "./button.js";

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
