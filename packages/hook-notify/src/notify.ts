import {
  type Hook,
  type HookContext,
  type HookState,
  hookFactory,
  type OptionsSchema,
} from '@hookline/hook-api';
import { type Webhook, webhookOf } from './delivery/webhook.js';
import { type NotifyOptions, type NotifyRules, rulesOf, schema } from './options.js';
import { NotifySession } from './session.js';

/**
 * Sends a message to Slack, Discord or any other webhook when something happens to the run. The address comes from the
 * environment variable HOOKLINE_WEBHOOK_URL.
 *
 * @example notify({ on: ['end', 'failure', 'best'], monitor: 'val/accuracy', mode: 'max' })
 */
export const notify: ((options?: NotifyOptions) => Hook) & {
  readonly options: OptionsSchema<NotifyOptions>;
} = hookFactory(schema, (options) => {
  const { webhook, format } = options;
  const given = webhook === undefined ? undefined : webhookOf(webhook, 'Hook "notify": "webhook"', format);
  const rules = rulesOf(options);
  return createHook(rules, (ctx) => given ?? fromEnvironment(ctx, rules.webhookEnv, format));
});

// The address is in closures and private fields only: nothing that is inspected, logged or saved holds it.
function createHook(rules: NotifyRules, webhookFor: (ctx: HookContext) => Webhook | undefined): Hook {
  const { on, monitor } = rules;
  /** Of the latest run: every event comes between setup and teardown. */
  let session: NotifySession | undefined;
  const compares = on.has('best') || on.has('plateau');
  const isValidated = monitor.startsWith('val/');
  return {
    name: 'notify',
    writes: true,
    // Its deliveries have a limit: `timeoutMs`.
    timeout: Infinity,

    setup(ctx) {
      session = new NotifySession(ctx, rules, webhookFor(ctx));
    },
    ...(on.has('start') && { onTrainStart: (_ctx, { epochs }) => session?.started(epochs) }),
    ...(compares && isValidated && { onValidationEnd: (_ctx, event) => session?.compared(event) }),
    ...(compares && !isValidated && { onEpochEnd: (_ctx, event) => session?.compared(event) }),
    ...(on.has('end') && { onTrainEnd: (_ctx, event) => session?.ended(event) }),
    ...(on.has('failure') && { onException: (_ctx, { error }) => session?.failed(error) }),
    teardown: () => session?.close(),

    saveState: (): HookState => session?.saveState() ?? null,
    loadState: (state) => session?.loadState(state),
  };
}

function fromEnvironment(
  { hook }: HookContext,
  variable: string,
  format: NotifyOptions['format'],
): Webhook | undefined {
  const address = process.env[variable];
  return address
    ? webhookOf(address, `Hook "${hook}": the environment variable ${variable}`, format)
    : undefined;
}
