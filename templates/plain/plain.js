/* The scheme of colours: the reader's choice, else the system's. Runs before anything is drawn. */
(() => {
  "use strict";
  const key = "whyboard-scheme";
  const system = matchMedia("(prefers-color-scheme: dark)");
  const kept = () => { try { return localStorage.getItem(key); } catch { return null; } };
  const show = () => {
    document.body.dataset.mdColorScheme = kept() || (system.matches ? "slate" : "default");
  };
  show();
  system.addEventListener("change", show);
  addEventListener("DOMContentLoaded", () => {
    const button = document.querySelector(".plain-scheme");
    button.hidden = false;
    button.addEventListener("click", () => {
      const other = document.body.dataset.mdColorScheme === "slate" ? "default" : "slate";
      try { localStorage.setItem(key, other); } catch { /* for this page only */ }
      document.body.dataset.mdColorScheme = other;
    });
  });
})();
