import {
  collectingLogger,
  errorOf,
  regression,
  regressor,
  TEST_BACKEND,
  tempFolder,
  weightsOf,
} from '@hookline/test-support';
import { afterEach, expect, test, vi } from 'vitest';
import { getTrainer, type StrategyOption } from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';

const QUIET = {
  loss: 'meanSquaredError',
  optimizer: { name: 'sgd', lr: 0.1 },
  backend: TEST_BACKEND,
  discover: false,
  runsDir: false,
  seed: 1,
} as const;
const FIT = { train: regression(8), epochs: 2, batchSize: 4 };

afterEach(() => {
  vi.unstubAllEnvs();
});

/** As if a launcher of MPI had started this process as one of two. */
function underMpirun(): void {
  vi.stubEnv('OMPI_COMM_WORLD_SIZE', '2');
}

test('getTrainer("simple") and, without a launcher, getTrainer("accelerate") train to the same bits', async () => {
  const models = [regressor(), regressor(), regressor()];
  await getTrainer('simple', { ...QUIET, model: models[0]!, logger: collectingLogger() }).fit(FIT);
  await getTrainer('accelerate', { ...QUIET, model: models[1]!, logger: collectingLogger() }).fit(FIT);
  await quietTrainer({ ...QUIET, model: models[2]! }).fit(FIT);
  expect(weightsOf(models[0]!)).toEqual(weightsOf(models[2]!));
  expect(weightsOf(models[1]!)).toEqual(weightsOf(models[2]!));
});

test('under a launcher, "accelerate" without its package names the command that installs it', async () => {
  underMpirun();
  // One that cannot be imported: pnpm shows every process that it starts the packages of its workspace.
  const root = tempFolder({
    'package.json': { name: 'project' },
    'node_modules/@hookline/accelerate-mpi/package.json': { name: 'empty', exports: {} },
  });
  const trainer = getTrainer('accelerate', {
    ...QUIET,
    model: regressor(),
    root,
    logger: collectingLogger(),
  });
  const error = await errorOf(trainer.fit(FIT));
  expect(error.code).toBe('STRATEGY_MISSING');
  expect(error.message).toContain('npm install @hookline/accelerate-mpi');
});

test('under a launcher, "accelerate" asks the package of the project for the ranks, with its timeout', async () => {
  underMpirun();
  const root = tempFolder({
    'package.json': { name: 'project' },
    'node_modules/@hookline/accelerate-mpi/package.json': {
      name: '@hookline/accelerate-mpi',
      version: '0.0.0',
      type: 'module',
      exports: './index.js',
    },
    // One rank, which is alone: it trains as "simple" does.
    'node_modules/@hookline/accelerate-mpi/index.js': `
      export const connect = async (options) => {
        globalThis.hooklineAsked = options;
        return { rank: 0, world: 1 };
      };`,
  });
  const strategy = { name: 'accelerate', timeout: 7 } as const;
  await quietTrainer({ ...QUIET, model: regressor(), strategy, root }).fit(FIT);
  expect(Reflect.get(globalThis, 'hooklineAsked')).toEqual({
    timeout: 7,
    launcher: { name: 'mpirun of Open MPI', ranks: 2 },
  });
  Reflect.deleteProperty(globalThis, 'hooklineAsked');
});

test('under a launcher, "simple" trains in every process, and says so: it is seldom meant', async () => {
  underMpirun();
  const logger = collectingLogger();
  await quietTrainer({ ...QUIET, model: regressor(), logger }).fit(FIT);
  expect(logger.lines).toContainEqual(
    expect.objectContaining({
      level: 'warn',
      message: expect.stringMatching(
        /^mpirun of Open MPI has started 2 processes, and each .* strategy: "accelerate"/,
      ),
    }),
  );
});

test('processes of its own under a launcher are refused: there would be too many', async () => {
  underMpirun();
  const strategy = { name: 'accelerate', processes: 4 } as const;
  const error = await errorOf(quietTrainer({ ...QUIET, model: regressor(), strategy }).fit(FIT));
  expect(error.code).toBe('BAD_LAUNCH');
  expect(error.message).toContain('mpirun of Open MPI has started 2 already');
});

test.each<[StrategyOption, string]>([
  ['acelerate' as never, 'Did you mean "accelerate"?'],
  [{ name: 'accelerate', processes: 0 }, 'processes is 0'],
  [{ name: 'accelerate', timeout: -1 }, 'timeout is -1'],
  [{ name: 'accelerate', ranks: 4 } as never, 'ranks'],
  [4 as never, 'strategy is number'],
])('strategy %j is refused when the trainer is made', (strategy, message) => {
  expect(() => quietTrainer({ ...QUIET, model: regressor(), strategy })).toThrow(message);
});
