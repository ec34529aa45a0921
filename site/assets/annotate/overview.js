/* How far the batch is, and the way to each item. */

import { make } from "../check/show.js";
import { afterPaint } from "./browser.js";

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
