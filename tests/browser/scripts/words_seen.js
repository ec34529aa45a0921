/* All words that stand on the first screen. */
() => {
  const texts = [], walker = document.createTreeWalker(document.querySelector(".wb-page"), 4);
  while (walker.nextNode()) {
    const range = document.createRange();
    range.selectNodeContents(walker.currentNode);
    const box = range.getBoundingClientRect();
    const seen = box.width && box.bottom > 0 && box.bottom <= innerHeight;
    if (seen) texts.push(walker.currentNode.textContent);
  }
  return texts.join(" ").replace(/\s+/g, " ");
}
