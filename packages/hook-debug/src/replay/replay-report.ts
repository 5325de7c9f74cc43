import { placeText, shortNumber } from '@hookline/hook-api/helpers';
import { describeValues, type NonFiniteValues } from '../check/non-finite-values.js';
import type { Finding } from '../finding/finding.js';
import type { LayerRange } from './layer-ranges.js';

export interface ReplayReport {
  /** What the run had found. */
  readonly original: Finding;
  readonly batch: readonly NonFiniteValues[];
  readonly weights: readonly NonFiniteValues[];
  /** In forward order. */
  readonly layers: readonly LayerRange[];
  readonly firstBadLayer: string | undefined;
  /** Of the batch in the run; undefined where the bundle does not tell. */
  readonly originalLoss: number | undefined;
  /** Whether random numbers are those of the run. */
  readonly isExact: boolean;
  /** Undefined when no loss was given. */
  readonly loss: number | undefined;
  readonly gradients: readonly NonFiniteValues[] | undefined;
  /** Whether NaN or infinity appeared anywhere. */
  readonly bad: boolean;
  /** All of it for people. */
  readonly text: string;
}

/** What a replay found, without what follows from it. */
export type ReplayResult = Omit<ReplayReport, 'bad' | 'text'>;

export function replayReport(result: ReplayResult): ReplayReport {
  return { ...result, bad: isBad(result), text: replayText(result) };
}

function isBad(report: ReplayResult): boolean {
  const { batch, weights, firstBadLayer, loss = 0, gradients = [] } = report;
  const found = batch.length + weights.length + gradients.length > 0;
  return found || firstBadLayer !== undefined || !Number.isFinite(loss);
}

function replayText(report: ReplayResult): string {
  const { original, batch, weights, layers, loss, gradients } = report;
  const { epoch, batchIndex, loaderName, step } = original;
  const lines = [
    `Step ${step}: ${placeText(epoch, batchIndex)} of loader "${loaderName}"`,
    '',
    ...rows('batch', batch),
    ...rows('weights', weights),
    ...table(layers, report.firstBadLayer),
    '',
    ...(loss === undefined ? [] : [labelled('loss', `${loss}${comparison(report)}`)]),
    ...(gradients ? rows('gradients', gradients) : []),
    '',
    conclusion(report),
  ];
  return `${lines.join('\n')}\n`;
}

function comparison({ loss, originalLoss }: ReplayResult): string {
  if (originalLoss === undefined) return '';
  return Object.is(loss, originalLoss) ? ', as in the run' : `, in the run ${originalLoss}`;
}

/** The first few of hundreds of gradients tell as much as all of them. */
const MOST_ROWS = 8;

function rows(name: string, bad: readonly NonFiniteValues[]): string[] {
  if (bad.length === 0) return [labelled(name, 'finite')];
  const shown = bad.slice(0, MOST_ROWS).map((each) => `${each.path}: ${describeValues(each)}`);
  if (bad.length > MOST_ROWS) shown.push(`and ${bad.length - MOST_ROWS} more`);
  return shown.map((text, index) => labelled(index === 0 ? name : '', text));
}

function labelled(name: string, text: string): string {
  return `${name.padEnd(10)} ${text}`;
}

function table(layers: readonly LayerRange[], firstBad: string | undefined): string[] {
  const shapes = layers.map(({ shape }) => `[${shape.join(', ')}]`);
  const [pathWidth, shapeWidth] = [layers.map(({ path }) => path), shapes].map((texts) =>
    Math.max(0, ...texts.map(({ length }) => length)),
  ) as [number, number];
  return layers.map(({ path, min, max, bad }, index) => {
    const range = Number.isNaN(min) ? '' : `${shortNumber(min)} to ${shortNumber(max)}`;
    const use = bad && bad.callIndex > 0 ? `use ${bad.callIndex + 1}: ` : '';
    const problem = bad ? `${range && ', '}${use}${describeValues(bad)}` : '';
    const mark = path === firstBad ? '  <- first' : '';
    const text = `${path.padEnd(pathWidth)}  ${shapes[index]!.padEnd(shapeWidth)}  ${range}${problem}${mark}`;
    return labelled(index === 0 ? 'layers' : '', text);
  });
}

function conclusion(report: ReplayResult): string {
  const { batch, weights, firstBadLayer, loss, gradients } = report;
  if (batch.length > 0) return `The batch itself is bad: ${batch[0]!.path}.`;
  if (weights.length > 0)
    return `The weights were already bad: ${weights[0]!.path}. An earlier update broke them.`;
  if (firstBadLayer !== undefined)
    return `The first bad output is that of ${firstBadLayer}, from finite input and weights.`;
  if (loss !== undefined && !Number.isFinite(loss))
    return 'All layers are finite, the loss is not: look at the loss function.';
  if (gradients && gradients.length > 0) {
    return `Forward pass and loss are finite. The backward pass reached ${gradients.at(-1)!.path} first.`;
  }
  const rest =
    loss === undefined ? ' Give the loss too: without it, loss and backward pass were not run.' : '';
  const random = report.isExact ? '' : ' Layers that draw random numbers drew different ones.';
  return `Everything is finite.${random}${rest}`;
}
