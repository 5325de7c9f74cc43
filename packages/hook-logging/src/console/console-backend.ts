import type { Metrics } from '@hookline/hook-api';
import { consoleKey, messageOf, shortNumber, terminalKey } from '@hookline/hook-api/helpers';
import type { LogBackend, LogRun } from '../session/log-backend.js';
import type { LogRecord, RecordOf } from '../session/log-record.js';
import { Columns } from './columns.js';
import { counted, formatDuration, formatMetrics, formatRate, outOf } from './format.js';
import { LoggedSeries } from './logged-series.js';
import { startLine } from './start-line.js';
import { writeAboveBar } from './terminal.js';

/** Prints a text; `onFailure` is for output that fails after the call. */
export type Print = (text: string, onFailure: (error: unknown) => void) => void;

/** Makes a line of each record that has one. */
export class ConsoleBackend implements LogBackend {
  #run!: LogRun;
  #epochs: number | undefined;
  #batchesPerEpoch: number | undefined;
  /** What other hooks logged, and a validation in mid-epoch, since the last line. */
  #news: Metrics = {};
  readonly #columns = new Columns();
  readonly #series: LoggedSeries;

  constructor(
    private readonly print: Print,
    /** The user has named the metrics to print: then all of these are shown. */
    isNamed: boolean,
    /** Leaves the lines of batches out while a progress bar shows them. */
    private readonly yieldsToBar: boolean,
  ) {
    this.#series = new LoggedSeries(isNamed);
  }

  open(run: LogRun): void {
    this.#run = run;
  }

  close(): void {}

  write(record: LogRecord): void {
    const line = this.#lineOf(record);
    // Names and reasons come from data and plugins: they must not steer the terminal.
    const text = line
      .filter(Boolean)
      .join('  ')
      .replace(/\p{Control}/gu, ' ');
    if (text !== '') writeAboveBar(this.#run.ctx, () => this.print(`${text}\n`, this.#onFailure));
  }

  readonly #onFailure = (error: unknown): void =>
    this.#run.fail(`Standard output cannot be written: ${messageOf(error)}`);

  /** The parts of the record's line; none when it has no line, or has it later. */
  #lineOf(record: LogRecord): string[] {
    switch (record.event) {
      case 'start':
        return this.#startLine(record);
      case 'epoch-start':
        this.#run.ctx.shared.set(consoleKey, { epoch: record.epoch });
        return [];
      case 'batch':
        return this.yieldsToBar && this.#run.ctx.shared.get(terminalKey) ? [] : this.#batchLine(record);
      case 'epoch':
        return this.#epochLine(record);
      case 'validation':
        // In training these are for the epoch's line, or for the next batch's when the epoch is not over.
        return record.stage === 'fit' ? this.#keep(record.metrics) : this.#metrics(record.metrics);
      case 'log':
        return this.#logLine(record);
      case 'test':
        return this.#metrics(record.metrics);
      case 'end':
        return [`${record.status} ${this.#progress()}${record.stopReason ? `: ${record.stopReason}` : ''}`];
      case 'killed':
        return [`killed by ${record.signal} ${this.#progress()}`];
      case 'error':
        return [`failed ${this.#progress()}: ${messageOf(record.error)}`];
      default:
        return [];
    }
  }

  #startLine(record: RecordOf<'start'>): string[] {
    this.#epochs = record.epochs;
    this.#batchesPerEpoch = record.batchesPerEpoch;
    return startLine(record, this.#run.ctx);
  }

  #logLine({ scope, epoch, metrics }: RecordOf<'log'>): string[] {
    this.#series.note(metrics);
    const shown = this.#series.worthShowing(metrics);
    if (scope === 'step') return this.#keep(shown);
    return Object.keys(shown).length === 0 ? [] : [this.#epochLabel(epoch), ...this.#metrics(shown)];
  }

  #batchLine(record: RecordOf<'batch'>): string[] {
    const { epoch, batch, skipped, lr, batchesPerSecond } = record;
    const rates = [...new Set(Object.values(lr).map(shortNumber))].join(' ');
    const speed = batchesPerSecond === undefined ? '' : formatRate(batchesPerSecond);
    return [
      this.#epochLabel(epoch),
      `batch ${outOf(batch + 1, this.#batchesPerEpoch)}`,
      ...(skipped ? ['skipped'] : this.#batchNumbers(record)),
      ...formatMetrics(this.#run.select(this.#takeNews()), this.#formatIn('batch')),
      rates && `lr ${this.#columns.align('lr', rates)}`,
      speed && this.#columns.align('speed', speed),
    ];
  }

  #batchNumbers({ metrics, avgLoss }: RecordOf<'batch'>): string[] {
    const format = this.#formatIn('batch');
    return Object.entries(this.#run.select(metrics)).flatMap(([name, value]) => {
      const shown = `${name.replace(/^train\//, '')} ${format(name, value)}`;
      return name === 'train/loss' ? [shown, `avg ${format('train/avg', avgLoss!)}`] : [shown];
    });
  }

  #epochLine({ epoch, batches, cutShort, metrics, epochSeconds }: RecordOf<'epoch'>): string[] {
    // The epoch's own numbers come first, and count where a hook has logged one of the same name.
    const shown = this.#run.select({ ...metrics, ...this.#takeNews(), ...metrics });
    const took = epochSeconds === undefined ? '' : formatDuration(epochSeconds);
    const cut = cutShort ? `cut short ${this.#cutPlace(batches)}` : '';
    return [this.#epochLabel(epoch), cut, ...formatMetrics(shown, this.#formatIn('epoch')), took];
  }

  #metrics(metrics: Metrics): string[] {
    return formatMetrics(this.#run.select(metrics), (name, value) => this.#series.format(name, value).text);
  }

  #keep(metrics: Metrics): [] {
    this.#news = { ...this.#news, ...metrics };
    return [];
  }

  #takeNews(): Metrics {
    const news = this.#news;
    this.#news = {};
    return news;
  }

  /** Lines of one kind share their columns. */
  #formatIn(kind: string): (name: string, value: number) => string {
    return (name, value) => {
      const { text, width } = this.#series.format(name, value);
      return this.#columns.align(`${kind} ${name}`, text, width);
    };
  }

  #cutPlace(batches: number): string {
    return batches === 0
      ? 'before its first batch'
      : `after batch ${outOf(batches, this.#batchesPerEpoch).trim()}`;
  }

  #epochLabel(epoch: number): string {
    // What is logged when training is over comes after the last epoch, and belongs to it.
    return `epoch ${outOf(Math.min(epoch + 1, this.#epochs ?? Infinity), this.#epochs)}`;
  }

  /** `after 2 epochs, 80 steps, 0.9 s`; `in epoch 3/10, after 96 steps, 1.8 s` when an epoch was cut short. */
  #progress(): string {
    const { stage, epoch, completedEpochs, step, elapsedSeconds } = this.#run.ctx.state;
    const took = formatDuration(elapsedSeconds);
    if (stage !== 'fit') return `after ${took}`;
    const steps = `${counted(step, 'step')}, ${took}`;
    // A resumed run that has nothing left to train is behind its last epoch.
    if (completedEpochs > epoch || epoch >= (this.#epochs ?? Infinity))
      return `after ${counted(completedEpochs, 'epoch')}, ${steps}`;
    return `in epoch ${epoch + 1}${this.#epochs === undefined ? '' : `/${this.#epochs}`}, after ${steps}`;
  }
}
