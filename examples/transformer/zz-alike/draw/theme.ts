import { element } from './svg.js';

/** The colour of a head, here and in every chart: what it was found to be. */
export type Role = 'induction' | 'previous' | 'other';

interface Colours {
  page: string;
  panel: string;
  rule: string;
  ink: string;
  soft: string;
  induction: string;
  previous: string;
  other: string;
  recovered: string;
}

const LIGHT: Colours = {
  page: '#ffffff',
  panel: '#f6f7f9',
  rule: '#d9dee5',
  ink: '#1b2430',
  soft: '#5d6b7c',
  induction: '#e2520a',
  previous: '#1769d2',
  other: '#66758a',
  recovered: '#0c8a63',
};

const DARK: Colours = {
  page: '#0d1117',
  panel: '#161c25',
  rule: '#313b48',
  ink: '#e8edf3',
  soft: '#9aa7b6',
  induction: '#ff8a4c',
  previous: '#5ea4ff',
  other: '#93a1b3',
  recovered: '#3ccf9b',
};

const TYPE = `
text { font-family: system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif; font-size: 13px; }
.letter { font-family: ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace; }
.title { font-size: 27px; }
.tile { font-size: 19px; }
.spelled { font-size: 16px; }
.small { font-size: 12px; }
.tiny { font-size: 8px; }
.spoilt { text-decoration: line-through; }
.heading { font-size: 17px; font-weight: 650; }
.strong { font-weight: 650; }
.middle { text-anchor: middle; }
.end { text-anchor: end; }
.line { fill: none; stroke-linecap: round; stroke-linejoin: round; }`;

/** The classes of all elements. A dark page takes other colours by itself; what reads no media query stays light. */
export function theme(): string {
  return element(
    'style',
    {},
    `${TYPE}${rules(LIGHT)}\n@media (prefers-color-scheme: dark) {${rules(DARK)}\n}\n`,
  );
}

function rules(colours: Colours): string {
  return Object.entries(colours)
    .map(([name, colour]) => `\n.${name} { fill: ${colour}; }\n.${name}-line { stroke: ${colour}; }`)
    .join('');
}
