/* What to look at again before an item is done. */

import { make } from "../check/show.js";
import { button } from "./button.js";

/** `{element, ask(warnings, yes, no), clear()}`. */
export function warning() {
  const element = make("section", { class: "wb-warning wb-note", tabindex: "-1", "aria-label": "Look again" });
  element.hidden = true;
  const clear = () => { element.hidden = true; };
  return {
    element, clear,
    ask(found, yes, no) {
      const close = (then) => () => { clear(); then(); };
      const confirm = button("It is right: done, next", "Enter", close(yes), "md-button--primary");
      element.replaceChildren(make("p", {}, make("b", {}, "Look again.")),
        ...found.map(({ text }) => make("p", {}, text)),
        make("p", { class: "wb-buttons" }, confirm, button("I will change it", "", close(no))));
      element.hidden = false;
      confirm.focus();
    },
  };
}
