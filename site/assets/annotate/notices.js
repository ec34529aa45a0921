/* What stands above the item until it is settled: a draft that was restored, another tab, a full storage. */

import { make } from "../check/show.js";
import { button } from "./button.js";

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
