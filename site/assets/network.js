/* The interactive graph, loaded when asked for. */

let library;
const vis = () => (library = library || new Promise((done, failed) => {
  const script = document.createElement("script");
  script.src = new URL("vis-network.min.js", import.meta.url);
  script.onload = () => done(window.vis);
  script.onerror = failed;
  document.head.append(script);
}));

const STATUSES = ["kept", "changed", "reversed", "extra"];
const drawn = new Map();
const color = (name) => getComputedStyle(document.body).getPropertyValue(`--wb-${name}`).trim();
const dashes = { changed: [9, 3, 2, 3], reversed: [4, 3], extra: [9, 4] };

function paint(net, graph) {
  const edges = graph.edges.map((edge, id) => ({
    ...edge, id, dashes: dashes[edge.status] || false,
    color: color(edge.status === "gold" ? "edge" : edge.status), width: edge.status === "kept" ? 3 : 1.6,
    font: { color: color("ink"), strokeColor: color("paper"), strokeWidth: 4, size: 12 },
  }));
  const nodes = graph.nodes.map(({ group, ...node }) => ({
    ...node, shapeProperties: { borderDashes: group === "kx" ? [4, 3] : false, borderRadius: group === "k0" ? 1 : 10 },
    color: { background: color(`${group}-fill`), border: color(`${group}-line`), highlight: { background: color(`${group}-fill`), border: color("ink") } },
    font: { color: color("ink"), size: 13 },
  }));
  net.setData({ nodes, edges });
}

const numbers = (elements, name) => elements.map((one) => Number(one.getAttribute(name)));
const mean = (values) => values.reduce((a, b) => a + b) / values.length;

/** The nodes and edges of a drawing, at their places there. */
function graphOf(drawing) {
  const nodes = [...drawing.querySelectorAll(".n")].map((node, id) => {
    const text = node.querySelector("text");
    const lines = text.children.length ? [...text.children] : [text];
    return {
      id, label: lines.map((line) => line.textContent).join("\n") || " ", group: node.classList[1], shape: "box",
      title: node.querySelector("title")?.textContent, x: 1.15 * numbers(lines, "x")[0], y: 1.15 * mean(numbers(lines, "y")),
      hidden: node.classList.contains("ghost"),
    };
  }).filter(({ hidden }) => !hidden);
  const labels = [...drawing.querySelectorAll(".l")].map((label) =>
    [...label.childNodes].filter((part) => part.nodeType === Node.TEXT_NODE).map((part) => part.data).join("").trim());
  const edges = [...drawing.querySelectorAll(".e[data-ends]")].map((edge, i) => {
    const [from, to] = edge.dataset.ends.split(" ").map(Number);
    return { from, to, arrows: "to", label: labels[i] || " ", status: STATUSES.find((name) => edge.classList.contains(name)) || "gold" };
  });
  return { nodes, edges };
}

/** Draw a card's graph again at its end: nodes can be dragged, the page's scroll is left alone. */
export async function open(card) {
  const graph = graphOf(card.querySelector("figure svg"));
  const { Network } = await vis();
  const box = document.createElement("div");
  box.className = "wb-canvas";
  box.setAttribute("role", "img");
  box.setAttribute("aria-label", "Interactive graph; the same edges stand in words above");
  card.querySelector(".wb-more").after(box);
  const net = new Network(box, { nodes: [], edges: [] }, {
    physics: false,
    interaction: { zoomView: false, hover: true, keyboard: { enabled: false }, navigationButtons: false },
    nodes: { shape: "box", margin: 7 },
    edges: { arrows: "to", smooth: { type: "cubicBezier", forceDirection: "vertical", roundness: 0.4 } },
  });
  paint(net, graph);
  net.fit();
  drawn.set(net, graph);
  box.dataset.drawn = "yes";
}

new MutationObserver(() => drawn.forEach((graph, net) => paint(net, graph)))
  .observe(document.body, { attributes: true, attributeFilter: ["data-md-color-scheme"] });
