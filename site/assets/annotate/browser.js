/* What the page uses of the browser, with what it does without. */

/** As store.js wants it: a storage that keeps nothing says so where the browser gives none. */
export function browserOf() {
  const none = { getItem: () => null, removeItem() {}, setItem() { throw new Error("no storage"); } };
  const storage = (() => { try { return localStorage ?? none; } catch { return none; } })();
  return {
    storage, now: Date.now, later: (what, wait) => setTimeout(what, wait), cancel: clearTimeout,
    tab: [...crypto.getRandomValues(new Uint32Array(4))].join("-"),
  };
}
/** Puts a text on the clipboard; whether that worked. */
export async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
/** Hours and minutes here; a browser takes long to load what it knows of times elsewhere, and a key may wait for it. */
export const clock = (time) => new Date(time).toTimeString().slice(0, 5);
/** A function that calls another once the page has painted what there is, however often it was called before that. */
export function afterPaint(action) {
  let waits = false;
  return () => {
    if (waits) return;
    waits = true;
    requestAnimationFrame(() => setTimeout(() => {
      waits = false;
      action();
    }));
  };
}
