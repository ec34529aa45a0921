/* The examples of a board as columns, and a plain scan over them: what a search finds, and how many
   examples each value of each facet would leave. Which facets there are, the files say (see
   scorer/site/browsing/facets.py). Pure but for `load`, `read` and `ask`; no page is touched here. */

import { json, slug } from "./files.js";

const FIRST = "0".charCodeAt(0); // stands for a facet's first value; those before it, for none
const OWN = ["find", "a", "b", "by", "in"]; // what an address says besides values of facets

/** A search: the words, one set of values a facet, the systems that are asked about, and the metric
    by which they are compared. */
export class Search {
  constructor(query = "") {
    const given = new URLSearchParams(query);
    this.words = given.get("find") || "";
    this.systems = { a: given.get("a") || "", b: given.get("b") || "" };
    this.by = given.get("by") || "";
    this.chosen = new Map();
    for (const [name, value] of given) {
      if (!OWN.includes(name)) this.values(name).add(value);
    }
  }

  values(facet) {
    if (!this.chosen.has(facet)) this.chosen.set(facet, new Set());
    return this.chosen.get(facet);
  }

  toString() {
    const query = new URLSearchParams();
    if (this.words.trim()) query.set("find", this.words.trim());
    for (const name of ["a", "b"]) if (this.systems[name]) query.set(name, this.systems[name]);
    if (this.by) query.set("by", this.by);
    for (const [facet, values] of this.chosen) for (const value of values) query.append(facet, value);
    return query.toString();
  }
}

/** All examples of a board; splits come when they are loaded, texts when they are read. */
export class Examples {
  constructor(root, board) {
    this.data = `${root}data/${board}/`;
    this.rows = []; // [split, row number]
    this.text = []; // lower-cased, with the number before it; the number alone until it is read
    this.shown = []; // [mark, text] of each column; null until it is read
    this.unread = 0;
    this.facets = []; // as the files have them, with the values of each example in `of`
    this.loaded = new Set();
  }

  /** The words of the board; no examples yet. */
  async open() {
    const known = (this.known = await json(`${this.data}examples.json`));
    const splits = { id: "split", name: "Split", values: known.splits.map((split) => split.name) };
    this.facets = [splits, ...known.facets].map((facet) => ({ ...facet, of: [] }));
    return this;
  }

  facet(id) {
    return this.facets.find((facet) => facet.id === id);
  }

  /** The examples of some splits, after those that are there, without their texts. */
  async load(...names) {
    const fresh = names.filter((name) => !this.loaded.has(name)).map((name) => this.#split(name));
    const files = await Promise.all(fresh.map((split) => Promise.all([
      json(`${this.data}${split.name}/index.json`),
      split.systems ? json(`${this.data}${split.name}/systems.json`) : { systems: [] },
    ])));
    fresh.forEach((split, i) => { if (!this.loaded.has(split.name)) this.#add(split, ...files[i]); });
  }

  #split(name) {
    return this.known.splits.find((split) => split.name === name);
  }

  #add(split, columns, { systems }) {
    this.loaded.add(split.name);
    split.start = this.rows.length;
    split.found = systems;
    this.unread += split.rows;
    const place = this.known.splits.indexOf(split);
    for (let row = 1; row <= split.rows; row += 1) {
      this.rows.push([place, row]);
      this.text.push(`${row}\n`);
      this.shown.push(null);
      this.facets[0].of.push(place);
    }
    for (const facet of this.facets.slice(1)) facet.of = facet.of.concat(values(facet, columns[facet.id], split.rows));
  }

  /** The texts of some examples, else of all that are there. */
  read(places = this.rows.keys()) {
    const files = new Set();
    for (const place of places) {
      const [split, row] = this.rows[place];
      if (!this.shown[place]) files.add(`${split} ${Math.ceil(row / this.known.texts)}`);
    }
    return Promise.all([...files].map(async (file) => {
      const [place, number] = file.split(" ").map(Number);
      const split = this.known.splits[place];
      const { texts } = await json(`${this.data}${split.name}/texts-${number}.json`);
      const first = split.start + (number - 1) * this.known.texts;
      if (!this.shown[first]) texts[0].forEach((_, i) => this.#write(first + i, texts.map((column) => column[i])));
    }));
  }

  #write(place, texts) {
    const { marks } = this.known;
    this.text[place] += texts.join("\n").toLowerCase();
    this.shown[place] = texts.map((text, i) => [marks[i], text]).filter(([mark]) => mark !== null);
    this.unread -= 1;
  }

  /** Every system of the splits that are there, by key. */
  get systems() {
    const found = new Map();
    for (const one of this.known.splits.flatMap((split) => split.found || [])) {
      found.set(one.key, { ...found.get(one.key), ...one });
    }
    return found;
  }

  /** What systems A and B of a search made of the examples, in the splits where they are. */
  async ask({ systems: { a, b }, by }) {
    const asked = this.facets.filter((facet) => facet.system);
    const answers = asked.map((facet) => values(facet, undefined, this.rows.length));
    for (const split of this.known.splits) {
      if (!this.loaded.has(split.name)) continue;
      const there = (key) => key && split.found.some((one) => one.key === key);
      if (!there(a)) continue;
      const file = (key, name) => json(`${this.data}${split.name}/${slug(key)}/${name}.json`);
      const both = there(b) ? [a, b] : [a];
      const outcomes = await Promise.all(both.map((key) => file(key, "outcomes")));
      const scored = both.length > 1 && asked.some((facet) => facet.metrics);
      const scores = scored ? await Promise.all(both.map((key) => file(key, "scores"))) : [];
      asked.forEach((facet, f) => {
        const [first, second] = facet.metrics ? byScore(facet, by, scores) : outcomes.map((one) => one.standing);
        const found = facet.system === "a" ? values(facet, outcomes[0].columns[facet.id], split.rows)
          : second && first ? first.map((one, i) => compared(facet, one, second[i])) : [];
        found.forEach((value, i) => { answers[f][split.start + i] = value; });
      });
    }
    asked.forEach((facet, f) => { facet.of = answers[f]; });
  }

  /** Places of the examples found, and for each facet how many each value would leave. */
  find(search) {
    const words = search.words.toLowerCase().split(/\s+/).filter(Boolean);
    const facets = this.facets;
    const wanted = facets.map((facet) => {
      const chosen = search.chosen.get(facet.id);
      if (!chosen || !chosen.size) return null;
      if (!facet.number) return facet.values.map((value) => chosen.has(value));
      const ranges = [...chosen].map(range);
      return facet.values.map((value) => ranges.some(([low, high]) => low <= value && value <= high));
    });
    const counts = facets.map((facet) => new Uint32Array(facet.values.length));
    const found = [];
    for (let i = 0; i < this.rows.length; i += 1) {
      const text = this.text[i];
      if (!words.every((word) => text.includes(word))) continue;
      let failed = -1;
      let fails = 0;
      for (let f = 0; f < facets.length && fails < 2; f += 1) {
        if (!wanted[f]) continue;
        const value = facets[f].of[i];
        const fits = facets[f].several ? value.some((one) => wanted[f][one]) : wanted[f][value];
        if (!fits) { fails += 1; failed = f; }
      }
      if (fails > 1) continue;
      if (!fails) found.push(i);
      for (let f = fails ? failed : 0; f < (fails ? failed + 1 : facets.length); f += 1) {
        const value = facets[f].of[i];
        if (facets[f].several) for (const one of value) counts[f][one] += 1;
        else if (value >= 0) counts[f][value] += 1;
      }
    }
    return { found, counts };
  }

  /** Where an example is, relative to the folder of the board; "" if it has no page. */
  address(place) {
    const [split, row] = this.rows[place];
    const { name, pages } = this.known.splits[split];
    return pages ? `${name}/${row}/` : "";
  }
}

/** A column as values: numbers, a list of them where an example may have several; -1 for none. */
function values(facet, column, rows) {
  if (column === undefined) return Array.from({ length: rows }, () => (facet.several ? [] : -1));
  const codes = (text) => Array.from(text, (one) => Math.max(one.charCodeAt(0) - FIRST, -1));
  return facet.several ? column.split(" ").map(codes) : codes(column);
}

/** The least and the greatest number that a value of an address means: "5", "3 to 5", "5 or fewer",
    "5 or more". */
export function range(text) {
  const [low = NaN, high = low] = (text.match(/\d+/g) || []).map(Number);
  if (text.endsWith("fewer")) return [-Infinity, low];
  return [low, text.endsWith("more") ? Infinity : high];
}

/** The scores of two systems on the metric of a facet that is asked for, more is better. */
function byScore({ metrics }, by, scores) {
  const [metric, sign] = metrics.find(([name]) => name === by) || metrics[0];
  return scores.map((columns) => columns[metric] && columns[metric].map((score) => sign * score));
}

/** Which of the values of a duel it is: A better, B better, a tie, a tie at 0. */
function compared({ values: { length } }, one, other) {
  if (one === null || other === null) return -1;
  if (one !== other) return one > other ? 0 : 1;
  return one ? 2 : length - 1;
}
