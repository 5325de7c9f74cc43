import { defineOptions, type Hook, is, type Metrics, type OptionsSchema } from '@hookline/hook-api';
import { consoleKey, messageOf, shortNumber } from '@hookline/hook-api/helpers';
import { Columns } from './columns.js';
import {
  formatCount,
  formatDuration,
  formatMetrics,
  formatNumber,
  formatRate,
  NUMBER_WIDTH,
} from './format.js';
import type { BatchRecord, LogBackend, LogContent, LogRecord, LogRun } from './log-backend.js';
import { LOG_RULES, type LogOptions, logHook } from './log-hook.js';
import { writeAboveBar } from './terminal.js';

export interface ConsoleLogOptions extends LogOptions {
  /** Where lines go. Default standard output. */
  write?: (text: string) => void;
}

const schema = defineOptions<ConsoleLogOptions>('console-log', { ...LOG_RULES, write: is.function });

/**
 * Prints the run as lines a person reads.
 *
 * @example consoleLog({ every: 50, metrics: ['train/loss', 'val/*'] })
 */
export const consoleLog: ((options?: ConsoleLogOptions) => Hook) & { readonly options: OptionsSchema } =
  Object.assign(createHook, { options: schema });

function createHook(options: ConsoleLogOptions = {}): Hook {
  schema.check(options);
  const { write = (text: string) => void process.stdout.write(text) } = options;
  const shown = options.metrics === undefined ? briefOf : (metrics: Metrics) => metrics;
  return logHook('console-log', () => new ConsoleBackend(write, shown), {
    ...options,
    every: options.every ?? 10,
    writes: false,
  });
}

type RecordOf<Event extends LogContent['event']> = LogRecord & { event: Event };

class ConsoleBackend implements LogBackend {
  #run!: LogRun;
  #epochs: number | undefined;
  #batchesPerEpoch: number | undefined;
  /** What other hooks logged, and a validation in mid-epoch, since the last line. */
  #news: Metrics = {};
  readonly #columns = new Columns();

  constructor(
    private readonly print: (text: string) => void,
    /** What is shown of the metrics that other hooks log. */
    private readonly shown: (metrics: Metrics) => Metrics,
  ) {}

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
    if (text !== '') writeAboveBar(this.#run.ctx, () => this.print(`${text}\n`));
  }

  /** The parts of the record's line; none when it has no line, or has it later. */
  #lineOf(record: LogRecord): string[] {
    switch (record.event) {
      case 'start':
        return this.#startLine(record);
      case 'epoch-start':
        this.#run.ctx.shared.set(consoleKey, { epoch: record.epoch });
        return [];
      case 'batch':
        return this.#batchLine(record);
      case 'epoch':
        return this.#epochLine(record);
      case 'validation':
        // In training these are for the epoch's line, or the next batch's when the epoch goes on.
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

  #logLine({ scope, epoch, metrics }: RecordOf<'log'>): string[] {
    const shown = this.shown(metrics);
    if (scope === 'step') return this.#keep(shown);
    return Object.keys(shown).length === 0 ? [] : [this.#epochLabel(epoch), ...this.#metrics(shown)];
  }

  #startLine({ epochs, batchesPerEpoch, resumed, epoch, step }: RecordOf<'start'>): string[] {
    this.#epochs = epochs;
    this.#batchesPerEpoch = batchesPerEpoch;
    const { run, state } = this.#run.ctx;
    return [
      `run ${run.id}`,
      `backend ${state.backend}`,
      `${formatCount(state.modelParams)} parameters`,
      `${counted(epochs, 'epoch')}${batchesPerEpoch === undefined ? '' : ` of ${counted(batchesPerEpoch, 'batch')}`}`,
      resumed ? `from epoch ${epoch + 1}, step ${step}` : '',
    ];
  }

  #batchLine(record: RecordOf<'batch'>): string[] {
    const { epoch, batch, skipped, lr, batchesPerSecond } = record;
    const rates = [...new Set(Object.values(lr).map(shortNumber))].join(' ');
    const speed = batchesPerSecond === undefined ? '' : formatRate(batchesPerSecond);
    return [
      this.#epochLabel(epoch),
      `batch ${outOf(batch + 1, this.#batchesPerEpoch)}`,
      ...(skipped ? ['skipped'] : this.#batchNumbers(record)),
      ...formatMetrics(this.#run.select(this.#takeNews()), this.#alignIn('batch')),
      rates && `lr ${this.#columns.align('lr', rates)}`,
      speed && this.#columns.align('speed', speed),
    ];
  }

  #batchNumbers({ metrics, avgLoss }: BatchRecord): string[] {
    const align = this.#alignIn('batch');
    return Object.entries(this.#run.select(metrics)).flatMap(([name, value]) => {
      const shown = `${name.replace(/^train\//, '')} ${align(name, formatNumber(value))}`;
      return name === 'train/loss' ? [shown, `avg ${align('avg', formatNumber(avgLoss!))}`] : [shown];
    });
  }

  #epochLine({ epoch, metrics, epochSeconds }: RecordOf<'epoch'>): string[] {
    // The epoch's own numbers come first, and are right where both have a name.
    const shown = this.#run.select({ ...metrics, ...this.#takeNews(), ...metrics });
    const took = epochSeconds === undefined ? '' : formatDuration(epochSeconds);
    return [this.#epochLabel(epoch), ...formatMetrics(shown, this.#alignIn('epoch')), took];
  }

  #metrics(metrics: Metrics): string[] {
    return formatMetrics(this.#run.select(metrics));
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

  /** Lines of one kind have columns of their own. */
  #alignIn(kind: string): (name: string, number: string) => string {
    return (name, number) => this.#columns.align(`${kind} ${name}`, number, NUMBER_WIDTH);
  }

  #epochLabel(epoch: number): string {
    // What is logged when training is over comes after the last epoch, and belongs to it.
    return `epoch ${outOf(Math.min(epoch + 1, this.#epochs ?? Infinity), this.#epochs)}`;
  }

  #progress(): string {
    const { completedEpochs, step, elapsedSeconds } = this.#run.ctx.state;
    const epochs = counted(completedEpochs, 'epoch');
    return `after ${epochs}, ${counted(step, 'step')}, ${formatDuration(elapsedSeconds)}`;
  }
}

/** `1 batch`, `1,200 batches`. */
function counted(count: number, noun: 'epoch' | 'batch' | 'step'): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : noun === 'batch' ? 'es' : 's'}`;
}

/** `3/10`, padded so that lines stay aligned; `3` when the total is unknown. */
function outOf(count: number, total: number | undefined): string {
  return total === undefined ? String(count) : `${String(count).padStart(String(total).length)}/${total}`;
}

/**
 * Series of single parameters and layers (`grad/norm/dense_1/kernel`) would fill the screen, the learning rate has its
 * place in the line already, and what checkpoints cost is for curves. Naming `metrics` shows what is named.
 */
function briefOf(metrics: Metrics): Metrics {
  const isBrief = (name: string) => name.split('/').length === 2 && !/^(lr|checkpoint)\//.test(name);
  return Object.fromEntries(Object.entries(metrics).filter(([name]) => isBrief(name)));
}
