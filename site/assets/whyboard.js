/* Whyboard: the search box; pages with more to do have a module of their own.
   Everything on a page is there without this file. */
(() => {
  "use strict";
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const one = (selector, root = document) => root.querySelector(selector);
  document.documentElement.classList.add("js");
  for (const [name, file] of Object.entries({ checker: "check.js", example: "example.js", plots: "plots.js", lb: "leaderboard.js", compare: "compare.js" })) {
    if (one(`.wb-${name}`)) import(new URL(file, document.currentScript.src));
  }

  // ---- the search box of every page, whose script and index come with its first use

  const seek = one(".wb-seek");
  const open = new URL("search.js", document.currentScript.src);
  if (seek) seek.addEventListener("focusin", () => import(open), { once: true });
  if (seek) seek.addEventListener("submit", (event) => event.preventDefault());
  document.addEventListener("keydown", (event) => {
    if (!seek || event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, textarea, select")) return;
    event.preventDefault();
    seek.elements[0].focus();
  });

  // Every two columns had a page of their own once; the page for what is missing sends them on.
  const pair = location.pathname.match(/^(.*\/plots\/)([^/]+?)--([^/]+?)(?:\/(?:index\.html)?)?$/);
  if (pair) location.replace(`${pair[1]}?x=${pair[2]}&y=${pair[3]}`);
})();
