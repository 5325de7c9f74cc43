import type { Batch, HookContext, Metrics, SharedKey, TensorTree, TrainingState } from '@hookline/hook-api';
import { sharedKey } from '@hookline/hook-api';
import { memory, type Tensor } from '@tensorflow/tfjs-core';
import { GpuWatch, residentBytes } from '#host';

const meterKey: SharedKey<RunMeter> = sharedKey('hookline.run-meter');

/** The meter of a run: all logs share it, so that everything is measured once. */
export function meterOf({ shared }: HookContext): RunMeter {
  const known = shared.get(meterKey);
  if (known) return known;
  const meter = new RunMeter();
  shared.set(meterKey, meter);
  return meter;
}

/** Rates are measured over the last one to two of these windows. */
const WINDOW_MS = 1000;
/** To ask the system how much memory a process has took more than all else that a line of a log takes. */
const RESIDENT_MS = 250;
const MIB = 2 ** 20;

interface Counts {
  batches: number;
  samples: number;
  steps: number;
}

/** The counts at one moment; times are milliseconds of training. */
type Mark = Counts & { time: number };

type RunPosition = Pick<TrainingState, 'epoch' | 'batchIndex' | 'step'>;

/**
 * Measures speed and memory. Every log of the run reports each event to it; all reports after the first are ignored.
 * Validation does not count in any rate.
 */
export class RunMeter {
  readonly #gpu = new GpuWatch();
  readonly #counts = { batches: 0, samples: 0 };
  #from: Mark | undefined;
  #recent: Mark | undefined;
  #epoch: { number: number; time: number; seconds?: number } | undefined;
  #batch: { epoch: number; index: number } | undefined;
  #pausedAt: number | undefined;
  #paused = 0;
  #resident: { time: number; bytes: number | undefined } | undefined;
  #reading: { batchesPerSecond: number | undefined; system: Metrics } | undefined;

  start(state: RunPosition): void {
    this.#from ??= this.#recent = this.#mark(state);
  }

  startEpoch({ epoch }: RunPosition): void {
    if (this.#epoch?.number === epoch) return;
    this.#epoch = { number: epoch, time: performance.now() };
  }

  startBatch(state: RunPosition, batch: Batch): void {
    const { epoch, batchIndex: index } = state;
    if (this.#batch?.index === index && this.#batch.epoch === epoch) return;
    this.#batch = { epoch, index };
    this.#reading = undefined;
    const now = this.#mark(state);
    if (!this.#recent || now.time - this.#recent.time >= WINDOW_MS) {
      this.#from = this.#recent ?? now;
      this.#recent = now;
    }
    this.#counts.batches++;
    this.#counts.samples += sampleCount(batch.xs);
  }

  pause(): void {
    this.#pausedAt ??= performance.now();
  }

  resume(): void {
    if (this.#pausedAt !== undefined) this.#paused += performance.now() - this.#pausedAt;
    this.#pausedAt = undefined;
  }

  /** As of the latest batch. */
  batch(state: RunPosition): { batchesPerSecond: number | undefined; system: Metrics } {
    this.#reading ??= this.#read(state);
    return this.#reading;
  }

  /** As of the epoch that ends. */
  epoch(state: RunPosition): { seconds: number | undefined; system: Metrics } {
    const { system } = this.batch(state);
    const epoch = this.#epoch;
    if (!epoch) return { seconds: undefined, system };
    epoch.seconds ??= rounded((performance.now() - epoch.time) / 1000);
    return { seconds: epoch.seconds, system: { 'time/epoch-seconds': epoch.seconds, ...system } };
  }

  #read(state: RunPosition): { batchesPerSecond: number | undefined; system: Metrics } {
    const from = this.#from;
    const now = this.#mark(state);
    const seconds = from && (now.time - from.time) / 1000;
    const rate = (what: keyof Counts) => (seconds ? (now[what] - from![what]) / seconds : undefined);
    return {
      batchesPerSecond: rate('batches'),
      system: {
        ...defined({
          'speed/steps-per-second': rate('steps'),
          'speed/samples-per-second': rate('samples'),
        }),
        ...memoryMetrics(this.#residentBytes()),
        ...this.#gpu.latest(),
      },
    };
  }

  #residentBytes(): number | undefined {
    const time = performance.now();
    if (!this.#resident || time - this.#resident.time >= RESIDENT_MS)
      this.#resident = { time, bytes: residentBytes() };
    return this.#resident.bytes;
  }

  #mark({ step }: RunPosition): Mark {
    return { ...this.#counts, steps: step, time: (this.#pausedAt ?? performance.now()) - this.#paused };
  }
}

function memoryMetrics(bytes: number | undefined): Metrics {
  const { numTensors, numBytes } = memory();
  return {
    ...defined({ 'memory/rss-mib': bytes === undefined ? undefined : bytes / MIB }),
    'memory/tensors': numTensors,
    'memory/tensor-mib': rounded(numBytes / MIB),
  };
}

function defined(values: Record<string, number | undefined>): Metrics {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, rounded(value)]])),
  );
}

/** A measurement is not exact to sixteen digits. */
function rounded(value: number): number {
  return Number(value.toPrecision(6));
}

/** How many samples a batch has: the first dimension of its first tensor. */
function sampleCount(xs: TensorTree): number {
  const first = 'shape' in xs ? (xs as Tensor) : Object.values<Tensor>(xs)[0];
  return first?.shape[0] ?? 1;
}
