import type { Findings } from '../research/find-induction-heads.js';
import { ablationChart } from './ablation-chart.js';
import { headMap } from './head-map.js';
import { type Curve, learningChart } from './learning-chart.js';
import { colourLegend, shadeLegend } from './legend.js';
import { patchingMap } from './patching-map.js';
import { sequenceArcs } from './sequence-arcs.js';
import { at, element, namedText, text, tooltip } from './svg.js';
import { type Role, theme } from './theme.js';

/** What the picture tells. */
export interface Story {
  /** What the model is, and how well it does. */
  summary: string;
  findings: Findings;
  /** After each epoch of training: accuracies, and the scores of the two heads that were found. */
  learning: Record<'steps' | 'accuracy' | 'control' | 'previous' | 'induction', readonly number[]>;
  /** The accuracy of blind guessing. */
  chance: number;
}

const TITLE = 'How a tiny transformer repeats a word';
const WIDTH = 1100;
const HEIGHT = 1976;
const MARGIN = 38;

/** The whole story on one page, as an SVG file. */
export function picture({ summary, findings, learning, chance }: Story): string {
  return element(
    'svg',
    { xmlns: 'http://www.w3.org/2000/svg', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, height: HEIGHT },
    tooltip(TITLE),
    theme(),
    element('rect', { width: WIDTH, height: HEIGHT, class: 'page' }),
    text(MARGIN, 52, TITLE, { class: 'title strong ink' }),
    text(MARGIN, 78, summary, { class: 'soft' }),
    at(WIDTH - MARGIN, 44, colourLegend()),
    at(MARGIN, 122, sequenceSection(findings)),
    at(MARGIN, 472, headsSection(findings)),
    at(MARGIN, 1178, learningSection(findings, learning)),
    at(MARGIN + 562, 1178, ablationSection(findings, chance)),
    at(MARGIN, 1518, patchingSection(findings)),
  );
}

function heading(title: string, caption: string): string {
  return text(0, 0, title, { class: 'heading ink' }) + text(0, 21, caption, { class: 'soft' });
}

function sequenceSection({ example, induction, previous, patched }: Findings): string {
  const caption =
    'A word of twelve letters, then the word again from its eighth letter on, and around. What comes next is what followed the same letter before.';
  return [
    heading('Two heads that work together', caption),
    text(0, 62, `${induction.name} induction head`, { class: 'strong induction' }),
    text(0, 81, 'looks at what followed the same letter', { class: 'induction' }),
    at(
      0,
      214,
      sequenceArcs({
        ...patched,
        letters: example.letters,
        induction: induction.attention,
        previous: previous.attention,
      }),
    ),
    namedText(
      0,
      306,
      `${previous.name} previous-token head`,
      'tells each letter what came before it, so that the induction head can find it',
      { class: 'previous' },
    ),
  ].join('');
}

function headsSection(findings: Findings): string {
  const caption =
    'From each letter (row) to those before it (column). Below, how much of it goes to the letter before, and to the answer.';
  return [
    heading('Where each head looks', caption),
    at(WIDTH - 2 * MARGIN, 0, shadeLegend()),
    ...findings.heads.map((head) =>
      at(
        14 + head.index * 263,
        70 + head.block * 322,
        headMap({ ...head, role: roleOf(head.name, findings), letters: findings.example.letters }),
      ),
    ),
  ].join('');
}

function learningSection({ induction, previous }: Findings, learning: Story['learning']): string {
  const curves: Curve[] = [
    { name: 'accuracy', class: 'ink', values: learning.accuracy },
    { name: `${previous.name} looks at the letter before`, class: 'previous', values: learning.previous },
    { name: `${induction.name} looks at the answer`, class: 'induction', values: learning.induction },
    { name: 'accuracy of a model with one block', class: 'other', dash: '1 6', values: learning.control },
  ];
  return [
    heading('While it learns', 'For a long time nothing; then one head after the other, and it can do it.'),
    at(26, 48, learningChart(learning.steps, curves)),
  ].join('');
}

function ablationSection(findings: Findings, chance: number): string {
  const { whole, without } = findings.ablations;
  const bars = without.map(({ head: { name }, zero }) => ({
    name,
    role: roleOf(name, findings),
    accuracy: zero.accuracy,
  }));
  return [
    heading('Without a head', 'Accuracy when what one head says is set to zero.'),
    at(0, 46, ablationChart([{ name: 'none', role: 'other', accuracy: whole.accuracy }, ...bars], chance)),
  ].join('');
}

function patchingSection(findings: Findings): string {
  const { clean, corrupted, same, answer, question, recovered } = findings.patched;
  const rows = [...recovered].map(([path, shares]) => {
    const name = pointName(path);
    return { name, role: roleOf(name, findings), recovered: shares };
  });
  const caption =
    'One letter is spoilt, and the answer is lost. How much of it comes back when one activation, of one position, is put back as it was.';
  return [
    heading('The way of the answer', caption),
    at(
      0,
      90,
      patchingMap({
        letters: clean.letters,
        spoilt: corrupted.letters[same]!,
        same,
        answer,
        question,
        rows,
      }),
    ),
  ].join('');
}

/** What a head was found to be, by its name. */
function roleOf(name: string, { induction, previous }: Findings): Role {
  if (name === induction.name) return 'induction';
  return name === previous.name ? 'previous' : 'other';
}

/** `blocks/0/attention/head_3/output` is L0H3. */
function pointName(path: string): string {
  if (path === 'embed') return 'embedding';
  const [, block, part, head] = path.split('/');
  if (part === 'attention') return `L${block}H${head!.slice('head_'.length)}`;
  return part === 'mlp' ? `L${block} MLP` : `after block ${block}`;
}
