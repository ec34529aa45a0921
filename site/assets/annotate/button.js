import { make } from "../check/show.js";

/** A button with the key that does the same printed on it. */
export function button(text, key, action, kind = "") {
  const made = make("button", { type: "button", class: `md-button ${kind}`.trim() }, text, ...(key ? [" ", make("kbd", { "aria-hidden": "true" }, key)] : []));
  made.addEventListener("click", action);
  return made;
}
