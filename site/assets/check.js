/* The page of the checker: checks a predictions file in the browser as `scorer check` does, by the facts
   and the words that scorer/site/browsing/checker.py exports. Nothing is sent anywhere. check/judge.js
   does it in a worker; tests hold it to the answers of the program, case by case. */

import { KINDS } from "./check/kinds.js";
import { compare, counted } from "./check/language.js";
import { cell, figures, foreign, make, one, percent, section, table } from "./check/show.js";

/** The parts of a page that show one report. */
function shownReport(report, facts, { name, split, items }, root) {
  const kind = KINDS[facts.task].showing(facts, items);
  const { rows: wanted } = facts.splits[split];
  const link = (rule) => make("a", { href: root + facts.rules[rule].page }, make("code", {}, rule));

  function problems() {
    const lines = [...report.told, ...report.notes.map((one) => ({ ...one, badge: "note" }))];
    if (!lines.length) return null;
    const badge = (words) => (words ? make("span", { class: "wb-badge" }, words) : null);
    const rows = lines.map((one) => (typeof one === "string" ? make("tr", {}, make("td", { colspan: "5" }, `and ${one}`)) : make("tr", {},
      make("th", { scope: "row", "data-head": "Line " }, `${one.line}:${one.column}`),
      cell("Rule", link(one.rule), badge(one.badge)),
      cell("Found", foreign(one.found)), cell("Expected", foreign(one.expected)), cell("What to do", foreign(one.advice)))));
    const title = report.total ? "Errors" : "Notes";
    const plain = [...report.problems.map((one) => one.text), ...report.notes.map((one) => `note: ${one.text}`)].join("\n");
    const cut = report.total > report.problems.length ? `: the first ${report.problems.length} of ${counted(report.total, "error")}` : "";
    return section(title, table(title, ["Line:column", "Rule", "Found", "Expected", "What to do"], rows, "wb-stack"),
      make("details", {}, make("summary", {}, `As scorer check --rows prints them${cut}`), make("pre", {}, make("code", {}, plain))));
  }

  function unmeasured() {
    const open = facts.needs_inputs && !items ? `${facts.needs_inputs} were not checked` : "";
    const lacks = report.scores ? [] : facts.measured;
    if (!lacks.length && !open) return null;
    const why = items ? "Gold of this split is not public" : "The items of this split are not part of this site";
    const are = lacks.length ? `${lacks.join(" and ")} ${lacks.length > 1 ? "are" : "is"} not measured here` : "";
    return make("p", { class: "wb-note" }, `${why}, so ${[are, open].filter(Boolean).join(", and ")}.`);
  }

  function scores() {
    if (report.total) return [];
    const shown = report.scores ? facts.measured.map((metric) => [
      make("a", { href: `${root}metrics/${metric.toLowerCase()}/` }, metric),
      percent(report.scores[metric]), `${Math.round(report.scores[metric] * wanted)} of ${wanted} rows`]) : [];
    const others = facts.metrics.filter((metric) => !facts.measured.includes(metric));
    return [shown.length ? figures(shown) : null, unmeasured(), report.counts && kind.counts(report.counts),
      others.length ? make("p", { class: "wb-note" }, `This page does not compute ${others.join(", ")}; `, make("code", {}, "scorer score"), " does.") : null];
  }

  function byRule() {
    const lines = [["broken", `breaks ${facts.gate}`], ["strict", "strict, not counted"]].flatMap(([which, said]) => {
      const found = new Map();
      for (const row of report.rows) {
        for (const rule of new Set(row[which].map((one) => one.rule))) found.set(rule, (found.get(rule) || 0) + 1);
      }
      return [...found].sort(([a, n], [b, m]) => m - n || compare(a, b)).map(([rule, n]) =>
        make("li", {}, make("b", {}, String(n)), link(rule), make("span", {}, said)));
    });
    return lines.length ? section("Rows by rule", make("ul", { class: "wb-rulecounts" }, ...lines)) : null;
  }

  const list = (found) => make("ul", {}, ...found.map((one) => make("li", {}, link(one.rule), " ", foreign(one.detail))));

  function line(row) {
    const item = row.place === row.line ? null : make("small", {}, ` item ${row.place}`);
    return make("tr", {}, make("th", { scope: "row", "data-head": "Row " }, String(row.line), item), cell("Verdict", ...kind.verdict(row)),
      cell("Findings", make("div", { class: "wb-findings" },
        row.broken.length ? list(row.broken) : null,
        row.strict.length ? make("details", {}, make("summary", {}, counted(row.strict.length, "strict finding") + ", never scored"), list(row.strict)) : null,
        kind.body(row))));
  }

  function rows(step = 100) {
    if (!report.rows.length) return null;
    const bad = report.rows.filter((row) => row.broken.length || row.annotation === facts.annotations[0]);
    const box = table("Verdicts", ["Row", "Verdict", "Findings"], [], "wb-stack wb-rows");
    const body = one("tbody", box);
    const more = make("button", { type: "button", class: "wb-net" });
    const choice = make("select", {}, make("option", { value: "bad" }, `rows that fail (${bad.length})`),
      make("option", { value: "all" }, `all rows (${report.rows.length})`));
    if (!bad.length) choice.value = "all";
    const add = () => {
      const chosen = choice.value === "bad" ? bad : report.rows;
      const shown = body.rows.length;
      body.append(...chosen.slice(shown, shown + step).map(line));
      const left = chosen.length - body.rows.length;
      more.textContent = `Show ${Math.min(step, left)} more of ${left}`;
      more.hidden = left <= 0;
    };
    choice.addEventListener("change", () => { body.replaceChildren(); add(); });
    more.addEventListener("click", add);
    add();
    return section("Rows", make("p", { class: "wb-filter" }, make("label", {}, "Show ", choice)), box, more);
  }

  const where = `${facts.board} ${split}`;
  const sound = report.rows.filter((row) => !row.broken.length).length;
  const kept = facts.constrained ? `; ${counted(sound, facts.constrained)} keep${sound === 1 ? "s" : ""} every constraint` : "";
  const said = report.total
    ? `: ${counted(report.total, "error")}, so it cannot be scored on ${where}.`
    : `: can be scored on ${where}: ${counted(report.read, "row")}, all readable${kept}.`;
  return { said: [foreign(name, 120), said], parts: [problems(), ...scores(), byRule(), rows()].filter(Boolean) };
}

/** Whether a file of these lines may answer a split: its rows, its columns and its labels. */
function fits(lines, option) {
  const { columns, labels } = option.parentNode.dataset;
  const given = labels ? labels.split("|") : [];
  const cells = lines.map((line) => line.split("\t"));
  const labelled = cells.filter((row) => row.some((text) => given.includes(text.trim().toLowerCase()))).length;
  const more = cells[0].length - columns; // ids, which need a header
  const headers = lines.length - Number(option.dataset.rows);
  return (headers === 0 || headers === 1) && (more === 0 || more === headers) && (!given.length || 10 * labelled >= 9 * lines.length);
}

const LONGEST_GUESSED = 2 * 1024 * 1024; // of a larger file the page, which must not stand still, guesses nothing

/** The one split that a file fits; the chosen one, if that fits too or nobody can say. */
function guess(bytes, select) {
  if (bytes.length > LONGEST_GUESSED) return select.selectedOptions[0];
  const text = new TextDecoder().decode(bytes).replace(/\r\n?/g, "\n").replace(/\n+$/, "");
  const all = [...select.options].filter((option) => fits(text.split("\n"), option));
  const judged = all.filter((option) => !option.value.endsWith("/train"));
  const found = judged.length ? judged : all;
  const chosen = select.selectedOptions[0];
  return all.includes(chosen) || found.length !== 1 ? chosen : found[0];
}

/** What leads to a corrected copy of the file. */
function shownCopy({ text, what, left }, name) {
  const link = make("a", { href: URL.createObjectURL(new Blob([text], { type: "text/tab-separated-values" })), download: name, class: "md-button" }, "Download the corrected file");
  const then = left ? `${counted(left, "error")} ${left === 1 ? "is" : "are"} left for you` : "it has no errors";
  return section("A corrected copy", make("p", {}, `Without ${what.join(", ")}: ${then}. No answer is changed.`), link);
}

function start(page) {
  const root = page.dataset.root;
  const form = one("form", page);
  const said = one("[role=status]", page);
  const shown = one(".wb-checked", page);
  const command = one("pre code", page);
  const hint = one(".wb-guess", page);
  const { where, file, rows } = form.elements;
  const fetched = new Map();
  let worker = null;
  let id = 0;
  let last = null;

  const json = (path) => {
    if (!fetched.has(path)) {
      fetched.set(path, fetch(`${root}check/${path}.json`).then((answer) => {
        if (!answer.ok) throw new Error(`${path}.json: ${answer.status}`);
        return answer.json();
      }));
    }
    return fetched.get(path);
  };
  const failed = (why) => {
    page.removeAttribute("aria-busy");
    said.replaceChildren(`The page could not check it (${why}); use scorer check as shown below.`);
  };

  function tellCommand() {
    const [board, split] = where.value.split("/");
    const told = `predictions.${split}.tsv --board ${board} --split ${split}`;
    command.textContent = `scorer check ${told}\nscorer score ${told}`;
  }

  async function check() {
    tellCommand();
    const mine = (id += 1);
    const { bytes, name } = last;
    const [board, split] = where.value.split("/");
    page.setAttribute("aria-busy", "true");
    said.replaceChildren("Checking ", foreign(name, 120), " …");
    shown.replaceChildren();
    try {
      const facts = await json(board);
      const items = facts.splits[split].items ? await json(`${board}/${split}`) : null;
      if (mine !== id) return;
      if (worker) worker.terminate(); // only the newest file matters
      worker = new Worker(new URL("check/judge.js", import.meta.url), { type: "module" });
      worker.onerror = () => failed("its worker stopped");
      worker.onmessage = ({ data }) => {
        if (data.id !== id) return;
        const { said: words, parts } = shownReport(data.report, facts, { name, split, items }, root);
        page.removeAttribute("aria-busy");
        said.replaceChildren(...words);
        said.className = `wb-saying ${data.report.total ? "wrong" : "good"}`;
        shown.replaceChildren(...(data.fixed ? [shownCopy(data.fixed, name)] : []), ...parts);
      };
      worker.postMessage({ id, facts, bytes, options: { name, split, items } });
    } catch (fault) {
      fetched.clear();
      failed(fault.message);
    }
  }

  const choose = (wanted) => {
    if ([...where.options].some((option) => option.value === wanted)) where.value = wanted;
  };
  function looks(bytes) {
    const { value } = guess(bytes, where);
    hint.hidden = value === where.value;
    hint.textContent = `It looks like ${value.replace("/", " ")}, by its rows and labels. Choose another above if it is not.`;
    return value;
  }

  const most = 8 * 1024 * 1024 + 1; // of a larger file no more is read than shows that it is
  async function take(given) {
    const split = /\.(train|dev|test)\./.exec(given.name);
    const wanted = split && `${where.value.split("/")[0]}/${split[1]}`;
    choose(wanted);
    try {
      last = { bytes: new Uint8Array(await given.slice(0, most).arrayBuffer()), name: given.name };
      choose(looks(last.bytes));
    } catch (fault) {
      failed(fault.message);
      return;
    }
    check();
  }
  function takeText(text) {
    const bytes = new TextEncoder().encode(text);
    file.value = "";
    last = { bytes: bytes.subarray(0, most), name: "pasted.tsv" };
    choose(looks(last.bytes));
    check();
  }

  document.querySelector(".wb-needs")?.remove();
  const asked = new URLSearchParams(location.search).get("board");
  for (const split of ["test", "train", "dev"]) choose(`${asked}/${split}`); // the last that there is
  form.hidden = false;
  form.addEventListener("submit", (event) => { event.preventDefault(); if (rows.value) takeText(rows.value); });
  file.addEventListener("change", () => { if (file.files.length) take(file.files[0]); });
  where.addEventListener("change", () => { hint.hidden = true; tellCommand(); if (last) check(); });
  const drop = one(".wb-drop", form);
  for (const type of ["dragover", "dragleave", "drop"]) {
    page.addEventListener(type, (event) => {
      event.preventDefault(); // a file dropped beside the zone must not replace the page
      drop.classList.toggle("over", type === "dragover");
      const [given] = event.dataTransfer.files;
      if (type !== "drop" || !given) return;
      file.files = event.dataTransfer.files; // so that the field names it
      take(given);
    });
  }
  document.addEventListener("paste", (event) => {
    if (event.target.closest && event.target.closest("input, textarea")) return;
    const [given] = event.clipboardData.files;
    const text = event.clipboardData.getData("text/plain");
    if (given) take(given);
    else if (text) takeText(text);
  });
}

start(one(".wb-checker", document));
