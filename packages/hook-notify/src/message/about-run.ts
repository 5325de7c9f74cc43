import { homedir } from 'node:os';
import type { HookContext, Metrics } from '@hookline/hook-api';
import { shortNumber } from '@hookline/hook-api/helpers';
import type { NotifyEvent } from '../options.js';
import type { Payload } from './payload.js';

/** The limit of Discord, and more than anybody reads. */
const MOST_CHARACTERS = 2000;
/** In the text; a monitor of gradients alone logs hundreds. */
const MOST_METRICS = 8;

/** A message about the run as it is now: `what` happened, then the metrics, the monitored one first. */
export function aboutRun(
  { run, state }: Pick<HookContext, 'run' | 'state'>,
  event: NotifyEvent,
  what: string,
  metrics: Metrics,
  monitor: string,
  more: Pick<Payload, 'stopReason' | 'error'> = {},
): Payload {
  const { id, configHash, gitCommit } = run;
  return {
    version: 1,
    event,
    text: limited([`Run ${id} ${what}`, listed(metrics, monitor)].filter(Boolean).join('\n')),
    time: new Date().toISOString(),
    run: { id, configHash, gitCommit },
    epoch: state.epoch,
    step: state.step,
    metrics: { ...metrics },
    ...more,
  };
}

/** The first line of an error; the rest, and the user's home folder, are nobody else's business. */
export function errorText(error: unknown): string {
  const { name, message } = Object(error) as Partial<Error>;
  const text = message === undefined ? String(error) : `${name ?? 'Error'}: ${message}`;
  return text.split('\n')[0]!.replaceAll(homedir(), '~').slice(0, 500);
}

/** `after 3 epochs, 120 steps, 34 s`; `in epoch 4, after 130 steps, 37 s` when an epoch was cut short. */
export function progressText({
  stage,
  epoch,
  completedEpochs,
  step,
  elapsedSeconds,
}: Pick<HookContext['state'], 'stage' | 'epoch' | 'completedEpochs' | 'step' | 'elapsedSeconds'>): string {
  const steps = `${count(step, 'step')}, ${duration(elapsedSeconds)}`;
  if (stage !== 'fit') return `after ${duration(elapsedSeconds)}`;
  if (completedEpochs > epoch) return `after ${count(completedEpochs, 'epoch')}, ${steps}`;
  return `in epoch ${epoch + 1}, after ${steps}`;
}

export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function listed(metrics: Metrics, monitor: string): string {
  const rank = (name: string) => (name === monitor ? 0 : /^(val|test|train)\//.test(name) ? 1 : 2);
  const all = Object.entries(metrics)
    .sort(([a], [b]) => rank(a) - rank(b))
    .map(([name, value]) => `${name} ${shortNumber(value)}`);
  const left = all.length - MOST_METRICS;
  return [...all.slice(0, MOST_METRICS), ...(left > 0 ? [`and ${left} more`] : [])].join(', ');
}

function duration(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${Math.floor(seconds % 60)} s` : `${shortNumber(seconds)} s`;
}

function limited(text: string): string {
  if (text.length <= MOST_CHARACTERS) return text;
  // Never through the middle of a character.
  return `${text.slice(0, MOST_CHARACTERS - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
