/* The page on which annotators answer a batch that asks for graphs. */

import { graph } from "./annotate/graph_answer.js";
import { start } from "./annotate/page.js";
import { WIDGETS } from "./annotate/widgets.js";

WIDGETS.graph = graph;
start(document.querySelector(".wb-annotate"));
