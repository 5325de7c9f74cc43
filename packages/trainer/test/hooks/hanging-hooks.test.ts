import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { EventName, Hook } from '@hookline/hook-api';
import { bundledProgram } from '@hookline/test-programs';
import {
  collectingLogger,
  errorOf,
  folderPerTest,
  recorder,
  regression,
  regressor,
} from '@hookline/test-support';
import { describe, expect, test } from 'vitest';
import type { TrainerOptions } from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';

const folder = folderPerTest();
const never = () => new Promise<never>(() => {});
const data = regression(8);

function train(hooks: Hook[], options: Partial<TrainerOptions> = {}) {
  const logger = collectingLogger();
  const trainer = quietTrainer({ model: regressor(), hooks, logger, hookTimeout: 0.05, ...options });
  return { logger, fit: trainer.fit({ train: data, validation: data, epochs: 1, batchSize: 4 }) };
}

describe('a promise that never settles', () => {
  test.each<EventName>([
    'setup',
    'onInit',
    'onEpochStart',
    'transformBatch',
    'onAfterBackward',
    'transformGradients',
    'onStepEnd',
    'onLog',
    'onValidationEnd',
    'onTrainEnd',
    'teardown',
  ])(
    'in %s ends the run with an error that names hook and event, and the others are torn down',
    async (event) => {
      const other = recorder('other', ['teardown']);
      const logging: Hook = { name: 'logging', onTrainBatchStart: (ctx) => ctx.log({ 'a/b': 1 }) };
      const { fit } = train([other, logging, { name: 'stuck', [event]: never }]);
      const error = await errorOf(fit);
      expect(error.code).toBe('HOOK_TIMEOUT');
      expect(error.message).toContain(`Hook "stuck" has not finished ${event} after 0.05 s`);
      expect(error.message).toContain('hookTimeout');
      expect(other.names()).toEqual(['teardown']);
    },
  );

  test('in onException is reported, and does not hide the error that ended the run', async () => {
    const cause = new Error('the cause');
    const failing: Hook = { name: 'failing', transformBatch: () => Promise.reject(cause) };
    const { fit, logger } = train([failing, { name: 'stuck', onException: never }]);
    expect(await errorOf(fit)).toBe(cause);
    expect(logger.lines.some(({ message }) => message.includes('Hook "stuck" failed in onException'))).toBe(
      true,
    );
  });

  test('in an event that another hook causes names the one that hangs', async () => {
    const saving: Hook = {
      name: 'saving',
      onEpochEnd: async (ctx) => void (await ctx.checkpointSaved({ reason: 'mine', path: 'there' })),
    };
    const error = await errorOf(train([saving, { name: 'stuck', onCheckpointSave: never }]).fit);
    expect(error.message).toContain('Hook "stuck" has not finished onCheckpointSave');
  });
});

describe('a hook that takes its time', () => {
  const turn = () => new Promise((resolve) => setTimeout(resolve, 5));

  test('and says so is waited for, and named once', async () => {
    const warnings = () =>
      run.logger.lines.filter(({ level }) => level === 'warn').map(({ message }) => message);
    const slow: Hook = {
      name: 'slow',
      timeout: Infinity,
      async onEpochEnd() {
        while (warnings().length === 0) await turn();
        // The limit once more, however busy the machine is: the watch has ten turns for it.
        for (let count = 0; count < 20; count++) await turn();
      },
    };
    const run = train([slow]);
    expect((await run.fit).status).toBe('completed');
    expect(warnings()).toEqual(['Hook "slow" has been busy in onEpochEnd for 0.05 s. The run waits for it.']);
  });

  test('is waited for without a limit when there is none', async () => {
    const slow: Hook = {
      name: 'slow',
      async onEpochEnd() {
        for (let count = 0; count < 20; count++) await turn();
      },
    };
    expect((await train([slow], { hookTimeout: false }).fit).status).toBe('completed');
  });

  test('hookTimeout is a number of seconds above 0, or false', async () => {
    for (const hookTimeout of [0, -1, Number.NaN, 'x' as never]) {
      expect((await errorOf(() => train([], { hookTimeout }).fit)).message).toContain('hookTimeout is ');
    }
  });
});

test('a process with a hanging hook ends with an exit code that is not 0, and its run record is closed', async () => {
  const source = (path: string) => JSON.stringify(fileURLToPath(new URL(path, import.meta.url)));
  const program = `
    import { Trainer } from ${source('../../src/index.ts')};
    import { regression, regressor } from ${source('../../../../testing/support/src/models.ts')};
    const quiet = { debug() {}, info() {}, warn() {}, error() {}, child: () => quiet };
    const stuck = { name: 'stuck', onEpochEnd: () => new Promise(() => {}) };
    const trainer = new Trainer({ model: regressor(), loss: 'meanSquaredError', hooks: [stuck], discover: false,
      runsDir: process.argv[2], backend: 'cpu', logger: quiet, hookTimeout: 0.1 });
    trainer.fit({ train: regression(8), epochs: 1 }).then(() => console.log('ended well'));
  `;
  const file = await bundledProgram(program, fileURLToPath(new URL('../..', import.meta.url)));
  const { code, stdout, stderr } = await run(file, folder.path);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain('Hook "stuck" has not finished onEpochEnd');
  const [id] = readdirSync(folder.path);
  expect(JSON.parse(readFileSync(folder.in(id!, 'run.json'), 'utf8'))).toMatchObject({ status: 'error' });
});

async function run(file: string, ...args: string[]) {
  const child = spawn(process.execPath, [file, ...args]);
  const said = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].on('data', (chunk: Buffer) => {
      said[stream] += String(chunk);
    });
  }
  const [code] = (await once(child, 'exit')) as [number | null];
  return { code, ...said };
}
