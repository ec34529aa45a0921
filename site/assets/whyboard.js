/* Whyboard: the search box, sorting and readings of a table; pages with more to do have a module of their own.
   Everything on a page is there without this file. */
(() => {
  "use strict";
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const one = (selector, root = document) => root.querySelector(selector);
  document.documentElement.classList.add("js");
  for (const [name, file] of Object.entries({ checker: "check.js", example: "example.js", plots: "plots.js", compare: "compare.js" })) {
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

  const form = one(".wb-controls"); // on the page of a leaderboard alone

  // ---- tables: each tbody is sorted by itself, equal rows keep their order, no number comes last

  function sort(table, column, ascending) {
    const view = table.dataset.view;
    const value = (row) => {
      const cell = row.cells[column];
      if (column === 0) return (one("bdi", cell) || cell).textContent.trim().toLowerCase();
      return cell.dataset[view] === undefined ? null : Number(cell.dataset[view]);
    };
    for (const body of table.tBodies) {
      const rows = all("tr:not(.wb-source)", body).map((row) => [value(row), row]);
      rows.sort(([a], [b]) => {
        if (a === null || b === null) return (a === null) - (b === null);
        return (a < b ? -1 : a > b ? 1 : 0) * (ascending ? 1 : -1);
      });
      body.append(...rows.map(([, row]) => row));
    }
  }
  // What is asked for stands on the tables as data-view, data-ranks and data-cols, and in the address.
  const asked = new URLSearchParams(location.search);
  function remember(key, values) {
    asked.delete(key);
    for (const value of values) asked.append(key, value);
    const query = asked.toString();
    history.replaceState(null, "", location.pathname + (query && `?${query}`) + location.hash);
  }
  const opposite = { ascending: "descending", descending: "ascending" };
  function order(head, way) {
    const table = head.closest("table");
    all("th[aria-sort]", table).forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", way);
    sort(table, head.cellIndex, way === "ascending");
  }
  for (const button of all(".wb-board th button")) {
    const head = button.parentElement;
    button.addEventListener("click", () => {
      order(head, opposite[head.getAttribute("aria-sort")] || button.dataset.first);
      if (form) remember("sort", [`${head.dataset.metric} ${head.getAttribute("aria-sort")}`]);
    });
  }
  for (const box of all(".wb-views[data-key]")) {
    const key = box.dataset.key;
    const show = (value) => {
      for (const table of all(".wb-board")) {
        table.dataset[key] = value;
        const head = one("th[aria-sort]", table);
        if (key === "view" && head) sort(table, head.cellIndex, head.getAttribute("aria-sort") === "ascending");
      }
      if (key === "view") all(".wb-viewnote").forEach((note) => { note.hidden = note.dataset.view !== value; });
    };
    const radio = all("input", box).find((input) => input.value === asked.get(key));
    if (radio) { radio.checked = true; show(radio.value); }
    box.addEventListener("change", ({ target }) => {
      show(target.value);
      remember(key, target.defaultChecked ? [] : [target.value]);
    });
  }
  if (!form) return;
  form.open = ["find", "tag", "hide"].some((key) => asked.has(key));

  // ---- which columns: those that are not wanted stand in the address

  const boxes = all("[name=column]", form);
  function choose() {
    for (const box of boxes) {
      const head = all(".wb-board thead th").find((one) => one.dataset.metric === box.value);
      for (const row of all(".wb-board tr:not(.wb-source)")) row.cells[head.cellIndex].hidden = !box.checked;
    }
  }
  for (const box of boxes) box.checked = !asked.getAll("hide").includes(box.value);
  if (asked.has("hide")) choose();
  form.addEventListener("change", ({ target }) => {
    if (!boxes.includes(target)) return;
    choose();
    remember("hide", boxes.filter((box) => !box.checked).map((box) => box.value));
  });

  // ---- in which order

  const [column, way] = (asked.get("sort") || "").split(" ");
  const chosen = all(".wb-board thead th").find((head) => head.dataset.metric === column);
  if (chosen && opposite[way]) order(chosen, way);

  // ---- which rows: every word in the row, and any of the tags

  const find = one("[name=find]", form);
  const tags = all("[name=tag]", form);
  const rows = all(".wb-board tbody tr:not(.wb-source)").map((row) =>
    [row, `${one("th", row).textContent} ${row.dataset.words || ""}`.toLowerCase(), row.dataset.tags.split(" ")]);
  function sift() {
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = tags.filter((tag) => tag.checked).map((tag) => tag.value);
    let left = 0;
    for (const [row, text, own] of rows) {
      row.hidden = !(words.every((word) => text.includes(word)) && (!wanted.length || wanted.some((tag) => own.includes(tag))));
      left += !row.hidden;
    }
    for (const body of all(".wb-board tbody")) body.hidden = !one("tr:not(.wb-source):not([hidden])", body);
    one("[role=status]", form).textContent = left < rows.length ? `${left} of ${rows.length} rows` : "";
    remember("find", words.length ? [find.value.trim()] : []);
    remember("tag", wanted);
  }
  find.value = asked.get("find") || "";
  for (const tag of tags) tag.checked = asked.getAll("tag").includes(tag.value);
  form.addEventListener("input", ({ target }) => { if (target === find || tags.includes(target)) sift(); });
  if (find.value || tags.some((tag) => tag.checked)) sift();
})();
