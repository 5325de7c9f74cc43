import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Hook } from '@hookline/hook-api';
import { samples, tinyRun } from '@hookline/test-runs';
import type { FitOptions, TrainerOptions } from '@hookline/trainer';
import { type Profile, type ProfilerOptions, profiler } from '../src/index.js';

export interface ProfiledRun {
  readonly profile: Profile;
  readonly trace: { traceEvents: TraceEvent[]; displayTimeUnit: string } | undefined;
  /** What the hook has logged. */
  readonly said: string[];
  weights(): Promise<number[]>;
  readonly failure: unknown;
}

export interface TraceEvent {
  name: string;
  ph: string;
  cat?: string;
  pid: number;
  tid: number;
  ts: number;
  dur?: number;
}

/** A real run of eight steps with the profiler, and the files that it leaves in `runsDir`. */
export async function profiledRun(
  runsDir: string,
  options: ProfilerOptions = {},
  more: { hooks?: Hook[]; trainer?: Partial<TrainerOptions>; fit?: Partial<FitOptions> } = {},
): Promise<ProfiledRun> {
  const hooks = [...(more.hooks ?? []), profiler({ skip: 2, steps: 3, ...options })];
  const { trainer, logged, weights } = tinyRun(hooks, { runsDir, ...more.trainer });
  let dir = '';
  trainer.addHook({
    name: 'where',
    onInit(ctx) {
      dir = ctx.run.dir!;
    },
  });
  const failure = await trainer
    .fit({ train: samples(16), epochs: 2, batchSize: 4, ...more.fit })
    .then(() => undefined)
    .catch((error: unknown) => error);
  return {
    profile: read(join(dir, 'profile.json')) as Profile,
    trace: read(join(dir, 'trace.json')) as ProfiledRun['trace'],
    said: logged.filter(({ fields }) => fields.hook === 'profiler').map(({ message }) => message),
    weights,
    failure,
  };
}

function read(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Keeps the processor busy. */
export function burn(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}
