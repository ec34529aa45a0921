/* Every kind of task by its name: how its predictions are judged and shown. */

import * as graphs from "./graphs.js";
import * as labels from "./labels.js";
import * as texts from "./texts.js";

export const KINDS = { explanation_graphs: graphs, anli: labels, anlg: texts };
