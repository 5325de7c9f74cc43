import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { defineOptions, type Hook, is, type Metrics, type OptionsSchema } from '@hookline/hook-api';
import { messageOf } from '@hookline/hook-api/helpers';
import { Curves } from './curves.js';
import type { LogBackend, LogRecord, LogRun } from './log-backend.js';
import { LOG_RULES, type LogOptions, logHook } from './log-hook.js';
import { isSignal } from './process-end.js';
import { runConfig } from './run-config.js';
import { withDeadline } from './with-deadline.js';

/** The part of a Weights & Biases client that is used; `@wandb/sdk` has it. */
export interface WandbClient {
  init(options: { readonly [name: string]: unknown }): WandbRun | Promise<WandbRun>;
}

export interface WandbRun {
  log(values: Record<string, number>, step?: number): unknown;
  /** Settles when everything is sent; a code other than 0 marks the run as failed. */
  finish(code?: number): unknown;
}

export interface WandbOptions extends LogOptions {
  /** Default `@wandb/sdk`, where the project has it. */
  client?: WandbClient;
  project?: string;
  /** Further options for the client's `init`: `entity`, `tags`, `notes`, ... */
  init?: { readonly [name: string]: unknown };
  /** How long the end of a run may wait for W&B. Default 10000. */
  timeoutMs?: number;
}

const schema = defineOptions<WandbOptions>('wandb', {
  ...LOG_RULES,
  client: is.object,
  project: is.string,
  init: is.object,
  timeoutMs: is.number({ min: 1 }),
});

/**
 * Logs the run to Weights & Biases.
 *
 * @example wandb({ project: 'digits', init: { tags: ['baseline'] } })
 */
export const wandb: ((options?: WandbOptions) => Hook) & { readonly options: OptionsSchema } = Object.assign(
  createHook,
  { options: schema },
);

function createHook(options: WandbOptions = {}): Hook {
  schema.check(options);
  return logHook('wandb', () => new WandbBackend(options), { ...options, every: options.every ?? 10 });
}

const PACKAGE = '@wandb/sdk';
/** Records that wait for the run to be opened; with more than these it is given up. */
const MAX_WAITING = 10_000;

class WandbBackend implements LogBackend {
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
      run.fail(`wandb cannot log: ${messageOf(error)}`);
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
      this.#run.fail('wandb cannot log: Weights & Biases has not answered for too long');
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
    // A client may log in the background: its failure must not come up as a rejection that nobody handles.
    const sent = wandb.log(values, step) as { catch?(handle: (error: unknown) => void): unknown } | undefined;
    sent?.catch?.((error) => this.#run.fail(`wandb cannot log: ${messageOf(error)}`));
  }
}

function isCutShort(record: LogRecord): boolean {
  const { event } = record;
  return event === 'error' || event === 'killed' || (event === 'end' && isSignal(record.stopReason));
}

/** From the project that is run: a package that only some need is none of our dependencies. */
async function importClient(): Promise<WandbClient> {
  let path: string;
  try {
    path = createRequire(join(process.cwd(), 'package.json')).resolve(PACKAGE);
  } catch {
    throw new Error(
      `${PACKAGE} is not installed. Install it (npm install ${PACKAGE} graphql), give the hook a client, or log with ` +
        'tensorboard and upload its folder with "wandb sync"',
    );
  }
  const loaded = await import(pathToFileURL(path).href);
  const client = [loaded, loaded.default, loaded.default?.default].find(
    (each) => typeof each?.init === 'function',
  );
  if (!client)
    throw new Error(`${PACKAGE} has no init(). Version 0.5 has; give the hook a client that has it, too`);
  return client;
}
