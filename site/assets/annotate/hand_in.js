/* The dialog that hands answers in: the rules are checked, then the file goes to GitHub, the clipboard or the disk. */

import { make, one } from "../check/show.js";
import { button, copied, handable } from "./around.js";

// ---- where a file goes

const LONGEST_LINK = 8000;

/** `{url, filled}`: GitHub's page for a new file, its text filled in where the link may be so long; of a file that
    `exists`, the page that edits it. `path`: as annotations/KIND/BATCH/ANNOTATOR.tsv. */
export function link({ server = "https://github.com", repository, branch, path, text, exists = false }) {
  const cut = path.lastIndexOf("/");
  const parts = (value) => value.split("/").map(encodeURIComponent).join("/");
  const base = `${server}/${parts(repository)}`;
  if (exists) return { url: `${base}/edit/${parts(branch)}/${parts(path)}`, filled: false };
  const bare = `${base}/new/${parts(branch)}/${parts(path.slice(0, cut))}?filename=${encodeURIComponent(path.slice(cut + 1))}`;
  const url = `${bare}&value=${encodeURIComponent(text.replace(/\p{Cs}/gu, "\ufffd"))}`;
  return encodeURIComponent(url).length <= LONGEST_LINK ? { url, filled: true } : { url: bare, filled: false };
}

/** The time as headers of files have it. */
export const exported = (date) => date.toISOString().replace(/\.\d+Z$/, "Z");

// ---- the dialog

/** Whether a batch is closed by now, as its page says that the site has today; not where nobody can tell. */
async function closedMeanwhile({ batch }) {
  try {
    const text = await (await fetch(location.pathname, { cache: "no-store" })).text();
    const now = JSON.parse(one(".wb-known", new DOMParser().parseFromString(text, "text/html")).textContent).batch;
    return now.batch === batch && now.status === "closed";
  } catch {
    return false;
  }
}

/** A sentence about a file with numbers of items for their ids, as the page calls them. */
const numbered = (text, items) => items.reduce((said, { id }, i) => said.replaceAll(
  new RegExp(`"?(?<![\\w-])${id.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![\\w-])"?`, "g"), `item ${i + 1}`), text);

/** `{element, open(), refresh()}`; `made(annotator, time)`: `{file, path, faults, errors, exists}`. */
export function handingIn({ known, draft, tell, made }) {
  const { batch, facts, repository, server, branch } = known;
  const login = new RegExp(`^(?:${facts.login})$`);
  const name = make("input", { id: "wb-login", autocomplete: "username", maxlength: "39", spellcheck: "false" });
  const out = make("div", {});
  const terms = make("input", { id: "wb-terms", type: "checkbox" });
  const element = make("section", { class: "wb-handin" }, make("h2", {}, "Hand in"),
    make("p", {}, make("label", { for: "wb-login" }, "Your GitHub login"), " ", name),
    make("p", {}, make("label", {}, terms,
      ` I agree that my name, my answers and my comments become public${batch.licence ? ` under ${batch.licence}` : ""}.`)), out);
  element.hidden = true;
  let address = "";

  function ways({ file, path, exists }) {
    const copy = button("Copy", "", async () => {
      const did = await copied(file);
      if (did) draft.exported();
      tell(did ? "Copied." : "Your browser did not let the page copy; press Download.");
    });
    URL.revokeObjectURL(address);
    address = URL.createObjectURL(new Blob([file], { type: "text/tab-separated-values" }));
    const save = make("a", { class: "md-button", href: address, download: path.split("/").at(-1) }, "Download");
    save.addEventListener("click", draft.exported);
    const closed = batch.status === "closed";
    const to = repository && !closed ? link({ server, repository, branch, path, text: file, exists }) : null;
    const open = to && make("a", { class: "md-button md-button--primary", href: to.url, target: "_blank", rel: "noopener" }, "Open on GitHub");
    if (to?.filled) open.addEventListener("click", draft.exported);
    if (closed) out.append(make("p", { class: "wb-fault" }, "This batch has closed meanwhile: new files are refused. Your answers stay in this browser; download them to keep them."));
    else if (exists) out.append(make("p", {}, "There is a file on this batch already: press Copy, open GitHub, replace the whole text by yours."));
    else if (to && !to.filled) out.append(make("p", {}, "Too long for a link: press Copy, open GitHub, paste."));
    out.append(make("p", { class: "wb-buttons" }, ...[open, copy, save].filter(Boolean)));
    if (closed) return;
    out.append(make("p", {}, to ? "GitHub makes a fork for you if you need one. Press Commit changes there, then Propose changes and Create pull request."
        : "Add the file to the repository under that name, and open a pull request."));
  }
  function refresh() {
    if (element.hidden) return;
    terms.checked = draft.now().agreed === true;
    const done = draft.now().done.length;
    const annotator = name.value.trim().toLowerCase();
    out.replaceChildren();
    if (!login.test(annotator)) {
      out.append(make("p", {}, "Write your GitHub login: letters, digits and inner hyphens."));
      return;
    }
    if (!done) {
      out.append(make("p", {}, "No item is done yet. Press Done, next below an item to finish it."));
      return;
    }
    const found = made(annotator, exported(new Date()));
    const open = ({ rule }) => rule === "ANN-ITEM-MISSING"; // which refuses nothing
    out.append(make("p", {}, handable(done, batch.items.length), " The file is ", make("code", {}, found.path), "."),
      ...found.faults.map((fault) => make("p", { class: open(fault) ? "" : "wb-fault" }, `${numbered(fault.text, batch.items)} (${fault.rule})`)));
    if (found.errors) return;
    if (terms.checked) ways(found);
    else out.append(make("p", {}, "Tick the box above to get the file."));
  }
  terms.addEventListener("change", () => { draft.change({ agreed: terms.checked }, "agreed"); refresh(); });
  name.addEventListener("input", () => { draft.change({ name: name.value }, "name"); refresh(); });
  return {
    element, refresh,
    open() {
      element.hidden = false;
      name.value = draft.now().name;
      refresh();
      element.scrollIntoView();
      name.focus({ preventScroll: true });
      closedMeanwhile(batch).then((closed) => {
        if (!closed) return;
        batch.status = "closed";
        refresh();
      });
    },
  };
}
