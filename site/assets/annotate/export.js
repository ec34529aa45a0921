/* Where an annotator's file goes: a link that opens GitHub with it where that fits, or without it. */

import { isRows } from "./graphs.js";

export const LONGEST_LINK = 8000;

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

/** The answers that are handed in: to questions that are asked, about triplets that they ask about. The others
    stay in the draft and go nowhere. `answer`: of answers.js. */
export function asked(item, given, answer, topics) {
  const { asked: ids, triplets } = answer(item, given, topics);
  const about = (id, value) => (typeof value !== "object" || isRows(value) || !triplets[id] ? value
    : Object.fromEntries(Object.entries(value).filter(([triplet]) => triplets[id].includes(triplet))));
  const kept = Object.fromEntries(Object.entries(given).filter(([id]) => ids.includes(id)).map(([id, value]) => [id, about(id, value)]));
  return count(kept) === count(given) ? kept : asked(item, kept, answer, topics);
}
/** How many answers there are, each triplet's being one. */
export const count = (given) => Object.values(given).reduce((sum, value) =>
  sum + (typeof value === "object" && !isRows(value) ? Object.keys(value).length : 1), 0);

/** What a draft hands in: sound answers to finished items, and their comments. */
export function handedIn(batch, { answers, comments, done }, answer) {
  const topics = batch.topics.map(({ key }) => key);
  const finished = batch.items.filter(({ id }) => done.includes(id));
  return {
    answers: Object.fromEntries(finished.map((item) =>
      [item.id, answer(item, asked(item, answers[item.id] || {}, answer, topics), topics).answers])),
    comments: Object.fromEntries(finished.filter(({ id }) => comments[id]).map(({ id }) => [id, comments[id]])),
  };
}
