/* The comment on an item. */

import { make } from "../check/show.js";

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
