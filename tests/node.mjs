/* Reads a line with what is known, then a case a line; tells the page's answer to each. */
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
const [folder, body] = process.argv.slice(2);
const load = (name) => import(new URL(name, pathToFileURL(`${folder}/`)));
const AsyncFunction = (async () => {}).constructor;
const lines = createInterface({ input: process.stdin, crlfDelay: Infinity });
let tell = null;
for await (const line of lines) {
  const row = JSON.parse(line);
  if (tell === null) tell = await new AsyncFunction("load", "known", body)(load, row);
  else process.stdout.write(`${JSON.stringify(tell(row))}\n`);
}
