/* How many words a reader passes before the table. */
() => {
  const table = document.querySelector(".wb-board");
  const words = (node) => node.textContent.trim().split(/\s+/).filter(Boolean).length;
  const walker = document.createTreeWalker(document.querySelector(".wb-page"), 4);
  let found = 0;
  while (walker.nextNode() && !table.contains(walker.currentNode)) {
    const parent = walker.currentNode.parentElement;
    const aside = parent.closest("fieldset, nav, .wb-hide");
    if (parent.checkVisibility() && !aside) found += words(walker.currentNode);
  }
  return found;
}
