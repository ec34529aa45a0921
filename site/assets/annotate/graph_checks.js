/* What is told of a graph while it is written: the rules as a list, each kept or broken; sentences; phrases. */

const NO_MOST = null;

/** `[{words, told, kept}]`: every rule of a form's graphs in words, and what its errors say. */
export function checks({ rules, texts }, errors) {
  const { least_edges: least, most_edges: most, concept_words: most_words } = rules;
  const facts = (count) => `${count} fact${count === 1 ? "" : "s"}`;
  const wanted = [
    [["EG-FEW-FACTS", "EG-MANY-FACTS"], most === NO_MOST ? `At least ${facts(least)}` : least === most ? facts(least) : `${least} to ${facts(most)}`],
    [["EG-EMPTY"], "Both concepts of each fact"],
    [["EG-REL"], "A relation in each fact"],
    ...(most_words === NO_MOST ? [] : [[["EG-LONG"], `At most ${most_words} word${most_words === 1 ? "" : "s"} in a concept`]]),
    [["EG-CHAR"], "No brackets, semicolons or tabs"],
    ...(rules.acyclic ? [[["EG-SELF"], "Two different concepts in each fact"]] : []),
    [["EG-DUP"], "No fact twice"],
    ...(rules.connected ? [[["EG-DISCONNECTED"], "All facts connected"]] : []),
    ...(rules.acyclic ? [[["EG-CYCLE"], "No cycle"]] : []),
    ...texts.filter(({ concepts }) => concepts).map(({ name, concepts }) =>
      [[`EG-${name.toUpperCase()}-CONCEPTS`], `${concepts} concept${concepts === 1 ? "" : "s"} from the ${name}`]),
  ];
  const known = new Set(wanted.flatMap(([ids]) => ids));
  const others = [...new Set(errors.map(({ rule }) => rule))].filter((rule) => !known.has(rule));
  return [...wanted, ...others.map((rule) => [[rule], rule])].map(([ids, words]) => {
    const told = errors.filter(({ rule }) => ids.includes(rule));
    return { words, told, kept: !told.length };
  });
}

const MOST_PHRASES = 400;
/** Phrases of the texts of up to `most` words, and concepts that are used already; each once, lower-cased. */
export function phrases(texts, concepts, most) {
  const found = new Set(concepts.filter(Boolean));
  for (const text of texts) {
    for (const part of text.toLowerCase().split(/[^\p{L}\p{M}\p{N}'’\- ]+/u)) {
      const words = part.split(" ").filter(Boolean);
      for (let length = 1; length <= (most ?? 3); length += 1) {
        for (let at = 0; at + length <= words.length && found.size < MOST_PHRASES; at += 1) {
          const phrase = words.slice(at, at + length).join(" ");
          if (phrase.length > 2) found.add(phrase);
        }
      }
    }
  }
  return [...found];
}

/** Relations in the groups of a list to choose from: `[[name, relations]]`. */
export function grouped({ relations, negated }) {
  const groups = [["Positive", relations.filter((one) => !negated.includes(one))], ["Negative", relations.filter((one) => negated.includes(one))]];
  return negated.length ? groups.filter(([, listed]) => listed.length) : [["", relations]];
}
