/* Texts of a page's body whose contrast is below that of WCAG AA, drawings too. */
() => {
  const rgb = (text) => (text.match(/[\d.]+/g) || []).map(Number);
  const lum = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
  const ground = (node) => {
    for (let e = node; e; e = e.parentElement) {
      const box = e.matches('g.n') ? e.querySelector('rect, path') : null;
      const color = rgb(box ? getComputedStyle(box).fill : getComputedStyle(e).backgroundColor);
      if (color.length === 3 || color[3] === 1) return color.slice(0, 3);
    }
    return [255, 255, 255];
  };
  const found = [];
  for (const e of document.querySelectorAll('article *')) {
    if (![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim())) continue;
    if (!e.checkVisibility() || e.closest('option, select, .x')) continue;
    const svg = e.closest('svg');
    const color = rgb(svg ? getComputedStyle(e).fill : getComputedStyle(e).color).slice(0, 3);
    const [a, b] = [lum(color), lum(ground(e))].sort((x, y) => y - x);
    const ratio = (a + .05) / (b + .05);
    const name = `${e.tagName} ${e.className.baseVal ?? e.className}`;
    if (ratio < 4.5) found.push(`${name} ${ratio.toFixed(2)} ${e.textContent.slice(0, 30)}`);
  }
  return [...new Set(found)].slice(0, 20);
}
