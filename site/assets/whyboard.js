/* Whyboard: sorting, readings of a table, the filter of an index, other systems beside gold, the
   interactive graph. Everything on a page is there without this file. */
(() => {
  "use strict";
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const one = (selector, root = document) => root.querySelector(selector);
  const files = new Map();
  const json = (url) => {
    if (!files.has(url)) files.set(url, fetch(url).then((answer) => answer.json()));
    return files.get(url);
  };
  document.documentElement.classList.add("js");

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
  for (const button of all(".wb-board th button")) {
    const head = button.parentElement;
    const table = head.closest("table");
    button.addEventListener("click", () => {
      const now = head.getAttribute("aria-sort");
      const order = now ? { ascending: "descending", descending: "ascending" }[now] : button.dataset.first;
      all("th[aria-sort]", table).forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", order);
      sort(table, head.cellIndex, order === "ascending");
    });
  }
  // What is shown stands on the tables as data-view and data-ranks, and in the address.
  const asked = new URLSearchParams(location.search);
  for (const box of all(".wb-views")) {
    const key = box.dataset.key;
    const show = (value) => {
      for (const table of all(".wb-board")) {
        table.dataset[key] = value;
        const head = one("th[aria-sort]", table);
        if (key === "view" && head) sort(table, head.cellIndex, head.getAttribute("aria-sort") === "ascending");
      }
      if (key === "view") all(".wb-viewnote").forEach((note) => { note.hidden = note.dataset.view !== value; });
    };
    box.hidden = false;
    const radio = all("input", box).find((input) => input.value === asked.get(key));
    if (radio) { radio.checked = true; show(radio.value); }
    box.addEventListener("change", ({ target }) => {
      show(target.value);
      if (target.defaultChecked) asked.delete(key); else asked.set(key, target.value);
      const query = asked.toString();
      history.replaceState(null, "", location.pathname + (query && `?${query}`) + location.hash);
    });
  }

  // ---- the index of examples: a plain scan over all texts

  const filter = one(".wb-filter");
  if (filter) {
    filter.hidden = false;
    filter.addEventListener("submit", (event) => event.preventDefault());
    const list = one(".wb-list");
    const written = [...list.children];
    const said = one("[role=status]", filter);
    const most = 200;
    const find = async () => {
      const words = filter.words.value.toLowerCase().split(/\s+/).filter(Boolean);
      const label = filter.label ? filter.label.value : "";
      if (!words.length && !label) {
        list.replaceChildren(...written);
        said.textContent = "";
        return;
      }
      const index = await json(filter.dataset.index);
      index.low = index.low || index.text.map((text, i) => `${i + 1}\n${text.toLowerCase()}`);
      const found = [];
      index.low.forEach((text, i) => {
        if ((!label || index.label[i] === label) && words.every((word) => text.includes(word))) found.push(i);
      });
      list.replaceChildren(...found.slice(0, most).map((i) => line(i + 1, index.text[i], index.label[i])));
      said.textContent = `${found.length} of ${index.text.length}` + (found.length > most ? `, the first ${most} shown` : "");
    };
    const line = (number, text, label) => {
      const item = document.createElement("li");
      const link = document.createElement("a");
      const bold = document.createElement("b");
      link.href = `../${number}/`;
      bold.textContent = number;
      link.append(bold);
      for (const part of text.split("\n")) {
        const bdi = document.createElement("bdi");
        bdi.textContent = part;
        link.append(" ", bdi);
      }
      item.append(link);
      if (label !== null) {
        const tag = document.createElement("span");
        tag.className = "wb-tag";
        tag.textContent = label;
        item.append(" ", tag);
      }
      return item;
    };
    let waiting;
    filter.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(find, 60); });
  }

  // ---- one example

  const example = one(".wb-example");
  if (!example) return;
  const [board, split, row] = example.dataset.wb.split("/");
  const shard = (slug) =>
    json(`../../../../data/${board}/${split}/${slug}/${Math.floor((row - 1) / 20)}.json`).then((file) => file[row]);
  const slug = (key) => key.replace("/", "--");

  const chooser = one(".wb-chooser");
  const wanted = new URLSearchParams(location.search);
  async function show(slot, key) {
    const card = one(`[data-slot="${slot}"]`);
    if (!card || card.dataset.key === key) return;
    card.dataset.key = key;
    const found = await shard(slug(key));
    if (card.dataset.key !== key) return;
    card.innerHTML = found.html; // made and escaped by the same template as this page
    offer(card);
  }
  function remember() {
    const query = new URLSearchParams();
    for (const select of all("select", chooser)) {
      if (!select.options[select.selectedIndex].defaultSelected) query.set(select.dataset.for, select.value);
    }
    const text = query.toString() ? `?${query}` : "";
    history.replaceState(null, "", location.pathname + text);
    for (const link of all(".wb-pager a")) link.search = text;
  }
  if (chooser) {
    chooser.hidden = false;
    for (const select of all("select", chooser)) {
      const key = wanted.get(select.dataset.for);
      if (key && [...select.options].some((option) => option.value === key)) select.value = key;
      show(select.dataset.for, select.value);
      select.addEventListener("change", () => { show(select.dataset.for, select.value); remember(); });
    }
    remember();
  }

  // ---- the interactive graph, loaded when asked for

  const nets = new Map();
  let library;
  const vis = () => (library = library || new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = "../../../../assets/vis-network.min.js";
    script.onload = () => done(window.vis);
    script.onerror = failed;
    document.head.append(script);
  }));
  const color = (name) => getComputedStyle(document.body).getPropertyValue(`--wb-${name}`).trim();
  const dashes = { changed: [9, 3, 2, 3], reversed: [4, 3], extra: [9, 4] };
  function paint(net, graph) {
    const edges = graph.edges.map((edge, id) => ({
      ...edge, id, dashes: dashes[edge.status] || false,
      color: color(edge.status === "gold" ? "edge" : edge.status), width: edge.status === "kept" ? 3 : 1.6,
      font: { color: color("ink"), strokeColor: color("paper"), strokeWidth: 4, size: 12 },
    }));
    const nodes = graph.nodes.map(({ group, ...node }) => ({
      ...node, shapeProperties: { borderDashes: group === "kx" ? [4, 3] : false, borderRadius: group === "k0" ? 1 : 10 },
      color: { background: color(`${group}-fill`), border: color(`${group}-line`), highlight: { background: color(`${group}-fill`), border: color("ink") } },
      font: { color: color("ink"), size: 13 },
    }));
    net.setData({ nodes, edges });
  }
  async function open(card, button) {
    button.disabled = true;
    const [{ net: graph }, { Network }] = await Promise.all([shard(slug(card.dataset.key)), vis()]);
    const box = document.createElement("div");
    box.className = "wb-canvas";
    box.setAttribute("role", "img");
    box.setAttribute("aria-label", "Interactive graph; the same edges stand in words above");
    button.parentElement.after(box);
    const net = new Network(box, { nodes: [], edges: [] }, {
      physics: false,
      interaction: { zoomView: false, hover: true, keyboard: { enabled: false }, navigationButtons: false },
      nodes: { shape: "box", margin: 7 },
      edges: { arrows: "to", smooth: { type: "cubicBezier", forceDirection: "vertical", roundness: 0.4 } },
    });
    paint(net, graph);
    net.fit();
    nets.set(net, graph);
    box.dataset.drawn = "yes";
    button.remove();
  }
  function offer(card) {
    const button = one(".wb-net", card);
    if (!button) return;
    button.hidden = false;
    button.addEventListener("click", () => open(card, button));
  }
  all(".wb-card").forEach(offer);
  new MutationObserver(() => nets.forEach((graph, net) => paint(net, graph)))
    .observe(document.body, { attributes: true, attributeFilter: ["data-md-color-scheme"] });

  // ---- the same concept lights up in every graph

  const light = (event) => {
    const node = event.target.closest && event.target.closest(".wb-trio .n");
    all(".wb-trio .n.lit").forEach((other) => other.classList.remove("lit"));
    if (!node) return;
    const name = one("text", node).textContent;
    all(".wb-trio .n").forEach((other) => other.classList.toggle("lit", one("text", other).textContent === name));
  };
  example.addEventListener("pointerover", light);
})();
