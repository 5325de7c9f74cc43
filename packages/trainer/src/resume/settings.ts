import type { JsonValue, Snapshot } from '@hookline/hook-api';

/** What decides how a run trains, by name, as JSON; of several groups, each with its name: `lr of adam/head`. */
export type Settings = Readonly<Record<string, JsonValue>>;

/** What `override` of `fit` can name. */
export const RESUME_SETTINGS = [
  'lr',
  'momentum',
  'weightDecay',
  'optimizer',
  'schedule',
  'accumulate',
  'clip',
  'ema',
  'loss',
  'lossWeights',
  'classWeights',
  'labelSmoothing',
  'seed',
  'validationSplit',
  'limitTrainBatches',
  'overfitBatches',
  'processes',
  'model',
  'data',
] as const;

export type ResumeSetting = (typeof RESUME_SETTINGS)[number];

/** A setting that is one thing in the checkpoint and another in the code. */
export interface Contradiction {
  /** `validation` changes nothing about training, and `backend` only the last bits: they are never refused. */
  readonly setting: ResumeSetting | 'validation' | 'backend';
  /** For people. */
  readonly text: string;
}

/** Where saved and given settings differ. What only one of them knows, such as a checkpoint of an older version, agrees. */
export function contradictions(saved: Settings, given: Settings): Contradiction[] {
  return Object.keys(given)
    .filter((name) => name in saved && JSON.stringify(saved[name]) !== JSON.stringify(given[name]))
    .map((name) => ({
      setting: name.split(' of ')[0] as Contradiction['setting'],
      text: `${name}: saved ${JSON.stringify(saved[name])}, given ${JSON.stringify(given[name])}`,
    }));
}

/** The snapshot without what the settings that are overridden have decided: the run goes on with its own. */
export function overridden(
  snapshot: Snapshot,
  settings: ReadonlySet<ResumeSetting>,
  given: Settings,
): Snapshot {
  if (!snapshot.state || settings.size === 0) return snapshot;
  const { optimizer, ...rest } = snapshot;
  const { optimizers, schedules, random, ...state } = snapshot.state;
  const isOther = settings.has('optimizer');
  // A schedule has written the saved rates, so they go with it.
  const dropped = new Set<string>([...settings, ...(settings.has('schedule') ? ['lr'] : [])]);
  const base = Object(schedules) as { base?: unknown[] };
  const rates = dropped.has('lr') ? { base: base.base?.map(() => ({})) ?? [] } : {};
  return {
    ...rest,
    ...(optimizer && !isOther && { optimizer }),
    state: {
      ...state,
      optimizers: isOther
        ? []
        : (optimizers.map((groups) =>
            groups.map((group) =>
              Object.fromEntries(Object.entries(group).filter(([name]) => !dropped.has(name))),
            ),
          ) as unknown as typeof optimizers),
      schedules:
        settings.has('schedule') || !schedules ? null : ({ ...(schedules as object), ...rates } as JsonValue),
      // Without the random state, the generator stays as the seed of this run has set it.
      ...(settings.has('seed')
        ? ({ seed: given.seed } as { seed: number; random: typeof random })
        : { random }),
    },
  };
}
