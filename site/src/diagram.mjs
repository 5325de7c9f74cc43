import dagre from '@dagrejs/dagre';

/** @typedef {{ x: number, y: number }} Point */

const lineHeight = 34;
const letterWidth = 8;

/**
 * The page with its mermaid diagrams drawn as SVG. Mermaid itself would be half a megabyte for every reader; the pages
 * need only boxes and arrows.
 * @param {string} markdown
 * @param {string} page For the error message.
 */
export function withDiagrams(markdown, page) {
  return markdown.replace(/^```mermaid\n([\s\S]*?)^```$/gm, (_, text) => drawing(arrowsIn(text, page)));
}

/**
 * @param {string} text
 * @param {string} page
 */
function arrowsIn(text, page) {
  const [kind, ...lines] = text.trim().split('\n');
  const arrows = lines.map((line) => /^\s*([\w-]+)(?:\["(.+?)"\])? --> ([\w-]+)(?:\["(.+?)"\])?$/.exec(line));
  const wrong = lines.find((_, index) => !arrows[index]);
  if (kind !== 'graph TD' || wrong !== undefined) {
    throw new Error(`${page}: the site draws diagrams of "graph TD" and "a --> b", not "${wrong ?? kind}"`);
  }
  return arrows.map((arrow) => {
    const [, from = '', fromLabel = from, to = '', toLabel = to] = arrow ?? [];
    return { from, fromLabel, to, toLabel };
  });
}

/** @param {{ from: string, fromLabel: string, to: string, toLabel: string }[]} arrows */
function drawing(arrows) {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ nodesep: 24, ranksep: 44, marginx: 8, marginy: 8 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { from, fromLabel, to, toLabel } of arrows) {
    graph.setNode(from, box(fromLabel));
    graph.setNode(to, box(toLabel));
    graph.setEdge(from, to);
  }
  dagre.layout(graph);

  const { width, height } = graph.graph();
  const boxes = graph.nodes().map((name) => {
    const node = graph.node(name);
    const { x, y } = node;
    return `<rect x="${x - node.width / 2}" y="${y - node.height / 2}" width="${node.width}" height="${node.height}" rx="6"/><text x="${x}" y="${y}">${node.label}</text>`;
  });
  const lines = graph.edges().map((edge) => `<path d="${curve(graph.edge(edge).points)}"/>`);
  const label = arrows.map(({ fromLabel, toLabel }) => `${fromLabel} to ${toLabel}`).join(', ');
  return [
    `<div class="diagram"><svg role="img" aria-label="${label}" viewBox="0 0 ${width} ${height}" width="${width}">`,
    '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0 8 4 0 8z"/></marker></defs>',
    ...lines,
    ...boxes,
    '</svg></div>',
  ].join('');
}

/** @param {string} label */
function box(label) {
  return { label, width: label.length * letterWidth + 24, height: lineHeight };
}

/**
 * Through the points of the layout, round at each of them.
 * @param {Point[]} points
 */
function curve(points) {
  const [first, ...rest] = points;
  const last = rest.pop();
  if (!first || !last) return '';
  const bends = rest.map((point, index) => {
    const next = rest[index + 1] ?? last;
    const end = index + 1 < rest.length ? middle(point, next) : next;
    return `Q${point.x} ${point.y} ${end.x} ${end.y}`;
  });
  return `M${first.x} ${first.y}${bends.join('') || `L${last.x} ${last.y}`}`;
}

/**
 * @param {Point} a
 * @param {Point} b
 */
function middle(a, b) {
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
}
