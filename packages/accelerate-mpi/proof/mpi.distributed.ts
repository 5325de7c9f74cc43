import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { seeded } from '@hookline/test-support';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Launched, launch, lossesOf, project } from '../test/support/launch.js';
import { launchers } from '../test/support/launchers.js';
import type { Strike, StrikeEvent } from '../test/support/train.js';

const MPI = { name: 'accelerate', timeout: 60 } as const;
/** So many units that the gradients are more than one bucket of 2^18 floats. */
const TWO_BUCKETS = 520;
const all = launchers();

test.each(['Open MPI', 'MPICH'])('there is %s on this machine', (name) => {
  const isThere = all.some((launcher) => launcher.name === name);
  // What CI does not find it has failed to install.
  if (process.env.CI) expect(isThere).toBe(true);
  else if (!isThere) console.log(`skipped: no ${name} on this machine. apt-get install openmpi-bin mpich`);
});

/** The largest difference between two curves, over all metrics of all epochs. */
function apart(one: Launched['ranks'][0], other: Launched['ranks'][0]): number {
  const differences = one!.history.flatMap((metrics, epoch) =>
    Object.entries(metrics).map(([name, value]) => Math.abs(value - other!.history[epoch]![name]!)),
  );
  return Math.max(...differences);
}

const MOMENTS = [
  'onStepStart',
  'onAfterBackward',
  'onBeforeOptimizerStep',
  'onAfterOptimizerStep',
  'onStepEnd',
  'between sums',
] as const satisfies readonly StrikeEvent[];

function randomKill(random: () => number, steps: number): Strike {
  const below = (limit: number) => Math.floor(random() * limit);
  return { rank: below(2), step: below(steps), at: MOMENTS[below(MOMENTS.length)]!, how: 'kill' };
}

describe.each(all)('$name', ({ command }) => {
  test('1, 2 and 4 ranks train the same: curves within 1e-6, weights to the bit between ranks', async () => {
    const alone = await launch(project());
    const [expected] = alone.ranks;
    for (const ranks of [1, 2, 4]) {
      const run = await launch(project({ strategy: MPI }), command(ranks));
      expect(run.code, run.errors).toBe(0);
      expect(run.ranks.map(({ rank }) => rank)).toEqual(Array.from({ length: ranks }, (_, rank) => rank));
      for (const { weights } of run.ranks) expect(weights).toBe(run.ranks[0]!.weights);
      const difference = apart(run.ranks[0]!, expected!);
      console.log(`${ranks} ranks: curves ${difference.toExponential(1)} apart from one process`);
      expect(difference).toBeLessThan(1e-6);
      if (ranks === 1) expect(run.ranks[0]!.weights).toBe(expected!.weights);
    }
  });

  /** `HOOKLINE_LONG_PROOF=1 npm run distributed` is the long version. */
  const kills = process.env.HOOKLINE_LONG_PROOF ? 50 : 3;

  test(`a rank killed at ${kills} random moments: the same command continues to the bits of a run that was not`, {
    timeout: kills * 120_000,
  }, async () => {
    const steps = 9;
    const seed = process.env.HOOKLINE_PROOF_SEED ?? String(Date.now());
    console.log(`repeat these kills with HOOKLINE_PROOF_SEED=${seed}`);
    const random = seeded(Number(seed));
    const options = { strategy: MPI, checkpointEvery: 1, units: TWO_BUCKETS };
    const whole = await launch(project(options), command(2));
    expect(whole.code, whole.errors).toBe(0);
    for (let kill = 0; kill < kills; kill++) {
      const strike = randomKill(random, steps);
      console.log(`kill ${kill + 1}: rank ${strike.rank}, step ${strike.step}, ${strike.at}`);
      const training = project({ ...options, strike });
      const struck = await launch(training, command(2));
      expect(struck.code).not.toBe(0);
      expect(struck.ranks).toEqual([]);
      const { strike: _, ...again } = training;
      const resumed = await launch(again, command(2));
      expect(resumed.code, resumed.errors).toBe(0);
      for (const [rank, { weights }] of resumed.ranks.entries())
        expect(weights).toBe(whole.ranks[rank]!.weights);
      expect(lossesOf(training).size).toBe(steps);
    }
  });

  test('a run of two ranks is continued by four where that is meant: dropout is another there', async () => {
    const options = { strategy: MPI, checkpointEvery: 1 };
    const training = project({ ...options, strike: { rank: 1, step: 5, how: 'throw' } });
    expect((await launch(training, command(2))).code).not.toBe(0);
    const { strike: _, ...again } = training;
    const refused = await launch(again, command(4));
    expect(refused.code).not.toBe(0);
    expect(refused.errors).toContain('processes: saved 2, given 4');
    const resumed = await launch({ ...again, override: ['processes'] }, command(4));
    expect(resumed.code, resumed.errors).toBe(0);
    expect(resumed.ranks).toHaveLength(4);
    for (const { weights } of resumed.ranks) expect(weights).toBe(resumed.ranks[0]!.weights);
  });

  test.each([
    ['stop', 'Rank 1 has not answered for 4 s'],
    ['slow', 'Rank 1 has not answered for 4 s'],
    ['throw', 'Rank 1 failed: out of coffee'],
    ['uncaught', 'Rank 1 failed: out of tea'],
    ['exit', 'Rank 1 failed: the process ended with exit code 3'],
    ['leave', 'Rank 1 is gone: its process ended with exit code 4'],
    ['rate', 'lr: 0.01 on rank 0, 0.5 on rank 1'],
  ] as const)('a rank that suffers "%s" is named, and nothing hangs', async (how, message) => {
    const strategy = { ...MPI, timeout: 4 };
    const training = project({ strategy, checkpointEvery: 1, strike: { rank: 1, step: 3, how } });
    const struck = await launch(training, command(2));
    expect(struck.code).not.toBe(0);
    expect(`${struck.output}${struck.errors}`).toContain(message);
    expect(struck.seconds).toBeLessThan(60);
    if (how === 'rate') return;
    const { strike: _, ...again } = training;
    const resumed = await launch(again, command(2));
    expect(resumed.code, resumed.errors).toBe(0);
  });

  test('a main rank that is stopped is named by another one', async () => {
    const strategy = { ...MPI, timeout: 4 };
    const struck = await launch(project({ strategy, strike: { rank: 0, step: 3, how: 'stop' } }), command(3));
    expect(struck.code).not.toBe(0);
    const said = `${struck.output}${struck.errors}`;
    expect(said.match(/Error: Rank 0 has not answered for 6 s/g)).toHaveLength(1);
    expect(struck.seconds).toBeLessThan(60);
  });

  test('a full disk stops all ranks for that reason, and what was saved before is continued', async () => {
    const training = project({
      ...{ strategy: MPI, checkpointEvery: 1, units: 100 },
      checkpoint: { saveTopK: -1, onDiskFull: 'stop' },
    });
    const disk = join(training.root, 'runs');
    mkdirSync(disk);
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk]);
    if (mounted.status !== 0) return console.log('skipped: no disk can be mounted here');
    onTestFinished(() => void spawnSync('umount', ['-l', disk]));
    const full = await launch(training, command(2));
    expect(full.ranks.map(({ stopReason }) => stopReason)).toEqual(
      Array.from({ length: 2 }, () => 'checkpoint: ENOSPC while saving'),
    );
    spawnSync('mount', ['-o', 'remount,size=64m', disk]);
    const resumed = await launch(training, command(2));
    expect(resumed.code, resumed.errors).toBe(0);
    expect(resumed.errors + resumed.output).toContain('Resumed from');
    const whole = await launch({ ...training, root: project().root }, command(2));
    expect(resumed.ranks.map(({ weights }) => weights)).toEqual(whole.ranks.map(({ weights }) => weights));
  });

  test('SIGTERM, as from a scheduler that needs the machine, saves and ends all ranks cleanly', async () => {
    const options = { strategy: MPI, checkpointEvery: 100 };
    const training = project({ ...options, strike: { rank: 1, step: 4, how: 'term' } });
    const ended = await launch(training, command(2));
    expect(ended.ranks.map(({ stopReason }) => stopReason)).toEqual(['SIGTERM', 'SIGTERM']);
    const { strike: _, ...again } = training;
    const resumed = await launch(again, command(2));
    expect(resumed.errors + resumed.output).toContain('Resumed from');
    const whole = await launch(project(options), command(2));
    expect(resumed.ranks.map(({ weights }) => weights)).toEqual(whole.ranks.map(({ weights }) => weights));
  });
});

test('SIGTERM to mpirun itself ends the job as well as one to a rank, where mpirun gives it the time', async () => {
  const mpi = all.find(({ name }) => name === 'Open MPI');
  if (!mpi) return console.log('skipped: there is no Open MPI on this machine');
  const training = project({
    ...{ strategy: MPI, checkpointEvery: 1_000_000, epochs: 100_000 },
    strike: { rank: 1, step: 4, how: 'preempt' },
  });
  const ended = await launch(training, mpi.command(2, '--mca', 'odls_base_sigkill_timeout', '10'));
  expect(ended.ranks.map(({ stopReason }) => stopReason)).toEqual(['SIGTERM', 'SIGTERM']);
  expect(ended.errors + ended.output).toContain("fit() with resume: 'auto' continues from there");
});

test('a launcher that is not that of the library is refused: nobody trains alone', async () => {
  const mpich = all.find(({ name }) => name === 'MPICH');
  if (!mpich) return console.log('skipped: there is only one MPI on this machine');
  const run = await launch(project({ strategy: MPI }), mpich.command(2), { HOOKLINE_MPI: 'libmpi.so.40' });
  expect(run.code).not.toBe(0);
  expect(run.errors).toMatch(
    /mpiexec of MPICH has started 2 processes, but to Open MPI v\S+, .*process 1 of 1/,
  );
  expect(run.ranks).toEqual([]);
});
