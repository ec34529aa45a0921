/* The page on which maintainers settle where annotators of a closed batch disagree. */

import { start } from "./annotate/adjudicate.js";

start(document.querySelector(".wb-adjudicate"));
