/* What a graph breaks, as scorer/tasks/graphs/constraints.py says it: constraints and strict findings. */

import { components, conceptsOf, cycle, nearest, unique } from "./graph.js";
import { compare, counted, fill } from "./language.js";

/** Judges graphs by the constraints and input texts in `own`; `wording.details` has the words of findings. */
export function constraints({ own, wording }, say) {
  const { graph: rules, texts } = own;
  const relations = new Set(rules.relations);

  const finding = (rule, key, values, edges = [], concepts = []) =>
    ({ rule, detail: fill(wording.details[key], values), edges, concepts });

  function capped(found) {
    const kept = new Map();
    for (const one of found) {
      if (!kept.has(one.rule)) kept.set(one.rule, []);
      kept.get(one.rule).push(one);
    }
    return [...kept].flatMap(([rule, same]) => {
      const more = same.length - own.limits.of_a_rule;
      return more > 0 ? [...same.slice(0, own.limits.of_a_rule), finding(rule, "more", { count: more })] : same;
    });
  }

  function* ofCounts(parts) {
    if (parts.length < rules.least_edges) {
      yield finding("EG-FEW-FACTS", "EG-FEW-FACTS", { count: parts.length, least: rules.least_edges });
    }
    if (rules.most_edges !== null && parts.length > rules.most_edges) {
      yield finding("EG-MANY-FACTS", "EG-MANY-FACTS", { count: parts.length, most: rules.most_edges });
    }
  }

  function ofParts(part) {
    if (part.some((text) => text.includes(";"))) return "EG-PARTS semicolon";
    if (part.some((text) => /\) +\(/.test(text))) return "EG-PARTS brackets";
    return "EG-PARTS";
  }

  function* ofEdges(parts, numbered) {
    for (const [index, part] of parts.entries()) {
      if (part.length !== 3) yield finding("EG-PARTS", ofParts(part), { number: index + 1, parts: part.length }, [index]);
    }
    for (const [index, [source, relation, target]] of numbered) {
      const number = index + 1;
      for (const concept of unique([source, target])) {
        const words = concept.split(" ").length;
        if (concept === "") {
          yield finding("EG-EMPTY", "EG-EMPTY", { number }, [index]);
        } else if (rules.concept_words !== null && words > rules.concept_words) {
          yield finding("EG-LONG", "EG-LONG", { number, concept, words, most: rules.concept_words }, [index], [concept]);
        }
      }
      if (relations.size && !relations.has(relation)) {
        const near = index < own.limits.of_a_rule ? nearest(relation, rules.relations) : "";
        yield finding("EG-REL", near ? "EG-REL near" : "EG-REL", { number, relation, near }, [index]);
      }
      if (rules.acyclic && source === target) {
        yield finding("EG-SELF", "EG-SELF", { number, concept: source }, [index], [source]);
      }
    }
  }

  function* ofShape(numbered) {
    const edges = numbered.map(([, edge]) => edge);
    const groups = components(edges);
    if (rules.connected && groups.length > 1) {
      const apart = new Set(groups.slice(1).flat());
      const culprits = numbered.filter(([, [source]]) => apart.has(source)).map(([index]) => index);
      const parts = groups.slice(0, 4).map((group) => group.slice(0, 4).join(", ")).join(" / ");
      yield finding("EG-DISCONNECTED", "EG-DISCONNECTED", { count: groups.length, parts },
        culprits.slice(0, own.limits.culprits), [...apart].sort(compare).slice(0, own.limits.culprits));
    }
    const members = rules.acyclic ? cycle(edges) : [];
    if (members.length) {
      const steps = new Set(members.slice(1).map((concept, i) => `${members[i]}\n${concept}`));
      const culprits = numbered.filter(([, [source, , target]]) => steps.has(`${source}\n${target}`));
      const shown = members.slice(0, 12).join(" → ") + (members.length > 12 ? " → ..." : "");
      yield finding("EG-CYCLE", "EG-CYCLE", { cycle: shown },
        culprits.map(([index]) => index).slice(0, own.limits.culprits), unique(members).slice(0, own.limits.culprits));
    }
  }

  function* ofTexts(contents, concepts) {
    for (const [i, text] of texts.entries()) {
      const inside = concepts.filter((concept) => contents[i].includes(concept));
      if (inside.length >= text.concepts) continue;
      const values = { count: counted(inside.length, "concept"), text: text.name, least: text.concepts, concepts: inside.join(", ") || "none" };
      yield finding(`EG-${text.name.toUpperCase()}-CONCEPTS`, "EG-TEXT-CONCEPTS", values, [], inside);
    }
  }

  function* ofStrictEdges(count, numbered) {
    if (rules.strict_most_edges !== null && count > rules.strict_most_edges) {
      yield finding("EG-MANY-FACTS", "EG-MANY-FACTS", { count, most: rules.strict_most_edges });
    }
    const seen = new Map();
    for (const [index, edge] of numbered) {
      const key = edge.join("\n");
      if (seen.has(key)) yield finding("EG-DUP", "EG-DUP", { number: index + 1, first: seen.get(key) + 1 }, [index]);
      else seen.set(key, index);
      const odd = unique([edge[0], edge[2]]).filter((concept) => /[();\t]/.test(concept));
      if (odd.length) yield finding("EG-CHAR", "EG-CHAR", { number: index + 1, concept: odd[0] }, [index], odd);
    }
  }

  function whole(concept, text) {
    for (let place = text.indexOf(concept); place >= 0; place = text.indexOf(concept, place + 1)) {
      const [before] = [...text.slice(Math.max(0, place - 2), place)].slice(-1);
      const [after] = text.slice(place + concept.length, place + concept.length + 2);
      if (![before, after].some((letter) => letter && (letter === "_" || say.alphanumeric(letter)))) return true;
    }
    return false;
  }

  function* ofInside(contents, concepts) {
    for (const [i, text] of texts.entries()) {
      for (const concept of concepts) {
        if (text.concepts && concept && contents[i].includes(concept) && !whole(concept, contents[i])) {
          yield finding("EG-W-INSIDE", "EG-W-INSIDE", { concept, text: text.name }, [], [concept]);
        }
      }
    }
  }

  /** Broken constraints and strict findings of lower-cased parts; without contents none about texts.
      `syntax`: what their notation breaks. */
  function ofPieces(contents, parts, syntax = []) {
    const low = contents.map(say.lower);
    const numbered = [...parts.entries()].filter(([, part]) => part.length === 3);
    const concepts = conceptsOf(numbered.map(([, edge]) => edge));
    const broken = [...ofCounts(parts), ...ofEdges(parts, numbered), ...ofShape(numbered)];
    const strict = [...ofStrictEdges(parts.length, numbered), ...syntax];
    if (low.length) {
      broken.push(...ofTexts(low, concepts));
      strict.push(...ofInside(low, concepts));
    }
    return { broken: capped(broken), strict: capped(strict) };
  }
  return { finding, ofPieces };
}
