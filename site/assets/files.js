/* Files of this site, each fetched once. */

const files = new Map();

function once(url, read) {
  if (!files.has(url)) {
    const file = fetch(url).then(read);
    file.catch(() => files.delete(url)); // it is asked for again
    files.set(url, file);
  }
  return files.get(url);
}

async function found(answer) {
  if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`);
  return answer;
}

/** The value of a JSON file. */
export const json = (url) => once(url, async (answer) => (await found(answer)).json());

/** The value of a file that is gzip in itself (see scorer/site/pages.py). */
export const shard = (url) => once(url, async (answer) => {
  const packed = (await found(answer)).body.pipeThrough(new DecompressionStream("gzip"));
  return new Response(packed).json();
});

/** The part of an address that names a system. */
export const slug = (key) => key.replace("/", "--");
