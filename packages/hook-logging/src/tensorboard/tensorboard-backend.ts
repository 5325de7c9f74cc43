import { hostName, join, thisProcess } from '@hookline/host';
import { LogFile, type LogFormat } from '../file/log-file.js';
import { pathInRun, stemOf } from '../file/run-path.js';
import { Curves } from '../series/curves.js';
import { flatConfig, runConfig } from '../service/run-config.js';
import type { LogBackend, LogRun } from '../session/log-backend.js';
import type { LogRecord } from '../session/log-record.js';
import { eventRecord } from './event-record.js';
import * as events from './events.js';

const NAME = 'tensorboard';

/** TensorBoard reads only files that begin with the version of their format. */
const EVENT_FILE: LogFormat<Uint8Array> = {
  encode: (records, isEmpty) =>
    joined(isEmpty ? [eventRecord(events.versionEvent(Date.now())), ...records] : records),
};

/** Appends events to a file, one file for each run. */
export class TensorboardBackend implements LogBackend {
  readonly takesHistograms = true;
  readonly #curves = new Curves();
  #run!: LogRun;
  #file: LogFile<Uint8Array> | undefined;

  constructor(private readonly dir: string | undefined) {}

  open(run: LogRun): void {
    this.#run = run;
    const { hook, run: info } = run.ctx;
    const dir = this.dir ?? pathInRun(info, stemOf(hook, NAME, NAME));
    if (dir === undefined) run.fail(`${hook} has nowhere to write: the run has no folder. Give it a "dir"`);
    else this.#file = new LogFile(join(dir, fileName(hook)), EVENT_FILE, run);
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
function fileName(hook: string): string {
  const seconds = String(Math.floor(Date.now() / 1000)).padStart(10, '0');
  return `events.out.tfevents.${seconds}.${hostName().replaceAll(':', '-')}.${thisProcess().pid}.${stemOf(hook, NAME, 'hookline')}`;
}

/** Code, in Markdown. */
function indented(text: string): string {
  return text.replace(/^/gm, '    ');
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
