import type { TrainStartEvent } from '@hookline/hook-api';
import type { ProgressView } from '../line/progress-line.js';
import { RateMeter } from './rate-meter.js';

/** What a display shows of the run, kept from event to event. Times are in milliseconds. */
export class RunProgress {
  loss: number | undefined;
  learningRates: readonly number[] = [];
  /** Of the latest validation. */
  metrics: Readonly<Record<string, number>> = {};

  /** The one that began last. */
  epoch = 0;

  #run: TrainStartEvent | undefined;
  /** Where the mean pace is measured from, in epochs. */
  #origin: { epochs: number; time: number } | undefined;
  /** A resumed run, or a hook that was added later, may start in the middle of an epoch. */
  #isWithinEpoch = true;
  #training = new Part('');
  #other: Part | undefined;
  /** Batches of the last validation: the next one will have as many. */
  #validationBatches: number | undefined;

  startRun(event: TrainStartEvent, isResumed: boolean, time: number): void {
    this.#run = event;
    this.#isWithinEpoch = isResumed;
    this.#origin = isResumed ? undefined : { epochs: 0, time };
  }

  startEpoch(epoch: number, time: number): void {
    const epochs = this.#run?.epochs;
    this.epoch = epoch;
    this.#training.begin(
      epochs === undefined ? `epoch ${epoch + 1}` : `epoch ${epoch + 1}/${epochs}`,
      this.#run?.batchesPerEpoch,
      time,
    );
    if (this.#isWithinEpoch) this.#training.meter.pause();
    this.#isWithinEpoch = false;
    this.#other = undefined;
  }

  /** A validation within an epoch, a test or a prediction: something other than training is going on. */
  startOther(label: string, total: number | undefined, time: number): void {
    this.#other = new Part(label);
    this.#other.begin(label, total ?? this.#validationBatches, time);
  }

  endOther(done: number, time: number): void {
    this.#validationBatches = done;
    this.#other = undefined;
    this.#training.meter.restart(this.#training.done, time);
  }

  /** So many batches are done of what is going on. */
  advance(done: number, time: number): void {
    const part = this.#other ?? this.#training;
    part.done = done;
    if (part.total !== undefined && done > part.total) part.total = undefined; // it was a wrong guess
    part.meter.update(done, time);
    if (part === this.#training) this.#origin ??= { epochs: this.#epochsDone(), time };
  }

  get batchesPerEpoch(): number | undefined {
    return this.#run?.batchesPerEpoch;
  }

  /** The epoch, and below it what is going on beside training. */
  views(time: number): ProgressView[] {
    const { loss, learningRates, metrics } = this;
    const isTraining = this.#training.label !== '';
    const epoch = {
      ...viewOf(this.#training),
      runEtaSeconds: this.#runEtaSeconds(time),
      loss,
      learningRates,
      metrics,
    };
    return [...(isTraining ? [epoch] : []), ...(this.#other ? [viewOf(this.#other)] : [])];
  }

  /** The line of an epoch that is over. */
  epochView(metrics: Readonly<Record<string, number>>, time: number): ProgressView {
    const { label, done, total, meter, begun } = this.#training;
    const tookSeconds = (time - begun) / 1000;
    return { label, done, total, perSecond: meter.perSecond, tookSeconds, metrics };
  }

  /** From the mean pace of the run so far, which includes validation; undefined in the last epoch. */
  #runEtaSeconds(time: number): number | undefined {
    if (!this.#run || !this.#origin || this.epoch + 1 >= this.#run.epochs) return undefined;
    const done = this.#epochsDone();
    const gained = done - this.#origin.epochs;
    if (gained <= 0) return undefined;
    return ((time - this.#origin.time) / 1000) * ((this.#run.epochs - done) / gained);
  }

  /** With the part of the current one. */
  #epochsDone(): number {
    return this.epoch + this.#training.done / (this.batchesPerEpoch ?? Infinity);
  }
}

function viewOf({ label, done, total, meter: { perSecond } }: Part): ProgressView {
  const known = total !== undefined && perSecond !== undefined && done < total;
  return { label, done, total, perSecond, etaSeconds: known ? (total - done) / perSecond : undefined };
}

class Part {
  done = 0;
  total: number | undefined;
  begun = 0;
  /** Kept from epoch to epoch: a new one starts with the rate of the last. */
  readonly meter: RateMeter = new RateMeter();

  constructor(public label: string) {}

  begin(label: string, total: number | undefined, time: number): void {
    this.label = label;
    this.total = total;
    this.done = 0;
    this.begun = time;
    this.meter.restart(0, time);
  }
}
