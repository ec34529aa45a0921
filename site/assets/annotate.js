/* The page on which annotators answer a batch, by the form and the batch that stand in it. */

import { start } from "./annotate/page.js";

start(document.querySelector(".wb-annotate"));
