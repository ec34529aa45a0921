/* Whyboard: the search box; pages with more to do have a module of their own.
   Everything on a page is there without this file. */
(() => {
  "use strict";
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const one = (selector, root = document) => root.querySelector(selector);
  document.documentElement.classList.replace("no-js", "js") || document.documentElement.classList.add("js");
  for (const [name, file] of Object.entries({ checker: "check.js", example: "example.js", plots: "plots.js", lb: "leaderboard.js", for: "submit.js", compare: "compare.js" })) {
    if (one(`.wb-${name}`)) import(new URL(file, document.currentScript.src));
  }

  // ---- the switch of schemes, on pages without the theme's script; they share what it remembers

  const schemes = all("[data-md-component=palette] input");
  function scheme(index) {
    const given = (input) => Object.fromEntries(["media", "scheme", "primary", "accent"].map((name) => [name, input.getAttribute(`data-md-color-${name}`)]));
    const color = given(schemes[index]);
    const light = matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark";
    const shown = color.media === "(prefers-color-scheme)" ? schemes.find((input) => given(input).media.includes(`: ${light}`)) : schemes[index];
    document.body.setAttribute("data-md-color-switching", ""); // no colour fades meanwhile
    for (const [name, value] of Object.entries(given(shown))) document.body.setAttribute(`data-md-color-${name}`, value);
    requestAnimationFrame(() => setTimeout(() => document.body.removeAttribute("data-md-color-switching")));
    schemes.forEach((input, at) => { input.nextElementSibling.hidden = at !== index; });
    return { index, color };
  }
  if (schemes.length && !one("script[src*='/bundle.']")) {
    const known = __md_get("__palette");
    const start = Math.min(Math.max(0, known ? known.index : 0), schemes.length - 1);
    schemes[start].checked = true;
    scheme(start);
    schemes.forEach((input, at) => input.addEventListener("change", () => __md_set("__palette", scheme(at))));
    matchMedia("(prefers-color-scheme: light)").addEventListener("change", () => scheme(schemes.findIndex((input) => input.checked)));
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

  // ---- hints: pointer, keyboard and tap open one

  const owners = "[data-hint]";
  const hintOf = (owner) => document.getElementById(owner.dataset.hint);
  const shut = () => all(".wb-hinttext:popover-open").forEach((hint) => hint.hidePopover());
  function hint(owner) {
    const { left, top, bottom } = owner.getBoundingClientRect();
    const text = hintOf(owner);
    if (!text.matches(":popover-open")) text.showPopover();
    text.style.margin = "0";
    text.style.left = `${Math.max(8, Math.min(left, innerWidth - text.offsetWidth - 8))}px`;
    text.style.top = `${bottom + text.offsetHeight + 8 < innerHeight ? bottom : Math.max(8, top - text.offsetHeight)}px`;
  }
  for (const owner of all(owners)) {
    owner.addEventListener("pointerenter", ({ pointerType }) => { if (pointerType === "mouse") hint(owner); });
    owner.addEventListener("focus", () => { if (owner.matches(":focus-visible")) hint(owner); });
    owner.addEventListener("blur", ({ relatedTarget }) => { if (!hintOf(owner).contains(relatedTarget)) shut(); });
    owner.addEventListener("click", ({ pointerType }) => { if (pointerType === "touch") hint(owner); });
  }
  if (one(owners)) document.addEventListener("pointerover", ({ target, pointerType }) => {
    if (pointerType === "mouse" && !target.closest(`${owners}, .wb-hinttext`)) shut();
  });

  // Every two columns had a page of their own once, and two systems have while they lead; the page for what is missing sends on.
  const [, folder, names] = (!one(".wb-page") && location.pathname.match(/^(.*\/(?:plots|compare)\/)([^/]+--[^/]+?)(?:\/(?:index\.html)?)?$/)) || [];
  const [a, b] = names ? names.split("--vs--").map((key) => key.replace("--", "/")) : [];
  if (names) location.replace(location.origin + folder + (b ? `?a=${a}&b=${b}` : `?x=${names.replace("--", "&y=")}`));
})();
