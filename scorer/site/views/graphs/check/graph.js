/* What the program knows of any graph in brackets: its parts, cycles and nearest relation. */

import { compare, first } from "./language.js";

// ---- the nearest relation: Ratcliff and Obershelp, as Python's difflib has it

function matched(a, b) {
  let [size, x, y] = [0, 0, 0];
  let ends = [];
  for (let i = 0; i < a.length; i += 1) {
    const now = [];
    for (let j = 0; j < b.length; j += 1) {
      if (a[i] !== b[j]) continue;
      now[j] = ((j && ends[j - 1]) || 0) + 1;
      if (now[j] > size) [size, x, y] = [now[j], i - now[j] + 1, j - now[j] + 1];
    }
    ends = now;
  }
  if (!size) return 0;
  return size + matched(a.slice(0, x), b.slice(0, y)) + matched(a.slice(x + size), b.slice(y + size));
}
export function nearest(relation, relations) {
  const word = [...first(relation, 60)];
  let best = { ratio: 0.8, name: "" };
  for (const name of relations) {
    const letters = [...name];
    const length = letters.length + word.length;
    const ratio = length ? (2 * matched(letters, word)) / length : 1;
    const better = ratio > best.ratio || (ratio === best.ratio && compare(name, best.name) > 0);
    if (better) best = { ratio, name };
  }
  return best.name;
}

// ---- graphs

const idOf = (part) => part.split(": ", 1)[0];
const byId = (edge) => (edge.length === 3 ? [idOf(edge[0]), edge[1], idOf(edge[2])] : edge);
export function pieces(graph, nodes = "text") {
  const edges = [...graph].slice(1, -1).join("").split(")(").map((edge) => edge.split("; "));
  return nodes === "id" ? edges.map(byId) : edges;
}
export const unique = (values) => [...new Set(values)];
export const conceptsOf = (edges) => unique(edges.flatMap(([source, , target]) => [source, target]));

export function components(edges) {
  const parent = new Map();
  const root = (concept) => {
    if (!parent.has(concept)) parent.set(concept, concept);
    while (parent.get(concept) !== concept) {
      parent.set(concept, parent.get(parent.get(concept)));
      concept = parent.get(concept);
    }
    return concept;
  };
  for (const [source, , target] of edges) {
    const above = root(source);
    parent.set(root(target), above);
  }
  const groups = new Map();
  for (const concept of conceptsOf(edges)) {
    const key = root(concept);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(concept);
  }
  return [...groups.values()];
}

export function cycle(edges) {
  const targets = new Map();
  for (const [source, , target] of edges) {
    if (!targets.has(source)) targets.set(source, []);
    targets.get(source).push(target);
  }
  const finished = new Set();
  for (const start of targets.keys()) {
    if (finished.has(start)) continue;
    const path = [start];
    const onPath = new Set(path);
    const waiting = [targets.get(start).values()];
    while (path.length) {
      const { value: next, done } = waiting.at(-1).next();
      if (done) {
        const left = path.pop();
        finished.add(left);
        onPath.delete(left);
        waiting.pop();
      } else if (onPath.has(next)) {
        return [...path.slice(path.indexOf(next)), next];
      } else if (!finished.has(next)) {
        path.push(next);
        onPath.add(next);
        waiting.push((targets.get(next) || []).values());
      }
    }
  }
  return [];
}
