import type { Metrics } from '@hookline/hook-api';
import { type BestEpoch, betterEpoch } from '@hookline/hook-api/helpers';
import { Histograms } from './histograms.js';
import { fieldsOf, type LogLine, metricsOf, numberOf, textOf } from './log-line.js';
import type { EpochView, Resume, RunView, WarningView } from './run-view.js';
import { Series } from './series.js';

/** The part of a view that the log tells. */
export type LoggedView = Pick<
  RunView,
  | 'series'
  | 'epochs'
  | 'best'
  | 'metrics'
  | 'resumes'
  | 'warnings'
  | 'histograms'
  | 'plannedEpochs'
  | 'batchesPerEpoch'
  | 'skippedLines'
> & {
  /** How training ended, as far as the log knows. */
  readonly ended?: { status: 'completed' | 'stopped' | 'error'; stopReason?: string; failure?: string };
  /** Seconds of training at the latest line. */
  readonly seconds?: number | undefined;
};

// A log may come from anywhere: what grows with it is bounded.
const MOST_SERIES = 10_000;
const MOST_WARNINGS = 500;
const MOST_EPOCHS = 200_000;
const LONGEST_TEXT = 4_000;

/** Makes the view of a run from the lines of its log, one at a time. */
export class ViewBuilder {
  readonly #series = new Map<string, Series>();
  readonly #epochs: EpochView[] = [];
  readonly #resumes: Resume[] = [];
  readonly #warnings: WarningView[] = [];
  readonly #histograms = new Histograms();
  #metrics: Record<string, number> = {};
  #best: BestEpoch | undefined;
  #ended: LoggedView['ended'];
  #plannedEpochs: number | undefined;
  #batchesPerEpoch: number | undefined;
  #seconds: number | undefined;
  #skipped = 0;
  /** By event; lines of other events have nothing to show. */
  readonly #takers = new Map<string, (line: LogLine, step: number, epoch: number) => void>([
    ['start', (line, step, epoch) => this.#start(line, step, epoch)],
    ['batch', (line, step, epoch) => this.#batch(line, step, epoch)],
    ['epoch', (line, step, epoch) => this.#epoch(line, step, epoch)],
    ['validation', (line, step, epoch) => this.#measured(metricsOf(line.metrics), step, epoch)],
    ['test', (line, step, epoch) => this.#measured(metricsOf(line.metrics), step, epoch)],
    ['log', (line, step, epoch) => this.#points(line.metrics, step, epoch)],
    ['histogram', (line, step) => this.#histograms.add(line, step)],
    ['warning', (line, step) => this.#warn(line, step)],
    ['end', (line) => this.#end(line)],
    ['error', (line) => this.#failed(line)],
    ['killed', (line) => this.#killed(line)],
  ]);
  /** How many lines were taken, for whoever waits for a change. */
  lines = 0;

  /** `run`: lines of other runs in the same file are passed over. */
  constructor(private run?: string) {}

  /** What follows is the log of a run that continues the one before. */
  continueWith(run: string | undefined): void {
    this.run = run;
  }

  /** Notes lines that could not be read. */
  skip(count = 1): void {
    this.#skipped += count;
  }

  add(line: LogLine): void {
    if (this.run !== undefined && line.run !== undefined && line.run !== this.run) return;
    this.lines++;
    const [step, epoch] = [numberOf(line.step) ?? 0, numberOf(line.epoch) ?? 0];
    this.#seconds = numberOf(line.seconds) ?? this.#seconds;
    this.#takers.get(line.event)?.(line, step, epoch);
  }

  /** As of now; series and lists grow with further lines. */
  view(): LoggedView {
    return {
      series: this.#series,
      epochs: this.#epochs,
      best: this.#best,
      metrics: this.#metrics,
      resumes: this.#resumes,
      warnings: this.#warnings,
      histograms: this.#histograms.byName,
      plannedEpochs: this.#plannedEpochs,
      batchesPerEpoch: this.#batchesPerEpoch,
      skippedLines: this.#skipped,
      seconds: this.#seconds,
      ...(this.#ended && { ended: this.#ended }),
    };
  }

  #start(line: LogLine, step: number, epoch: number): void {
    this.#ended = undefined;
    this.#plannedEpochs = numberOf(line.epochs);
    this.#batchesPerEpoch = numberOf(line.batchesPerEpoch);
    if (step === 0) return;
    this.#resumes.push({ step, epoch });
    // A checkpoint may be older than the end of the log: what came after it is done again.
    for (const series of this.#series.values()) series.cutAfter(step);
    this.#histograms.cutAfter(step);
    while ((this.#epochs.at(-1)?.step ?? 0) > step) this.#epochs.pop();
    this.#metrics = this.#stillMeasured();
    this.#best = undefined;
    for (const { metrics, epoch } of this.#epochs) this.#best = betterEpoch(this.#best, metrics, epoch + 1);
  }

  /** Metrics as they were before the steps that are done again. */
  #stillMeasured(): Record<string, number> {
    const names = Object.keys(this.#metrics);
    const values = names.map((name) => [name, this.#series.get(name)?.latest] as const);
    return Object.fromEntries(values.filter((each): each is [string, number] => each[1] !== undefined));
  }

  /** Numbers of one batch have a name of their own: `train/loss` is the mean over an epoch. */
  #batch(line: LogLine, step: number, epoch: number): void {
    const metrics = fieldsOf(line.metrics);
    for (const name in metrics) {
      const own = name.startsWith('train/') ? `batch/${name.slice(6)}` : name;
      this.#point(own, step, epoch, metrics[name]);
    }
    const rates = fieldsOf(line.lr);
    for (const name in rates) this.#point(`lr/${name}`, step, epoch, rates[name]);
    this.#points(line.system, step, epoch);
  }

  #epoch(line: LogLine, step: number, epoch: number): void {
    const metrics = metricsOf(line.metrics);
    this.#measured(metrics, step, epoch);
    this.#points(line.system, step, epoch);
    this.#best = betterEpoch(this.#best, metrics, epoch + 1);
    const isCutShort = line.cutShort === true;
    if (this.#epochs.length < MOST_EPOCHS) this.#epochs.push({ epoch, step, isCutShort, metrics });
    else this.skip();
  }

  #end(line: LogLine): void {
    this.#metrics = { ...this.#metrics, ...metricsOf(line.metrics) };
    const { status } = line;
    if (status !== 'completed' && status !== 'stopped' && status !== 'error') return;
    const stopReason = shortText(line.stopReason);
    this.#ended = { status, ...(stopReason !== undefined && { stopReason }) };
  }

  #failed(line: LogLine): void {
    this.#ended = { status: 'error', failure: shortText(fieldsOf(line.error).message) ?? 'an error' };
  }

  #killed(line: LogLine): void {
    this.#ended = { status: 'stopped', stopReason: `killed by ${shortText(line.signal) ?? 'a signal'}` };
  }

  #warn(line: LogLine, step: number): void {
    const message = shortText(line.message);
    if (message === undefined || this.#warnings.length >= MOST_WARNINGS) this.skip();
    else this.#warnings.push({ time: textOf(line.time), step, hook: shortText(line.hook), message });
  }

  #measured(metrics: Metrics, step: number, epoch: number): void {
    this.#points(metrics, step, epoch);
    this.#metrics = { ...this.#metrics, ...metrics };
  }

  // `for in` in these two: lists of entries would take longer than reading the file.
  #points(logged: unknown, step: number, epoch: number): void {
    const values = fieldsOf(logged);
    for (const name in values) this.#point(name, step, epoch, values[name]);
  }

  #point(name: string, step: number, epoch: number, logged: unknown): void {
    const value = numberOf(logged);
    if (value === undefined) return;
    const series = this.#series.get(name) ?? this.#newSeries(name);
    if (series) series.add(step, epoch, value);
    else this.skip();
  }

  #newSeries(name: string): Series | undefined {
    if (this.#series.size >= MOST_SERIES) return undefined;
    const series = new Series(name);
    this.#series.set(name, series);
    return series;
  }
}

function shortText(value: unknown): string | undefined {
  return textOf(value)?.slice(0, LONGEST_TEXT);
}
