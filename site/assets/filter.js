/* The examples of a board as columns, and a plain scan over them: what a search finds, and how many
   examples each value of each facet would leave. Pure but for `load`; no page is touched here. */

import { json, slug } from "./files.js";

const EXTERNAL = ["none", "1", "2", "3 or more"];
const SHAPES = ["one chain", "branching"];
const DUEL = ["right and wrong", "wrong and right", "both right", "both wrong"];

/** A search: the words, one set of values a facet, and the systems that are asked about. */
export class Search {
  constructor(query = "") {
    const given = new URLSearchParams(query);
    this.words = given.get("find") || "";
    this.systems = { a: given.get("a") || "", b: given.get("b") || "" };
    this.chosen = new Map();
    for (const [name, value] of given) {
      if (!["find", "a", "b", "in"].includes(name)) this.values(name).add(value);
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
    for (const [facet, values] of this.chosen) for (const value of values) query.append(facet, value);
    return query.toString();
  }
}

/** All examples of a board; splits come one by one. */
export class Examples {
  constructor(root, board) {
    this.data = `${root}data/${board}/`;
    this.rows = []; // [split, row number]
    this.text = []; // lower-cased, with the number before it
    this.shown = [];
    this.facets = [];
    this.loaded = new Set();
  }

  /** The words of the board; no examples yet. */
  async open() {
    const known = (this.known = await json(`${this.data}examples.json`));
    const facet = (id, name, values, more = {}) => {
      const made = { id, name, values, of: [], ...more };
      this.facets.push(made);
      return made;
    };
    facet("split", "Split", known.splits.map((split) => split.name));
    if (known.label) facet("label", known.label.name, known.label.values);
    facet("relation", "Relation", known.relations, { several: true, long: true });
    facet("depth", "Depth", []);
    facet("shape", "Shape", SHAPES);
    facet("external", known.texts.length === 1 ? "Concepts not from the text" : "Concepts from neither text", EXTERNAL);
    if (known.splits.some((split) => split.systems)) {
      facet("agree", "Systems that are right", []);
      facet("got", "A got", known.annotations.map((name) => name.replaceAll("_", " ")), { system: "a" });
      facet("broke", "A broke", [], { system: "a", several: true });
      facet("duel", "A and B are", DUEL, { system: "b" });
    }
    return this;
  }

  facet(id) {
    return this.facets.find((facet) => facet.id === id);
  }

  /** The examples of one split, after those that are there. */
  async load(name) {
    if (this.loaded.has(name)) return;
    const place = this.known.splits.findIndex((split) => split.name === name);
    const split = this.known.splits[place];
    const [index, systems] = await Promise.all([
      json(`${this.data}${name}/index.json`),
      split.systems ? json(`${this.data}${name}/systems.json`) : null,
    ]);
    if (this.loaded.has(name)) return;
    this.loaded.add(name);
    split.start = this.rows.length;
    split.found = systems ? systems.systems : [];
    this.#depths(index.depth || []);
    const depth = this.facet("depth");
    const agree = this.facet("agree");
    if (systems && systems.agree.of.length) this.#agreements(systems.agree);
    for (let i = 0; i < split.rows; i += 1) {
      const texts = index.texts.map((column) => column[i]);
      this.rows.push([place, i + 1]);
      this.shown.push(texts);
      this.text.push(`${i + 1}\n${texts.join("\n").toLowerCase()}`);
      const put = (id, value) => { const facet = this.facet(id); if (facet) facet.of.push(value); };
      put("split", place);
      put("label", index.label ? index.label[i] : -1);
      put("relation", index.relations ? index.relations[i] : []);
      put("depth", index.depth && index.depth[i] !== null ? depth.values.indexOf(String(index.depth[i])) : -1);
      put("shape", index.linear ? 1 - index.linear[i] : -1);
      put("external", index.external ? Math.min(index.external[i], 3) : -1);
      if (agree) agree.of.push(systems ? agree.values.indexOf(wordOf(systems.agree, i)) : -1);
      for (const id of ["got", "duel"]) put(id, -1);
      put("broke", []);
    }
  }

  #depths(found) {
    const depth = this.facet("depth");
    const known = new Set(depth.values.map(Number));
    const more = [...new Set(found)].filter((value) => value !== null && !known.has(value));
    if (more.length) renumber(depth, [...known, ...more].sort((a, b) => a - b).map(String));
  }

  #agreements(agree) {
    const words = new Set(agree.right.map((_, i) => wordOf(agree, i)));
    const facet = this.facet("agree");
    const number = (word) => (word.startsWith("all wrong") ? 0 : word.startsWith("all") ? 1e9 : parseInt(word, 10));
    renumber(facet, [...new Set([...facet.values, ...words])].sort((a, b) => number(b) - number(a)));
  }

  /** Every system of the splits that are there, by key. */
  get systems() {
    return new Map(this.known.splits.flatMap((split) => split.found || []).map((one) => [one.key, one]));
  }

  /** What systems A and B got, in the splits where they are. */
  async ask({ a, b }) {
    const [got, broke, duel] = ["got", "broke", "duel"].map((id) => this.facet(id));
    if (!got) return;
    const answers = { got: this.rows.map(() => -1), broke: this.rows.map(() => []), duel: this.rows.map(() => -1) };
    const passed = this.known.annotations.length - 1;
    for (const split of this.known.splits) {
      if (!this.loaded.has(split.name)) continue;
      const there = (key) => key && split.found.some((one) => one.key === key);
      if (!there(a)) continue;
      const outcome = (key) => json(`${this.data}${split.name}/${slug(key)}/outcomes.json`);
      const [first, second] = await Promise.all([outcome(a), there(b) ? outcome(b) : null]);
      for (let i = 0; i < split.rows; i += 1) {
        answers.got[split.start + i] = Number(first.annotation[i]);
        if (second) {
          const [one, other] = [first, second].map((answer) => Number(answer.annotation[i]) === passed);
          answers.duel[split.start + i] = one ? (other ? 2 : 0) : other ? 1 : 3;
        }
      }
      for (const [rule, rows] of Object.entries(first.broken)) {
        if (!broke.values.includes(rule)) broke.values.push(rule);
        for (const row of rows) answers.broke[split.start + row - 1].push(broke.values.indexOf(rule));
      }
    }
    for (const facet of [got, broke, duel]) facet.of = answers[facet.id];
  }

  /** Places of the examples found, and for each facet how many each value would leave. */
  find(search) {
    const words = search.words.toLowerCase().split(/\s+/).filter(Boolean);
    const facets = this.facets;
    const wanted = facets.map((facet) => {
      const chosen = search.chosen.get(facet.id);
      return chosen && chosen.size ? facet.values.map((value) => chosen.has(value)) : null;
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

function wordOf(agree, row) {
  const all = agree.of.length;
  const right = agree.right[row];
  return right === all ? `all ${all} right` : right ? `${right} of ${all}` : "all wrong";
}

function renumber(facet, values) {
  const moved = facet.values.map((value) => values.indexOf(value));
  facet.of = facet.of.map((value) => (value < 0 ? value : moved[value]));
  facet.values = values;
}
