import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { someOf } from '@hookline/test-support';
import { describe, expect, test } from 'vitest';
import { type Launched, launch, lossesOf, project } from './support/launch.js';

const TWO = { name: 'accelerate', processes: 2, timeout: 60 } as const;

/** The bits of the losses are in the files; they are close, and not equal, to those of one process. */
function expectSameTraining(ranks: Launched['ranks'], alone: Launched['ranks'][0]): void {
  for (const { weights, history } of ranks) {
    expect(weights).toBe(ranks[0]!.weights);
    expect(history).toEqual(ranks[0]!.history);
  }
  ranks[0]!.history.forEach((metrics, epoch) => {
    for (const [name, value] of Object.entries(alone!.history[epoch]!)) {
      expect(metrics[name]).toBeCloseTo(value, 5);
    }
  });
}

test('several processes train what one process trains, with the same bits in each, and print once', async () => {
  const alone = await launch(project({ logs: true }));
  expect(alone.errors).not.toContain('Error');
  for (const processes of someOf([2, 3], 1)) {
    const training = project({ logs: true, strategy: { ...TWO, processes } });
    const several = await launch(training);
    expect(several.errors).not.toContain('rank');
    expect(several.code).toBe(0);
    expect(several.ranks).toHaveLength(processes);
    expectSameTraining(several.ranks, alone.ranks[0]!);
    const lines = (output: string) => output.split('\n').filter((line) => line.startsWith('epoch'));
    expect(lines(several.output)).toHaveLength(lines(alone.output).length);
    expect(readdirSync(join(training.root, 'runs'))).toHaveLength(1);
  }
});

test('gradients of more than one bucket train what one process trains', async () => {
  const large = { units: 520, epochs: 1 };
  const alone = await launch(project(large));
  const { code, errors, ranks } = await launch(project({ ...large, strategy: TWO }));
  expect(code, errors).toBe(0);
  expect(ranks).toHaveLength(2);
  expectSameTraining(ranks, alone.ranks[0]!);
});

describe('a rank that does not go on', () => {
  const CHECKPOINTS = { strategy: TWO, checkpointEvery: 1 };

  test('one that is killed is named, and the same command continues to the same bits', async () => {
    const whole = await launch(project(CHECKPOINTS));
    const training = project({ ...CHECKPOINTS, strike: { rank: 1, step: 4, how: 'kill' } });
    const struck = await launch(training);
    expect(struck.code).toBe(1);
    expect(struck.errors).toContain('Rank 1 is gone: its process was ended by SIGKILL');
    const { strike: _, ...again } = training;
    const resumed = await launch(again);
    expect(resumed.errors).toContain('Resumed from');
    expect(resumed.ranks.map(({ weights }) => weights)).toEqual(whole.ranks.map(({ weights }) => weights));
    expect(lossesOf(training).size).toBe(9);
  });

  test.each([
    ['an error of a hook', 'throw', 'out of coffee'],
    ['an error that nobody catches', 'uncaught', 'out of tea'],
    ['process.exit(3)', 'exit', 'the process ended with exit code 3'],
  ] as const)('%s on one rank ends the run with it', async (_what, how, reason) => {
    const { code, errors } = await launch(project({ strategy: TWO, strike: { rank: 1, step: 2, how } }));
    expect(code).toBe(1);
    expect(errors).toContain(`Rank 1 failed: ${reason}`);
    if (how === 'uncaught') expect(errors).toMatch(/\[rank 1\] Error: out of tea\n\[rank 1\] +at /);
  });

  test.each([
    ['stopped', 'stop'],
    ['too slow', 'slow'],
  ] as const)('one that is %s is named after the timeout, and does not stay behind', async (_what, how) => {
    const strategy = { ...TWO, timeout: 3 };
    const { code, errors } = await launch(project({ strategy, strike: { rank: 1, step: 2, how } }));
    expect(code).toBe(1);
    expect(errors).toContain('Rank 1 has not answered for 3 s');
  });

  test('one with other settings is named, with the setting', async () => {
    const { code, errors } = await launch(
      project({ strategy: TWO, strike: { rank: 1, step: 0, how: 'rate' } }),
    );
    expect(code).toBe(1);
    expect(errors).toContain('lr: 0.01 on rank 0, 0.5 on rank 1');
  });
});
