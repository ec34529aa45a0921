/* What to look at again before an item is done. */

import { make } from "../check/show.js";
import { button } from "./button.js";
import { textOf } from "./form.js";

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
