/* A node of a drawn graph and its words in the given texts light up together, whichever of the two
   the pointer, the keyboard or a finger is on. Nodes of the same name light up in every drawing. */

const COMMON = new Set(("a an and are as at be been by can do does for from had has have in is it its not of on "
  + "or so than that the their them they this to was were which will with").split(" "));
const NODES = ".wb-graph:not(.key) .n, .wb-nodes > div"; // drawn, or listed with its text
const GHOST = ".ghost"; // of gold, where a prediction lacks it

/** What a word has in common with its other forms, near enough: bans, banned, banning. */
export function stem(word) {
  const text = word.toLowerCase().replace(/['’]s?$/, "");
  if (text.length < 4) return text;
  return text.replace(/(?:ies|ied|y)$/, "i")
    .replace(/^(.{3,}?)(?:ings?|ed|es|e|ers?|ly|s(?<!ss))$/, "$1").replace(/([^aeiouls])\1$/, "$1");
}

const stems = (text) => (text.match(/[\p{L}\p{N}]+(?:['’]\p{L}+)?/gu) || []).map((word) => [word.toLowerCase(), stem(word)]);

/** The places of a concept's words among the stems of a text: where they stand together, else one by one. */
export function places(concept, text) {
  const all = stems(concept);
  const own = all.filter(([word]) => !COMMON.has(word)).map(([, one]) => one);
  const whole = all.map(([, one]) => one);
  const together = text.flatMap((_, i) => (whole.every((one, j) => text[i + j] === one) ? whole.map((_one, j) => i + j) : []));
  return together.length || !whole.length ? together : text.flatMap((one, i) => (own.includes(one) ? [i] : []));
}

/** The words of an element, each in an element of its own. */
function split(element) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) texts.push(walker.currentNode);
  return texts.flatMap((text) => {
    const parts = text.data.split(/([\p{L}\p{N}]+(?:['’]\p{L}+)?)/u).map((part, i) => {
      if (i % 2 === 0) return part;
      const word = document.createElement("span");
      word.className = "wb-w";
      word.textContent = part;
      return word;
    });
    text.replaceWith(...parts);
    return parts.filter((_, i) => i % 2);
  });
}

function nameOf(node) {
  const shown = node.querySelector("text, dt");
  const lines = [...shown.querySelectorAll("tspan")].map((line) => line.textContent);
  const name = lines.length ? lines.join(" ") : shown.textContent;
  return name.endsWith("…") ? node.querySelector("title")?.textContent || name : name;
}

/** Lights what belongs together on a page; the function returned is called when drawings have changed. */
export function light(page) {
  const texts = [...page.querySelectorAll(".wb-claim > div")].map((line) => {
    const words = [...line.querySelectorAll("dd bdi")].flatMap(split);
    return { name: line.querySelector("dt").textContent, words, stems: words.map((word) => stem(word.textContent)) };
  });
  const status = document.createElement("p");
  status.className = "wb-hide";
  status.setAttribute("role", "status");
  page.append(status);
  let nodes = new Map(); // element -> name
  let words = new Map(); // name -> its words in the texts
  let now = null;

  function refresh() {
    nodes = new Map([...page.querySelectorAll(NODES)].map((node) => [node, nameOf(node)]));
    words = new Map([...new Set(nodes.values())].map((name) => [name, new Set(texts.flatMap((text) =>
      (name === text.name ? text.words : places(name, text.stems).map((i) => text.words[i]))))]));
    for (const drawing of page.querySelectorAll(".wb-trio .wb-graph")) {
      drawing.setAttribute("role", "group"); // a picture has nothing inside that could be reached
      drawing.setAttribute("aria-label", drawing.querySelector("title").textContent);
    }
    for (const [node, name] of nodes) if (node.matches(`.n:not(${GHOST})`)) describe(node, name);
    const linked = new Set([...words.values()].flatMap((found) => [...found]));
    for (const text of texts) for (const word of text.words) word.toggleAttribute("tabindex", linked.has(word));
    for (const group of page.querySelectorAll(".wb-claim, .wb-trio .wb-graph")) {
      group.querySelectorAll("[tabindex]").forEach((one, i) => { one.tabIndex = i ? -1 : 0; });
    }
  }

  /** A node says in which texts its words are. */
  function describe(node, name) {
    const found = texts.map((text) => [text.name, text.words.filter((word) => words.get(name).has(word)).map((word) => word.textContent)])
      .filter(([, own]) => own.length).map(([text, own]) => `${text}: ${own.join(" ")}`);
    node.setAttribute("role", "img");
    node.setAttribute("aria-label", `${name}. ${found.join("; ") || "In none of the texts"}`);
    node.tabIndex = -1;
  }

  const at = (target) => target?.closest?.(`.wb-w[tabindex], ${NODES}`) || null;
  function show(target) {
    if (target === now) return;
    now = target;
    const names = nodes.has(target) ? [nodes.get(target)] : [...words].filter(([, own]) => own.has(target)).map(([name]) => name);
    const lit = new Set(nodes.has(target) ? words.get(nodes.get(target)) : target ? [target] : []);
    for (const [node, name] of nodes) node.classList.toggle("lit", names.includes(name));
    for (const { words: own } of texts) for (const word of own) word.classList.toggle("lit", lit.has(word));
    status.textContent = target && !nodes.has(target) ? `In the graphs: ${names.join(", ")}` : "";
  }

  page.addEventListener("pointerover", ({ target }) => show(at(target) || at(document.activeElement)));
  page.addEventListener("focusin", ({ target }) => show(at(target)));
  page.addEventListener("focusout", () => show(null));
  page.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const group = step && at(event.target)?.closest(".wb-claim, .wb-graph");
    if (!group) return;
    const stops = [...group.querySelectorAll("[tabindex]")];
    stops[stops.indexOf(at(event.target)) + step]?.focus();
    event.preventDefault();
  });
  refresh();
  return refresh;
}
