/* Files of answers: handed in, or taken to go on from. Fetched with its first use. */

import { make } from "../check/show.js";
import { answersFile, handingIn } from "./hand_in.js";
import { importing } from "./importing.js";

/** `{element, refresh(), export(), bring()}`; `take(draft, said)` makes an imported file the draft. */
export function filing({ known, form, draft, answer, tell }, take) {
  const hand = handingIn({ known, draft, tell, made: answersFile({ known, form, draft, answer }) });
  const bring = importing(known, draft, take);
  return { element: make("div", {}, bring.element, hand.element), refresh: hand.refresh, export: hand.open, bring: bring.open };
}
