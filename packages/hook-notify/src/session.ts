import type {
  EpochMetricsEvent,
  HookContext,
  JsonValue,
  LoadedHookState,
  Metrics,
  TrainEndEvent,
} from '@hookline/hook-api';
import { missingMetric } from '@hookline/hook-api/helpers';
import { type Letter, Outbox } from './delivery/outbox.js';
import { post } from './delivery/post.js';
import type { Webhook } from './delivery/webhook.js';
import { check, type Improvement, loadImprovement, NO_IMPROVEMENT, saveImprovement } from './improvement.js';
import { aboutRun, count, errorText, progressText } from './message/about-run.js';
import { bestText, plateauText } from './message/improvement-text.js';
import { bodyOf, type Payload } from './message/payload.js';
import type { NotifyEvent, NotifyRules } from './options.js';

/** One run: what is worth a message, and the messages that are on their way. */
export class NotifySession {
  readonly #webhook: Webhook | undefined;
  readonly #outbox: Outbox | undefined;
  #improvement: Improvement = NO_IMPROVEMENT;
  #hasWarned = false;
  #lost = 0;

  /** Without a webhook it compares, but sends nothing. */
  constructor(
    private readonly ctx: HookContext,
    private readonly rules: NotifyRules,
    webhook: Webhook | undefined,
  ) {
    this.#webhook = webhook;
    this.#outbox = webhook && this.#openOutbox(webhook);
    if (webhook || ctx.state.stage !== 'fit') return;
    ctx.logger.warn(`${ctx.hook} sends nothing: the environment variable ${rules.webhookEnv} is not set.`);
  }

  started(epochs: number): void {
    this.#send('start', `started: ${count(epochs, 'epoch')}.`);
  }

  /** Compares the monitored metric with the best so far. */
  compared({ epoch, metrics }: EpochMetricsEvent): void {
    const { ctx, rules } = this;
    if (ctx.state.stage !== 'fit') return;
    const value = metrics[rules.monitor] ?? ctx.metrics[rules.monitor];
    if (value === undefined) {
      this.#warnOfMissing();
      return;
    }
    const before = this.#improvement;
    this.#improvement = check(before, value, epoch, rules);
    const { wait } = this.#improvement;
    // The first value is better than nothing, which is not worth a message.
    if (wait === 0 && before.best !== undefined) {
      this.#send('best', bestText(rules, value, before.best), metrics);
    }
    if (wait === rules.plateau) this.#send('plateau', plateauText(rules, this.#improvement), metrics);
  }

  ended({ status, stopReason, metrics }: TrainEndEvent): void {
    const why = stopReason === undefined ? '' : `: ${stopReason}`;
    this.#send('end', `${status} ${progressText(this.ctx.state)}${why}.`, metrics, { stopReason });
  }

  failed(thrown: unknown): void {
    const error = errorText(thrown);
    const { state, metrics } = this.ctx;
    this.#send('failure', `failed ${progressText(state)}: ${error}`, metrics, { error });
  }

  async close(): Promise<void> {
    await this.#outbox?.close(this.rules.timeoutMs);
    if (this.#lost > 1) this.ctx.logger.warn(`${this.#lost} messages were not sent.`);
  }

  saveState(): JsonValue {
    return saveImprovement(this.#improvement);
  }

  loadState(state: LoadedHookState): void {
    this.#improvement = loadImprovement(state, this.ctx.hook);
  }

  #send(
    event: NotifyEvent,
    what: string,
    metrics: Metrics = {},
    more: Pick<Payload, 'stopReason' | 'error'> = {},
  ): void {
    if (!this.rules.on.has(event) || !this.#webhook) return;
    const payload = aboutRun(this.ctx, event, what, metrics, this.rules.monitor, more);
    this.#outbox?.push({ event, body: bodyOf(payload, this.#webhook.format) });
  }

  #openOutbox(webhook: Webhook): Outbox {
    const { retries, timeoutMs } = this.rules;
    return new Outbox({
      retries,
      send: (body, signal) => post(webhook, body, { timeoutMs, signal }),
      onLost: (letter, reason) => this.#reportLost(letter, reason),
    });
  }

  /** A dead receiver is reported once; the total follows at the end. */
  #reportLost({ event }: Letter, reason: string): void {
    const level = this.#lost++ === 0 ? 'warn' : 'debug';
    this.ctx.logger[level]({ event }, `The message about "${event}" was not sent: ${reason}.`);
  }

  #warnOfMissing(): void {
    const { hook, signal, metrics, logger } = this.ctx;
    if (this.#hasWarned || signal.aborted) return;
    this.#hasWarned = true;
    logger.warn(`${missingMetric(hook, this.rules.monitor, Object.keys(metrics))} It waits for the metric.`);
  }
}
