// A run that is resumed in the same folder, written for TensorBoard; and how long a hundred thousand scalars take.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { leaveHistograms } from '../packages/hook-api/src/helpers.js';
import type { Hook, Snapshot } from '../packages/hook-api/src/index.js';
import { logHook, tensorboard } from '../packages/hook-logging/src/index.js';
import { seriesOf } from '../packages/hook-logging/src/series/series.js';
import { drivenHook, samples, tinyRun } from '../testing/runs/src/index.js';

const SCALARS = 100_000;
const ROUNDS = 3;

const folder = mkdtempSync(join(tmpdir(), 'hookline-tensorboard-'));
// The judge removes it, unless there is nothing to judge.
process.on('exit', (code) => code !== 0 && rmSync(folder, { recursive: true, force: true }));
const dir = join(folder, 'run');
const fit = { train: samples(80), validation: samples(8), epochs: 2, batchSize: 2 };

/** By tag and step: a later point replaces what a resumed run left. */
const scalars: Record<string, Record<number, number>> = {};
const collector = logHook(
  'collector',
  () => ({
    open() {},
    write(record) {
      for (const [tag, value] of Object.entries(seriesOf(record, {}))) {
        scalars[tag] ??= {};
        scalars[tag][record.step] = value;
      }
    },
    close() {},
  }),
  { every: 1 },
);

const histograms: object[] = [];
const leavesHistograms: Hook = {
  name: 'leaves-histograms',
  onEpochEnd(ctx, { epoch }) {
    const histogram = {
      name: 'grad/histogram/dense/kernel',
      step: ctx.state.step,
      min: -1.5,
      max: 2.25,
      num: 12 + epoch,
      sum: 3.5,
      sumSquares: 9.75,
      edges: [-1.5, -0.25, 1, 2.25],
      counts: [4, 0, 8 + epoch],
    };
    if (epoch === 1 || histograms.length === 0) histograms.push(histogram);
    leaveHistograms(ctx.shared, [histogram]);
  },
};

let saved: Snapshot | undefined;
const checkpoints: Hook = {
  name: 'checkpoints',
  setup: (ctx) =>
    ctx.provideCheckpoints({
      find: async () => ({ path: 'memory' }),
      load: async () => saved!,
      save: async () => {},
    }),
  async onEpochEnd(ctx, { epoch }) {
    if (epoch === 0) saved = await ctx.snapshot();
  },
};

async function run(resume: boolean): Promise<void> {
  const hooks = [checkpoints, leavesHistograms, collector, tensorboard({ dir, every: 1 })];
  const { trainer, complaints } = tinyRun(hooks, { runsDir: join(folder, 'runs') });
  await trainer.fit({ ...fit, ...(resume && { resume: 'auto' }) });
  if (complaints.length > 0) throw new Error(complaints.join('\n'));
}

/** The seconds that it takes from the first scalar until the file is closed. */
async function writeScalars(round: number): Promise<number> {
  const { fire } = drivenHook(tensorboard({ dir: join(folder, `speed-${round}`) }));
  await fire('setup', { stage: 'fit' });
  const start = performance.now();
  for (let step = 1; step <= SCALARS; step++) {
    fire('onLog', { scope: 'step', epoch: 0, step, values: { 'train/loss': 1 / step } });
    // A training loop gives others their turn, too.
    if (step % 1000 === 0) await setImmediate();
  }
  await fire('teardown', { stage: 'fit' });
  return (performance.now() - start) / 1000;
}

await run(false);
histograms.length = 1; // what the resumed run does not do again
await run(true);
const seconds: number[] = [];
for (let round = 0; round < ROUNDS; round++) seconds.push(await writeScalars(round));
console.log(
  JSON.stringify({ folder, dir, scalars, histograms, count: SCALARS, seconds: Math.min(...seconds) }),
);
