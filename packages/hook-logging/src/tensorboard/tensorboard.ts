import { hostname } from 'node:os';
import { join } from 'node:path';
import { defineOptions, type Hook, is, type OptionsSchema } from '@hookline/hook-api';
import { Curves } from '../curves.js';
import type { LogBackend, LogRecord, LogRun } from '../log-backend.js';
import { LogFile, type LogFormat } from '../log-file.js';
import { LOG_RULES, type LogOptions, logHook } from '../log-hook.js';
import { flatConfig, runConfig } from '../run-config.js';
import { pathInRun } from '../run-path.js';
import { eventRecord } from './event-record.js';
import * as events from './events.js';

export interface TensorboardOptions extends LogOptions {
  /** Default `tensorboard` in the run's folder. */
  dir?: string;
}

const schema = defineOptions<TensorboardOptions>('tensorboard', { ...LOG_RULES, dir: is.string });

/**
 * Writes the run as TensorBoard reads it: curves, histograms, the config and how the run ended.
 *
 * @example tensorboard({ every: 50, dir: 'logs/first-try' })
 */
export const tensorboard: ((options?: TensorboardOptions) => Hook) & { readonly options: OptionsSchema } =
  Object.assign(createHook, { options: schema });

function createHook(options: TensorboardOptions = {}): Hook {
  schema.check(options);
  const { dir, every = 10 } = options;
  return logHook('tensorboard', () => new TensorboardBackend(dir), { ...options, every });
}

/** A file that TensorBoard takes for one must begin with the version of its format. */
const EVENT_FILE: LogFormat<Uint8Array> = {
  encode: (records, isEmpty) =>
    Buffer.concat(isEmpty ? [eventRecord(events.versionEvent(Date.now())), ...records] : records),
};

class TensorboardBackend implements LogBackend {
  readonly takesHistograms = true;
  readonly #curves = new Curves();
  #run!: LogRun;
  #file: LogFile<Uint8Array> | undefined;

  constructor(private readonly dir: string | undefined) {}

  open(run: LogRun): void {
    this.#run = run;
    const dir = this.dir ?? pathInRun(run.ctx.run, 'tensorboard');
    if (dir === undefined)
      run.fail('tensorboard has nowhere to write to: the run has no folder. Give it a dir');
    else this.#file = new LogFile(join(dir, fileName()), EVENT_FILE, run);
  }

  write(record: LogRecord): void {
    for (const event of this.#eventsOf(record)) this.#file?.write(eventRecord(event));
  }

  async flush(): Promise<void> {
    await this.#file?.flush();
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }

  #eventsOf(record: LogRecord): Uint8Array[] {
    switch (record.event) {
      case 'start':
        return this.#startEvents(record);
      case 'histograms':
        return record.histograms.map((each) => events.histogramEvent(record.time, each));
      case 'end': {
        const reason = record.stopReason === undefined ? '' : `: ${record.stopReason}`;
        return endEvents(record, true, `${record.status}${reason}`);
      }
      case 'killed':
        return endEvents(record, false, `killed by ${record.signal}`);
      case 'error':
        return endEvents(record, false, `failed:\n\n${indented(stackOf(record.error))}`);
      default: {
        const scalars = Object.entries(this.#run.select(this.#curves.of(record, this.#run.ctx.metrics)));
        return scalars.length > 0 ? [events.scalarsEvent(record, scalars)] : [];
      }
    }
  }

  #startEvents(record: LogRecord): Uint8Array[] {
    const { ctx } = this.#run;
    const config = runConfig(ctx);
    return [
      // The first step that is still to come: what a run that this one resumes left of it is void.
      events.startEvent({ ...record, step: record.step + 1 }),
      events.settingsEvent(record, ctx.run.id, flatConfig(config)),
      events.textEvent(record, 'run/config', indented(JSON.stringify(config, null, 2))),
    ];
  }
}

function endEvents(record: LogRecord, succeeded: boolean, text: string): Uint8Array[] {
  return [events.textEvent(record, 'run/end', text), events.outcomeEvent(record, succeeded)];
}

/** TensorBoard looks for the first part, and reads the files of a folder in the order of their names. */
function fileName(): string {
  const seconds = String(Math.floor(Date.now() / 1000)).padStart(10, '0');
  return `events.out.tfevents.${seconds}.${hostname()}.${process.pid}.hookline`;
}

/** Code, in Markdown. */
function indented(text: string): string {
  return text.replace(/^/gm, '    ');
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
