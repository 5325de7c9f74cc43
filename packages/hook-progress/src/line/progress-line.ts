import { shortNumber } from '@hookline/hook-api/helpers';
import { formatClock, formatNumber, formatRate } from './format.js';
import { fitText, textWidth } from './text-width.js';

/** Everything that a line can show; what is undefined is left out. */
export interface ProgressView {
  /** `epoch 3/10`, `validating`, `test`. */
  label: string;
  /** Batches. */
  done: number;
  total?: number | undefined;
  perSecond?: number | undefined;
  /** To the end of the epoch. */
  etaSeconds?: number | undefined;
  /** To the end of the run, when that is later. */
  runEtaSeconds?: number | undefined;
  /** Of an epoch that is over. */
  tookSeconds?: number | undefined;
  loss?: number | undefined;
  learningRates?: readonly number[];
  metrics?: Readonly<Record<string, number>>;
}

const GAP = '  ';
const MIN_BAR = 8;
const MAX_BAR = 30;

/** The line for a terminal that is `columns` wide: a narrow one leaves out what matters least. */
export function barLine(view: ProgressView, columns: number): string {
  return barLines([view], columns)[0]!;
}

/** Several lines: their bars start in the same column and have the same length. */
export function barLines(views: readonly ProgressView[], columns: number): string[] {
  const labelWidth = Math.max(...views.map(({ label }) => textWidth(label)));
  // The last column stays free: a character there makes some terminals start a new line.
  const room = columns - 1;
  const lines = views.map((view) => {
    const label = view.label + ' '.repeat(labelWidth - textWidth(view.label));
    return { parts: fittingParts({ ...view, label }, room), share: view.done / (view.total ?? 1) };
  });
  const spare = Math.min(...lines.map(({ parts }) => room - textWidth(render(parts, 0, MIN_BAR))));
  const length = Math.min(MIN_BAR + Math.max(spare, 0), MAX_BAR);
  return lines.map(({ parts, share }) => fitText(render(parts, share, length), room));
}

function fittingParts(view: ProgressView, room: number): Part[] {
  const parts = partsOf(view);
  while (parts.length > 1 && textWidth(render(parts, 0, MIN_BAR)) > room)
    parts.splice(leastImportant(parts), 1);
  return parts;
}

function render(parts: readonly Part[], share: number, barLength: number): string {
  return parts.map(({ text }) => (text === BAR ? drawBar(share, barLength) : text)).join(GAP);
}

/** The same without a bar, at its full length. */
export function plainLine(view: ProgressView): string {
  return partsOf(view)
    .filter(({ text }) => text !== BAR)
    .map(({ text }) => text)
    .join(GAP);
}

interface Part {
  text: string;
  /** The higher, the sooner it is left out. */
  rank: number;
}

/** A placeholder for the bar, whose length depends on the rest. */
const BAR = '\0';

function partsOf(view: ProgressView): Part[] {
  const { label, done, total, perSecond, etaSeconds, runEtaSeconds, tookSeconds, loss } = view;
  const rates = [...new Set((view.learningRates ?? []).map(shortNumber))];
  const parts: (Part | undefined)[] = [
    { text: label, rank: 0 },
    total === undefined ? undefined : { text: BAR, rank: 3 },
    total === undefined ? undefined : { text: `${Math.floor((100 * done) / total)}%`.padStart(4), rank: 3 },
    { text: batchesOf(view), rank: 1 },
    perSecond === undefined ? undefined : { text: formatRate(perSecond), rank: 5 },
    etaSeconds === undefined ? undefined : { text: `ETA ${formatClock(etaSeconds)}`, rank: 4 },
    runEtaSeconds === undefined ? undefined : { text: `run ${formatClock(runEtaSeconds)}`, rank: 7 },
    tookSeconds === undefined ? undefined : { text: `took ${formatClock(tookSeconds)}`, rank: 4 },
    loss === undefined ? undefined : { text: `loss ${formatNumber(loss)}`, rank: 2 },
    rates.length === 0 ? undefined : { text: `lr ${rates.join(' ')}`, rank: 8 },
    ...Object.entries(view.metrics ?? {}).map(([name, value]) => ({
      text: `${printable(name)} ${formatNumber(value)}`,
      rank: 6,
    })),
  ];
  return parts.filter((part) => part !== undefined);
}

function batchesOf({ done, total }: Pick<ProgressView, 'done' | 'total'>): string {
  return total === undefined ? `batch ${done}` : `${String(done).padStart(String(total).length)}/${total}`;
}

/** Of several equals, the last. */
function leastImportant(parts: readonly Part[]): number {
  return parts.reduce((worst, { rank }, index) => (rank >= parts[worst]!.rank ? index : worst), 0);
}

function drawBar(share: number, length: number): string {
  const filled = Math.floor(Math.min(Math.max(share, 0), 1) * length);
  return '█'.repeat(filled) + '░'.repeat(length - filled);
}

/** A line break or an escape sequence in a name or a reason must not reach the terminal. */
export function printable(text: string): string {
  return text.replace(/\p{Control}/gu, ' ');
}
