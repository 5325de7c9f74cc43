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

interface TracedStep {
  readonly step: number;
  readonly marks: readonly PhaseMark[];
  readonly kernels: readonly KernelCall[];
}

const TRAINING = 1;
const GARBAGE = 2;

/** So many events are kept: about 30 MB of JSON, which Perfetto still opens at once. */
const MOST_EVENTS = 200_000;

/** The steps that are looked at in detail, as a Chrome trace. */
export class Trace {
  /** As they came: events are made of them when the run is over, not while it is timed. */
  readonly #steps: TracedStep[] = [];
  #events = 0;
  #dropped = 0;

  get isEmpty(): boolean {
    return this.#steps.length === 0;
  }

  /** What happened from the start of the step to the start of the next; kernels lie within the phases. */
  addStep(step: number, marks: readonly PhaseMark[], kernels: readonly KernelCall[]): void {
    if (marks.length === 0) return;
    const events = 1 + marks.length + kernels.length;
    if (this.#events + events > MOST_EVENTS) {
      this.#dropped++;
      return;
    }
    this.#events += events;
    this.#steps.push({ step, marks, kernels });
  }

  toJson(run: string, collections: readonly Collection[]): string {
    const meta = [
      named('process_name', TRAINING, `hookline ${run}`),
      named('thread_name', TRAINING, 'training'),
      named('thread_name', GARBAGE, 'garbage collection'),
    ];
    const from = this.#steps[0]?.marks[0]?.start ?? 0;
    const to = this.#steps.at(-1)?.marks.at(-1)?.end ?? 0;
    const garbage = collections
      .filter(({ start, end }) => start >= from && end <= to)
      .map((collection) => complete('collection', 'gc', collection, from, GARBAGE));
    return JSON.stringify({
      traceEvents: [...meta, ...this.#steps.flatMap((step) => eventsOf(step, from)), ...garbage],
      displayTimeUnit: 'ms',
      otherData: { run, stepsLeftOut: this.#dropped },
    });
  }
}

/** The step, its phases within it, and the kernels within them. */
function eventsOf({ step, marks, kernels }: TracedStep, from: number): TraceEvent[] {
  const whole = { start: marks[0]!.start, end: marks.at(-1)!.end };
  return [
    complete(`step ${step + 1}`, 'step', whole, from),
    ...marks.map((mark) => {
      const { phase, hook, event } = mark;
      if (hook === undefined) return complete(phase, phase, mark, from);
      return { ...complete(`${hook}.${event}`, phase, mark, from), args: { hook, event } };
    }),
    ...kernels.map((kernel) => complete(kernel.name, 'kernel', kernel, from)),
  ];
}

/** Times begin with the trace, at `from`. */
function complete(name: string, cat: string, span: Collection, from: number, tid = TRAINING): TraceEvent {
  const ts = microseconds(span.start - from);
  return { name, cat, ph: 'X', pid: 1, tid, ts, dur: microseconds(span.end - from) - ts };
}

function named(name: string, tid: number, value: string): TraceEvent {
  return { name, ph: 'M', pid: 1, tid, ts: 0, args: { name: value } };
}

/** Whole ones: with fractions a span would end a trifle after the next one begins, and readers would nest the two. */
function microseconds(milliseconds: number): number {
  return Math.round(milliseconds * 1e3);
}
