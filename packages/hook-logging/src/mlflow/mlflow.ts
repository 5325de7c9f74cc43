import { defineOptions, type Hook, is, type OptionsSchema } from '@hookline/hook-api';
import { messageOf } from '@hookline/hook-api/helpers';
import { Curves } from '../curves.js';
import type { LogBackend, LogRecord, LogRun } from '../log-backend.js';
import { LOG_RULES, type LogOptions, logHook } from '../log-hook.js';
import { isSignal } from '../process-end.js';
import { flatConfig, runConfig } from '../run-config.js';
import { withDeadline } from '../with-deadline.js';
import { MlflowClient } from './client.js';
import { type MlflowMetric, MOST_METRICS, metricsOf, paramsOf, tagOf } from './entities.js';
import { MlflowRun, type MlflowStatus } from './run.js';

export interface MlflowOptions extends LogOptions {
  /** Of the tracking server. Default what MLFLOW_TRACKING_URI says. */
  uri?: string;
  /** By name; made when there is none. Default what MLFLOW_EXPERIMENT_NAME or MLFLOW_EXPERIMENT_ID says, or `Default`. */
  experiment?: string;
  /** How long a request may take, and the end of a run may wait. Default 10000. */
  timeoutMs?: number;
  /** Further attempts after one that failed. Default 3. */
  retries?: number;
}

const schema = defineOptions<MlflowOptions>('mlflow', {
  ...LOG_RULES,
  uri: is.string,
  experiment: is.string,
  timeoutMs: is.number({ min: 1 }),
  retries: is.integer({ min: 0 }),
});

/**
 * Logs the run to an MLflow tracking server.
 *
 * @example mlflow({ uri: 'http://localhost:5000', experiment: 'digits' })
 */
export const mlflow: ((options?: MlflowOptions) => Hook) & { readonly options: OptionsSchema } =
  Object.assign(createHook, { options: schema });

function createHook(options: MlflowOptions = {}): Hook {
  schema.check(options);
  /** The run there of the latest run here: a test after a fit belongs to it. */
  const latest: LatestRun = { here: undefined, there: undefined };
  return logHook('mlflow', () => new MlflowBackend(options, latest), {
    ...options,
    every: options.every ?? 10,
  });
}

interface LatestRun {
  here: string | undefined;
  there: string | undefined;
}

/** What is logged is sent at this pace; a server need not answer for every batch. */
const SEND_EVERY_MS = 2000;
/** Metrics that wait for a slow server; further ones are left out. */
const MAX_WAITING = 100_000;

class MlflowBackend implements LogBackend {
  readonly #curves = new Curves();
  #run!: LogRun;
  #there: MlflowRun | undefined;
  #waiting: MlflowMetric[] = [];
  #sending: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  /** Metrics are to be sent when those before them are. */
  #isQueued = false;
  /** On their way: not known to have arrived. */
  #sent: readonly MlflowMetric[] = [];
  #status: MlflowStatus = 'KILLED';
  #isTold = { tooSlow: false, notFinite: false };
  readonly #abort = new AbortController();

  constructor(
    private readonly options: MlflowOptions,
    private readonly latest: LatestRun,
  ) {}

  open(run: LogRun): void {
    this.#run = run;
    const { uri = process.env.MLFLOW_TRACKING_URI, timeoutMs = 10_000, retries = 3 } = this.options;
    if (!uri) throw new Error('mlflow needs uri, or the environment variable MLFLOW_TRACKING_URI');
    const client = new MlflowClient({ uri, timeoutMs, retries }, process.env, this.#abort.signal);
    this.#there = new MlflowRun(client);
    if (run.ctx.state.stage === 'fit') process.on('exit', this.#onExit);
    this.#queue(() => this.#begin());
  }

  write(record: LogRecord): void {
    const { ctx, select } = this.#run;
    if (record.event === 'end') this.#end(record.stopReason);
    if (record.event === 'killed') this.#setReason(record.signal);
    if (record.event === 'error') this.#status = 'FAILED';
    const { sent, notFinite } = metricsOf(select(this.#curves.of(record, ctx.metrics)), record);
    if (notFinite.length > 0) this.#tellNotFinite(notFinite, record.step);
    if (this.#waiting.length + sent.length > MAX_WAITING) this.#tellTooSlow();
    else this.#waiting.push(...sent);
    if (this.#waiting.length >= MOST_METRICS) this.#send();
    else if (sent.length > 0) this.#timer ??= setTimeout(() => this.#send(), SEND_EVERY_MS).unref();
  }

  async flush(): Promise<void> {
    this.#send();
    await this.#sending;
  }

  async close(): Promise<void> {
    if (!this.#there) return;
    const { timeoutMs = 10_000 } = this.options;
    this.#send();
    if (this.#run.ctx.state.stage === 'fit') this.#queue(() => this.#there!.finish(this.#status));
    try {
      await withDeadline(this.#sending, timeoutMs, `the MLflow server did not answer within ${timeoutMs} ms`);
    } finally {
      this.#abort.abort();
      process.off('exit', this.#onExit);
    }
  }

  async #begin(): Promise<void> {
    const { ctx } = this.#run;
    if (this.latest.here === ctx.run.id && this.latest.there !== undefined) {
      this.#there!.id = this.latest.there;
      return;
    }
    await this.#there!.create(ctx, this.options.experiment);
    this.latest.here = ctx.run.id;
    this.latest.there = this.#there!.id;
    await this.#there!.logParams(paramsOf(flatConfig(runConfig(ctx))));
  }

  #end(stopReason: string | undefined): void {
    if (!isSignal(stopReason)) this.#status = 'FINISHED';
    if (stopReason !== undefined) this.#setReason(stopReason);
  }

  #setReason(reason: string): void {
    this.#queue(() => this.#there!.setTag(tagOf('hookline.stop-reason', reason)));
  }

  /** The process ends in the middle of the run, by an error that nobody caught or a call of `process.exit`. */
  readonly #onExit = (code: number): void => {
    if (this.#abort.signal.aborted) return; // the server is known to be dead
    const status = this.#status === 'KILLED' && code !== 0 ? 'FAILED' : this.#status;
    this.#there!.finishNow(status, [...this.#sent, ...this.#waiting]);
  };

  #send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting.length === 0 || this.#isQueued) return;
    this.#isQueued = true;
    this.#queue(() => {
      this.#isQueued = false;
      return this.#sendWaiting();
    });
  }

  async #sendWaiting(): Promise<void> {
    // Taken when their turn has come: what was logged until then goes along.
    this.#sent = this.#waiting.splice(0);
    await this.#there!.logMetrics(this.#sent);
    this.#sent = [];
  }

  /** One request after the other; the first that fails for good ends the log. */
  #queue(work: () => Promise<void>): void {
    this.#sending = this.#sending.then(async () => {
      if (this.#abort.signal.aborted) return;
      try {
        await work();
      } catch (error) {
        this.#abort.abort();
        this.#run.fail(`mlflow cannot log: ${messageOf(error)}`);
      }
    });
  }

  #tellTooSlow(): void {
    if (this.#isTold.tooSlow) return;
    this.#isTold.tooSlow = true;
    this.#run.ctx.logger.warn('The MLflow server is too slow: some of the log is left out.');
  }

  /** The server takes no such numbers; that there were some must not be hidden. */
  #tellNotFinite(names: readonly string[], step: number): void {
    if (this.#isTold.notFinite) return;
    this.#isTold.notFinite = true;
    const first = `${names.join(', ')} at step ${step}`;
    this.#run.ctx.logger.warn(
      `MLflow takes no NaN and no infinite number, first ${first}: they are left out there.`,
    );
    this.#queue(() => this.#there!.setTag(tagOf('hookline.not-finite', first)));
  }
}
