import {
  didYouMean,
  type EpochMetricsEvent,
  type Hook,
  type HookContext,
  type Metrics,
  type OptionsSchema,
} from '@hookline/hook-api';
import { shortNumber } from '@hookline/hook-api/helpers';
import { check, loadImprovement, NO_IMPROVEMENT, saveImprovement } from './improvement.js';
import { aboutRun, count, errorText, progressText } from './message.js';
import { type NotifyEvent, type NotifyOptions, type NotifyRules, rulesOf, schema } from './options.js';
import { Outbox, type OutboxOptions } from './outbox.js';
import { bodyOf, type Payload } from './payload.js';
import { post } from './post.js';
import { type Webhook, webhookOf } from './webhook.js';

/**
 * Sends a message to Slack, Discord or any other webhook when something happens to the run. The address comes from the
 * environment variable HOOKLINE_WEBHOOK_URL.
 *
 * @example notify({ on: ['end', 'failure', 'best'], monitor: 'val/accuracy', mode: 'max' })
 */
export const notify: ((options?: NotifyOptions) => Hook) & { readonly options: OptionsSchema } =
  Object.assign((options: NotifyOptions = {}): Hook => createHook(rulesOf(options)), { options: schema });

// What the hook knows of the address is in closures only: nothing that is inspected, logged or saved holds it.
function createHook(rules: NotifyRules): Hook {
  const { on, monitor } = rules;
  const given = rules.webhook === undefined ? undefined : webhookOf(rules.webhook, '"webhook"', rules.format);
  let improvement = NO_IMPROVEMENT;
  let hasWarned = false;
  let lost = 0;
  let outbox: Outbox | undefined;
  let webhook: Webhook | undefined;

  const tell = (
    ctx: HookContext,
    event: NotifyEvent,
    what: string,
    metrics: Metrics = {},
    more: Pick<Payload, 'stopReason' | 'error'> = {},
  ): void => {
    if (!on.has(event) || !outbox || !webhook) return;
    outbox.push({ event, body: bodyOf(aboutRun(ctx, event, what, metrics, monitor, more), webhook.format) });
  };

  const compare = (ctx: HookContext, { epoch, metrics }: EpochMetricsEvent): void => {
    if (ctx.state.stage !== 'fit') return;
    const value = metrics[monitor] ?? ctx.metrics[monitor];
    if (value === undefined) {
      warnOfMissing(ctx);
      return;
    }
    const before = improvement;
    improvement = check(before, value, epoch, rules);
    const { best, bestEpoch, wait } = improvement;
    // The first value is better than nothing, which is no news.
    if (wait === 0 && before.best !== undefined) {
      tell(
        ctx,
        'best',
        `has a new best ${monitor}: ${shortNumber(value)}, after ${shortNumber(before.best)}.`,
        metrics,
      );
    }
    if (wait === rules.plateau) {
      const record = best === undefined ? '' : `; best ${shortNumber(best)} in epoch ${bestEpoch! + 1}`;
      const what = `is on a plateau: ${monitor} did not improve by ${rules.minDelta} for ${count(wait, 'check')}`;
      tell(ctx, 'plateau', `${what}${record}.`, metrics);
    }
  };

  const warnOfMissing = ({ signal, metrics, logger }: HookContext): void => {
    if (hasWarned || signal.aborted) return;
    hasWarned = true;
    const names = Object.keys(metrics);
    logger.warn(
      `notify monitors "${monitor}", but there is no such metric.${didYouMean(monitor, names)} ` +
        `Metrics there are: ${names.join(', ') || 'none'}. Waiting for it.`,
    );
  };

  const compares = on.has('best') || on.has('plateau');
  const isValidated = monitor.startsWith('val/');

  return {
    name: 'notify',
    writes: true,

    setup({ logger }, { stage }) {
      webhook = given ?? fromEnvironment(rules);
      outbox =
        webhook &&
        openOutbox(webhook, rules, (letter, reason) => {
          // A dead receiver is told of once; the total comes at the end.
          const level = lost++ === 0 ? 'warn' : 'debug';
          logger[level](
            { event: letter.event },
            `The message about "${letter.event}" was not sent: ${reason}.`,
          );
        });
      lost = 0;
      if (stage !== 'fit') return;
      improvement = NO_IMPROVEMENT;
      hasWarned = false;
      if (!webhook) {
        logger.warn(`notify sends nothing: the environment variable ${rules.webhookEnv} is not set.`);
      }
    },

    ...(on.has('start') && {
      onTrainStart(ctx, { epochs }) {
        tell(ctx, 'start', `started: ${count(epochs, 'epoch')}.`);
      },
    }),

    ...(compares && isValidated && { onValidationEnd: compare }),
    ...(compares && !isValidated && { onEpochEnd: compare }),

    ...(on.has('end') && {
      onTrainEnd(ctx, { status, stopReason, metrics }) {
        const why = stopReason === undefined ? '' : `: ${stopReason}`;
        tell(ctx, 'end', `${status} after ${progressText(ctx.state)}${why}.`, metrics, { stopReason });
      },
    }),

    ...(on.has('failure') && {
      onException(ctx, { error }) {
        const text = errorText(error);
        tell(ctx, 'failure', `failed after ${progressText(ctx.state)}: ${text}`, ctx.metrics, {
          error: text,
        });
      },
    }),

    async teardown({ logger }) {
      const open = outbox;
      outbox = webhook = undefined;
      await open?.close(rules.timeoutMs);
      if (lost > 1) logger.warn(`${lost} messages were not sent.`);
    },

    saveState: () => saveImprovement(improvement),
    loadState(state) {
      improvement = loadImprovement(state);
    },
  };
}

function fromEnvironment({ webhookEnv, format }: NotifyRules): Webhook | undefined {
  const address = process.env[webhookEnv];
  return address ? webhookOf(address, `the environment variable ${webhookEnv}`, format) : undefined;
}

function openOutbox(
  webhook: Webhook,
  { retries, timeoutMs }: NotifyRules,
  onLost: OutboxOptions['onLost'],
): Outbox {
  return new Outbox({
    retries,
    send: (body, signal) => post(webhook, body, { timeoutMs, signal }),
    onLost,
  });
}
