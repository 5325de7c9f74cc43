import { type LogLine, listOf, numberOf, textOf } from './log-line.js';
import type { HistogramView } from './run-view.js';

const MOST_NAMES = 1_000;
const MOST_BUCKETS = 512;
/** Of one name; every other one is dropped beyond that, so that the whole run stays covered. */
const MOST_OF_A_NAME = 128;

/** The histograms of a run, bounded in number and in size. */
export class Histograms {
  readonly byName: Map<string, HistogramView[]> = new Map();
  /** Of each name, every how many are kept, and how many there were. */
  readonly #strides = new Map<string, { stride: number; seen: number }>();

  /** Forgets what comes after a step. */
  cutAfter(step: number): void {
    for (const list of this.byName.values()) while ((list.at(-1)?.step ?? 0) > step) list.pop();
  }

  add(line: LogLine, step: number): void {
    const name = textOf(line.name);
    const [edges, counts] = [numbersOf(line.edges), numbersOf(line.counts)];
    const isWhole = counts.length > 0 && counts.length <= MOST_BUCKETS && edges.length === counts.length + 1;
    if (name === undefined || !isWhole) return;
    const list = this.byName.get(name) ?? [];
    if (list.length === 0 && this.byName.size >= MOST_NAMES) return;
    this.byName.set(name, list);
    const pace = this.#strides.get(name) ?? { stride: 1, seen: 0 };
    this.#strides.set(name, pace);
    if (pace.seen++ % pace.stride === 0) list.push({ step, edges, counts });
    if (list.length < MOST_OF_A_NAME) return;
    pace.stride *= 2;
    list.splice(0, list.length, ...list.filter((_, at) => at % 2 === 0));
  }
}

function numbersOf(value: unknown): number[] {
  return listOf(value).map((each) => numberOf(each) ?? Number.NaN);
}
