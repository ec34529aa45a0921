/* What a refused file looks like as a whole, as scorer/core/reading/forms.py sees it: other separators, quotes,
   JSON, HTML. */

/** What finds the form of lines of text: `(lines) => {name, count, lines} | null`. */
export function forms(facts) {
  const { columns, empty_line: emptyLine, forms: { separators, json } } = facts;

  const trimmed = (text, sign) => { // without such signs at its end
    let end = text.length;
    while (end && text[end - 1] === sign) end -= 1;
    return text.slice(0, end);
  };

  /** Whether the lines are one JSON array; of numbers only if it stands on one line. */
  function isArray(texts) {
    const start = /^ *\[ *(["{[0-9]|$)/.exec(texts[0]);
    return start !== null && trimmed(texts.at(-1), " ").at(-1) === "]" && (texts.length === 1 || !/[0-9]/.test(start[1]));
  }

  /** What lines may have that no predictions file has, and how many do. */
  function* features(texts) {
    const count = (has) => texts.filter(has).length;
    const start = texts[0].replace(/^ +/, "").toLowerCase();
    yield ["html", start.startsWith("<!doctype html") || start.startsWith("<html") ? texts.length : 0];
    yield ["array", isArray(texts) ? texts.length : 0];
    if (!json) yield ["json", count((one) => one[0] === "{" && trimmed(one, ",").at(-1) === "}")];
    if (columns.length > 1 || emptyLine !== "text") {
      for (const [separator, name] of Object.entries(separators)) {
        const bare = new RegExp(`[${separator}](?! )`); // in texts a space follows
        yield [name, count((one) => bare.test(one) && !one.includes("\t"))];
      }
    }
    if (columns.length > 1) {
      yield ["quotes", count((one) => one[0] === '"' && one.includes('"\t"'))];
      yield ["ends", count((one) => one.at(-1) === "\t" && one.split("\t").length === columns.length + 1)];
    }
  }

  return function recognised(given) {
    const texts = given.slice(0, given.findLastIndex((text) => text.length) + 1);
    for (const [name, count] of texts.length ? features(texts) : []) {
      if (10 * count >= 9 * texts.length) return { name, count, lines: texts.length };
    }
    return null;
  };
}
