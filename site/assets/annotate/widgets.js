/* What asks for answers, by the kind of answer: choice, choices, text, triplets, graph.

   A widget is a function `(context, question) => part` called once when its question comes onto the page; the page
   puts a fieldset with the question's text, its faults and its guidelines around the part. What is shown of an item
   (fields.js) is the same: `(context, field) => part`.

   A part has
   - `elements`: what to put on the page;
   - `refresh()`, if it shows answers: called after every change of any answer to the item (its own, another's, an
     undone one) and when the page becomes or stops being read-only. It sets what is there and does not make it anew, so
     that a key is painted at once and the focus stays;
   - `focus(about)`, if the first control is not the place: `about` is a fault's (a triplet, a fact's number), "", or the
     question's id if something of `missing` is wanted;
   - `owns(fault)`: whether a fault is of this answer though `about` is not the question's id;
   - `missing()`, if more is wanted than a sound answer (a box to tick) before the item is done: sentences that say what;
   - `keys`, if it has some: `{ v: ["View graph", action] }`, for the whole item (`Alt+a` also in a field); and
     `key(event)`, for a key that is pressed inside it: true if it was one of its own;
   - `lit(triplet)`: called when a triplet is pointed at anywhere on the page ("" when none is).

   The context is that of one item:
   - `form`, `batch`, `item`, `facts`: as the page's data has them; `topics`: the keys of the batch's topics;
   - `given(id)`: what the draft has as the answer to a question, "" if nothing: a string as in a file's cell, or for
     triplets an object with a value by triplet; `put(id, value, part)` takes another (and the item is not done any
     more); changes of one `part` in a row are one step of undo, null makes a step of its own;
   - `judged()`: what answers.js says of the answers now;
   - `readOnly()`: another tab holds the batch, so nothing may be changed;
   - `say`, `graph`: of ../check/language.js and graphs.js; `tell(text)`: says something politely to everybody;
   - `light(triplet)`: points at a triplet. */

import { choice, choices, text } from "./plain.js";
import { triplets } from "./triplets.js";

/** By the kind of answer; annotate_graphs.js adds `graph`, which few forms need. */
export const WIDGETS = { choice, choices, text, triplets };
