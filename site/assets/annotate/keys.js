/* The keys of the page, before the theme sees them. */

const TYPES = "textarea, select, input:not([type=radio]):not([type=checkbox])";

const THEME = [..."fs/p,n."]; // what the theme goes to other pages or to the search by

/** Whether the theme would act on a key: one slip must not leave the page. */
const themes = ({ key, target, altKey, ctrlKey, metaKey }) =>
  THEME.includes(key) && !altKey && !ctrlKey && !metaKey && !target.matches?.(TYPES);

/** Hears every key: `actions` of the page, and those of the parts of the item that is shown (`view()`). */
export function listening(actions, view) {
  const held = { z: actions.undo, Z: actions.redo, y: actions.redo, s: actions.export, Enter: actions.finish };
  const plain = {
    Enter: actions.confirm, ArrowLeft: actions.back, ArrowRight: actions.next, ArrowUp: () => step(-1), ArrowDown: () => step(1),
    "?": actions.keys, f: actions.flag, g: actions.guidelines, c: actions.comment,
  };
  /** To the question before or after. */
  function step(by) {
    const asked = view().asked();
    const at = asked.indexOf(view().current());
    asked[Math.min(Math.max(at + by, 0), asked.length - 1)]?.focus();
  }
  function ofPart(key) {
    for (const part of view().parts()) if (part.keys?.[key]) return part.keys[key][1];
    return null;
  }
  function wanted(event) {
    if (document.querySelector("dialog[open]")) return null;
    const typing = event.target.matches?.(TYPES);
    if (event.altKey) return ofPart(`Alt+${event.code.replace(/^Key/, "").toLowerCase()}`);
    if (typing && (event.ctrlKey || event.metaKey) && "zZy".includes(event.key) && !event.target.closest(".wb-facts")) return null; // the field's own
    if (event.ctrlKey || event.metaKey) return event.shiftKey && event.key === "z" ? actions.redo : held[event.key];
    if (typing) return event.key === "Escape" ? () => event.target.blur() : null;
    if (event.key === "Enter" && event.target.matches?.("button, a, summary")) return null;
    if (!event.target.closest?.(".wb-handin") && view().current()?.key?.(event)) return () => {};
    return ofPart(event.key) || plain[event.key];
  }
  window.addEventListener("keydown", (event) => {
    const action = wanted(event) || (themes(event) ? () => {} : null);
    if (!action) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    action();
  }, true);
}
