/* What the program knows of any graph in brackets: its parts and cycles. */

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
