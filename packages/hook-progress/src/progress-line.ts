import { formatClock, formatNumber, formatRate, formatSetting } from './format.js';
import { fitText, textWidth } from './text-width.js';

/** Everything that a line can show; what is undefined is left out. */
export interface ProgressView {
  /** The epoch, while something else than training is going on in it. */
  within?: Pick<ProgressView, 'label' | 'done' | 'total'>;
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

/** The line of a terminal that is `columns` wide: what matters least goes first when it is narrow. */
export function barLine(view: ProgressView, columns: number): string {
  const parts = partsOf(view);
  const share = view.done / (view.total ?? 1);
  const render = (length: number) =>
    parts.map(({ text }) => (text === BAR ? drawBar(share, length) : text)).join(GAP);
  // The last column stays free: a character there makes some terminals begin a new line.
  const room = columns - 1;
  while (parts.length > 1 && textWidth(render(MIN_BAR)) > room) parts.splice(leastImportant(parts), 1);
  const spare = room - textWidth(render(MIN_BAR));
  return fitText(render(Math.min(MIN_BAR + spare, MAX_BAR)), room);
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

/** Stands for the bar, whose length depends on the rest. */
const BAR = '\0';

function partsOf(view: ProgressView): Part[] {
  const { within, label, done, total, perSecond, etaSeconds, runEtaSeconds, tookSeconds, loss } = view;
  const rates = [...new Set((view.learningRates ?? []).map(formatSetting))];
  const parts: (Part | undefined)[] = [
    within && { text: within.label, rank: 0 },
    within && { text: batchesOf(within), rank: 5 },
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
