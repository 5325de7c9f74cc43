import type { PhaseMark } from '@hookline/hook-api';
import type { KernelCall } from './kernel-watch.js';
import type { Collection } from './runtime-watch.js';

/** An event of the Chrome trace-event format; times are in microseconds. */
interface TraceEvent {
  readonly name: string;
  readonly ph: 'X' | 'M';
  readonly pid: 1;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  readonly cat?: string;
  readonly args?: object;
}

const TRAINING = 1;
const GARBAGE = 2;

/** So many events are kept: about 30 MB of JSON, which Perfetto still opens at once. */
const MOST_EVENTS = 200_000;

/** The steps that are looked at in detail, as a Chrome trace. */
export class Trace {
  readonly #events: TraceEvent[] = [];
  #start = Infinity;
  #end = -Infinity;
  #dropped = 0;

  get isEmpty(): boolean {
    return this.#events.length === 0;
  }

  /** What happened from the start of the step to the start of the next; kernels lie within the phases. */
  addStep(step: number, marks: readonly PhaseMark[], kernels: readonly KernelCall[]): void {
    const [first, last] = [marks[0], marks.at(-1)];
    if (!first || !last) return;
    if (this.#events.length + marks.length + kernels.length >= MOST_EVENTS) {
      this.#dropped++;
      return;
    }
    this.#start = Math.min(this.#start, first.start);
    this.#end = last.end;
    this.#span(`step ${step + 1}`, 'step', first.start, last.end);
    for (const { phase, start, end, hook, event } of marks)
      this.#span(hook === undefined ? phase : `${hook}.${event}`, phase, start, end, hook && { hook, event });
    for (const { name, start, end } of kernels) this.#span(name, 'kernel', start, end);
  }

  toJson(run: string, collections: readonly Collection[]): string {
    const meta = [
      named('process_name', TRAINING, `hookline ${run}`),
      named('thread_name', TRAINING, 'training'),
      named('thread_name', GARBAGE, 'garbage collection'),
    ];
    const garbage = collections
      .filter(({ start, end }) => start >= this.#start && end <= this.#end)
      .map(({ start, end }) => this.#complete('collection', 'gc', start, end, GARBAGE));
    return JSON.stringify({
      traceEvents: [...meta, ...this.#events.map((event) => this.#shifted(event)), ...garbage],
      displayTimeUnit: 'ms',
      otherData: { run, stepsLeftOut: this.#dropped },
    });
  }

  #span(name: string, cat: string, start: number, end: number, args?: object | ''): void {
    this.#events.push({ ...complete(name, cat, start, end, TRAINING), ...(args && { args }) });
  }

  #complete(name: string, cat: string, start: number, end: number, tid: number): TraceEvent {
    return this.#shifted(complete(name, cat, start, end, tid));
  }

  /** Times begin with the trace. */
  #shifted(event: TraceEvent): TraceEvent {
    const ts = microseconds(event.ts - this.#start);
    return { ...event, ts, dur: microseconds(event.ts + event.dur! - this.#start) - ts };
  }
}

/** Still in milliseconds. */
function complete(name: string, cat: string, start: number, end: number, tid: number): TraceEvent {
  return { name, cat, ph: 'X', pid: 1, tid, ts: start, dur: end - start };
}

function named(name: string, tid: number, value: string): TraceEvent {
  return { name, ph: 'M', pid: 1, tid, ts: 0, args: { name: value } };
}

/** Whole ones: with fractions a span would end a trifle after the next one begins, and readers would nest the two. */
function microseconds(milliseconds: number): number {
  return Math.round(milliseconds * 1e3);
}
