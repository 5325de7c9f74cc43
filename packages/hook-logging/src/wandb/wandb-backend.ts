import type { Metrics } from '@hookline/hook-api';
import { messageOf } from '@hookline/hook-api/helpers';
import { Curves } from '../series/curves.js';
import { runConfig } from '../service/run-config.js';
import { withDeadline } from '../service/with-deadline.js';
import type { LogBackend, LogRun } from '../session/log-backend.js';
import type { LogRecord } from '../session/log-record.js';
import { isSignal } from '../session/process-end.js';
import { importClient, type WandbRun } from './client.js';
import type { WandbOptions } from './options.js';

/** Records that wait for the run to be opened; with more than these the log is given up. */
const MAX_WAITING = 10_000;

/** Hands the curves to a client, as soon as it has opened a run. */
export class WandbBackend implements LogBackend {
  readonly #curves = new Curves();
  #run!: LogRun;
  #opened: Promise<WandbRun | undefined> | undefined;
  #wandb: WandbRun | undefined;
  #waiting: { values: Metrics; step: number }[] = [];
  #exitCode = 0;

  constructor(private readonly options: WandbOptions) {}

  open(run: LogRun): void {
    this.#run = run;
    this.#opened = this.#begin().catch((error) => {
      this.#fail(messageOf(error));
      return undefined;
    });
  }

  write(record: LogRecord): void {
    if (isCutShort(record)) this.#exitCode = 1;
    const values = this.#run.select(this.#curves.of(record, this.#run.ctx.metrics));
    if (Object.keys(values).length === 0) return;
    const { step } = record;
    if (this.#wandb) this.#log(this.#wandb, values, step);
    else if (this.#waiting.push({ values, step }) > MAX_WAITING) {
      this.#fail('Weights & Biases has not answered for too long');
    }
  }

  async close(): Promise<void> {
    const finish = async () => void (await (await this.#opened)?.finish(this.#exitCode));
    const { timeoutMs = 10_000 } = this.options;
    await withDeadline(finish(), timeoutMs, `Weights & Biases did not answer within ${timeoutMs} ms`);
  }

  /** Opens the run there, and hands over what was logged meanwhile. */
  async #begin(): Promise<WandbRun> {
    const { client = await importClient(), project, init } = this.options;
    const { ctx } = this.#run;
    const { stage } = ctx.state;
    const opened = await client.init({
      ...(project !== undefined && { project }),
      name: stage === 'fit' ? ctx.run.id : `${ctx.run.id}-${stage}`,
      config: runConfig(ctx),
      ...init,
    });
    for (const { values, step } of this.#waiting.splice(0)) this.#log(opened, values, step);
    this.#wandb = opened;
    return opened;
  }

  #log(wandb: WandbRun, values: Metrics, step: number): void {
    // A client may log in the background: its failure must not surface as a rejection that nobody handles.
    const sent = wandb.log(values, step) as { catch?(handle: (error: unknown) => void): unknown } | undefined;
    sent?.catch?.((error) => this.#fail(messageOf(error)));
  }

  #fail(reason: string): void {
    this.#run.fail(`${this.#run.ctx.hook} cannot log: ${reason}`);
  }
}

function isCutShort(record: LogRecord): boolean {
  const { event } = record;
  return event === 'error' || event === 'killed' || (event === 'end' && isSignal(record.stopReason));
}
