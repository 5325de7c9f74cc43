import { defineOptions, didYouMean, is, type OptionRule, type OptionsSchema } from '@hookline/hook-api';
import { type ForeignNames, modeOf, withForeignNames } from '@hookline/hook-api/helpers';

/** The format that the receiver understands. */
export type Format = 'slack' | 'discord' | 'json';

/** When a message is sent. */
export type NotifyEvent = 'start' | 'end' | 'failure' | 'best' | 'plateau';

export interface NotifyOptions {
  /** When to send a message. Default `end` and `failure`. */
  on?: readonly NotifyEvent[];
  /** The name of the environment variable that holds the address. Default `HOOKLINE_WEBHOOK_URL`. */
  webhookEnv?: string;
  /** The address itself, for programs that keep their secrets elsewhere. It is never logged or recorded. */
  webhook?: string;
  /** What the receiver understands. Default: recognised from the address, `json` where it is neither Slack nor Discord. */
  format?: Format;
  /** The metric of `best` and `plateau`, with its prefix. Default `val/loss`. */
  monitor?: string;
  /** Whether lower (`min`, the default) or higher (`max`) is better. */
  mode?: 'min' | 'max';
  /** An improvement must be larger than this. Default 0.0001. */
  minDelta?: number;
  /** Checks in a row without improvement that are a plateau. Default 5. */
  plateau?: number;
  /** How long to wait for an answer, and for all that is left when the run ends. Default 5,000. */
  timeoutMs?: number;
  /** How many times a message is sent again when the receiver cannot take it. Default 3. */
  retries?: number;
}

declare module '@hookline/hook-api' {
  interface HookOptionsByName {
    notify: NotifyOptions;
  }
}

/** The options with their defaults, without the address, which is a secret. */
export interface NotifyRules extends Required<Omit<NotifyOptions, 'webhook' | 'format' | 'on'>> {
  on: ReadonlySet<NotifyEvent>;
}

const MOMENTS: readonly NotifyEvent[] = ['start', 'end', 'failure', 'best', 'plateau'];

/** What people write who know other libraries. */
const FOREIGN: ForeignNames = {
  url: 'Did you mean "webhook"?',
  webhookUrl: 'Did you mean "webhook"?',
  events: 'Did you mean "on"?',
  patience: 'Did you mean "plateau"?',
  timeout: 'Did you mean "timeoutMs"?',
};

export const schema: OptionsSchema<NotifyOptions> = withForeignNames(
  defineOptions<NotifyOptions>('notify', {
    on: isEvents,
    webhookEnv: is.string,
    // Checked where it is used: the error of a rule would show the value.
    webhook: () => undefined,
    format: is.oneOf('slack', 'discord', 'json'),
    monitor: is.string,
    mode: is.oneOf('min', 'max'),
    minDelta: is.number({ min: 0 }),
    plateau: is.integer({ min: 1 }),
    timeoutMs: is.integer({ min: 1, max: 600_000 }),
    retries: is.integer({ min: 0, max: 10 }),
  }),
  'notify',
  FOREIGN,
);

export function rulesOf(options: NotifyOptions): NotifyRules {
  const { on = ['end', 'failure'], monitor = 'val/loss' } = options;
  const compares = on.includes('best') || on.includes('plateau');
  return {
    on: new Set(on),
    webhookEnv: options.webhookEnv ?? 'HOOKLINE_WEBHOOK_URL',
    monitor,
    mode: compares ? modeOf('notify', monitor, options.mode) : 'min',
    minDelta: options.minDelta ?? 0.0001,
    plateau: options.plateau ?? 5,
    timeoutMs: options.timeoutMs ?? 5000,
    retries: options.retries ?? 3,
  };
}

function isEvents(value: unknown): ReturnType<OptionRule> {
  const expected = `a list of ${MOMENTS.join(', ')}`;
  if (!Array.isArray(value) || value.length === 0) return expected;
  const unknown = value.find((each) => !MOMENTS.includes(each));
  if (unknown === undefined) return undefined;
  return typeof unknown === 'string'
    ? `${expected} (no "${unknown}".${didYouMean(unknown, MOMENTS)})`
    : expected;
}
