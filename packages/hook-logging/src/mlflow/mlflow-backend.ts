import { messageOf } from '@hookline/hook-api/helpers';
import { environmentVariables, processEvents } from '@hookline/host';
import { loggingError } from '../errors.js';
import { Curves } from '../series/curves.js';
import { flatConfig, runConfig } from '../service/run-config.js';
import { withDeadline } from '../service/with-deadline.js';
import type { LogBackend, LogRun } from '../session/log-backend.js';
import type { LogRecord } from '../session/log-record.js';
import { isSignal } from '../session/process-end.js';
import { MlflowClient } from './client.js';
import { type MlflowMetric, type MlflowTag, MOST_METRICS, metricsOf, paramsOf, tagOf } from './entities.js';
import type { MlflowOptions } from './options.js';
import { MlflowRun, type MlflowStatus } from './run.js';

/** The latest run of a hook here, and what it is called there: a test after a fit belongs to it. */
export interface LatestRun {
  here: string | undefined;
  there: string | undefined;
}

/** How often metrics are sent: a server need not answer for every batch. */
const SEND_EVERY_MS = 2000;
/** Metrics that wait for a slow server; further ones are left out. */
const MAX_WAITING = 100_000;

/** Sends the curves in the background, and how the run ended. */
export class MlflowBackend implements LogBackend {
  readonly #curves = new Curves();
  #run!: LogRun;
  #there: MlflowRun | undefined;
  #waiting: MlflowMetric[] = [];
  #sending: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  /** Metrics wait to be sent after those that are on their way. */
  #isQueued = false;
  /** On their way; the server has not confirmed them. */
  #sent: readonly MlflowMetric[] = [];
  /** Until the server has confirmed them. */
  #params: readonly MlflowTag[] = [];
  #status: MlflowStatus = 'KILLED';
  #isReported = { tooSlow: false, notFinite: false };
  readonly #abort = new AbortController();

  constructor(
    private readonly options: MlflowOptions,
    private readonly latest: LatestRun,
  ) {}

  open(run: LogRun): void {
    this.#run = run;
    const env = environmentVariables();
    const { uri = env.MLFLOW_TRACKING_URI, timeoutMs = 10_000, retries = 3 } = this.options;
    if (!uri) {
      throw loggingError(
        'LOG_SERVICE',
        `${run.ctx.hook} does not know the tracking server. Give it a "uri", or set the environment variable ` +
          'MLFLOW_TRACKING_URI',
      );
    }
    const client = new MlflowClient({ uri, timeoutMs, retries }, env, this.#abort.signal);
    this.#there = new MlflowRun(client);
    if (run.ctx.state.stage === 'fit') processEvents.on('exit', this.#onExit);
    this.#queue(() => this.#begin());
  }

  write(record: LogRecord): void {
    const { ctx, select } = this.#run;
    if (record.event === 'end') this.#end(record.stopReason);
    if (record.event === 'killed') this.#setReason(record.signal);
    if (record.event === 'error') this.#status = 'FAILED';
    const { sent, notFinite } = metricsOf(select(this.#curves.of(record, ctx.metrics)), record);
    if (notFinite.length > 0) this.#reportNotFinite(notFinite, record.step);
    if (this.#waiting.length + sent.length > MAX_WAITING) this.#reportTooSlow();
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
      processEvents.off('exit', this.#onExit);
    }
  }

  async #begin(): Promise<void> {
    const { ctx } = this.#run;
    if (this.latest.here === ctx.run.id && this.latest.there !== undefined) {
      this.#there!.id = this.latest.there;
      return;
    }
    this.#params = paramsOf(flatConfig(runConfig(ctx)));
    await this.#there!.create(ctx, this.options.experiment);
    this.latest.here = ctx.run.id;
    this.latest.there = this.#there!.id;
    await this.#there!.logParams(this.#params);
    this.#params = [];
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
    this.#there!.finishNow(status, [...this.#sent, ...this.#waiting], this.#params);
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
    // Taken only now, so that what was logged while they waited is sent with them.
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
        this.#run.fail(`${this.#run.ctx.hook} cannot log: ${messageOf(error)}`);
      }
    });
  }

  #reportTooSlow(): void {
    if (this.#isReported.tooSlow) return;
    this.#isReported.tooSlow = true;
    this.#run.ctx.logger.warn('The MLflow server is too slow: parts of the log are left out.');
  }

  /** The server refuses such numbers; that there were some must not be hidden. */
  #reportNotFinite(names: readonly string[], step: number): void {
    if (this.#isReported.notFinite) return;
    this.#isReported.notFinite = true;
    const first = `${names.join(', ')} at step ${step}`;
    this.#run.ctx.logger.warn(
      `MLflow does not accept NaN or infinite numbers: they are left out there. The first: ${first}.`,
    );
    this.#queue(() => this.#there!.setTag(tagOf('hookline.not-finite', first)));
  }
}
