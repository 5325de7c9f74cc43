import { fileURLToPath } from 'node:url';
import { runIsolated } from '@hookline/test-programs';
import { tempFolder } from '@hookline/test-support';
import { expect, test } from 'vitest';

interface Ending {
  error: string | undefined;
  status: string | undefined;
  warnings: string[];
}

/** Trains in a process of its own: one that hangs is killed. */
async function trainWith(options: string, hook = ''): Promise<Ending> {
  const { value, output } = await runIsolated<Ending>(
    fileURLToPath(new URL('..', import.meta.url)),
    `import { csvLog } from '@hookline/hook-logging';
     import { collectingLogger } from '@hookline/test-support/collecting-logger';
     import { Trainer } from '@hookline/trainer';
     import * as tfl from '@tensorflow/tfjs-layers';
     import { checkpoint } from './src/index.ts';
     const logger = collectingLogger();
     const trainer = new Trainer({
       model: () => tfl.sequential({ layers: [tfl.layers.dense({ units: 1, inputShape: [1] })] }),
       loss: 'meanSquaredError', discover: false, backend: 'cpu', root: args[0], logger,
       hooks: [${hook}], ${options}
     });
     const xs = new Float32Array(8);
     let error, status;
     try {
       ({ status } = await trainer.fit({ train: { xs, ys: xs }, epochs: 1 }));
     } catch (thrown) {
       error = thrown.code + ': ' + thrown.message;
     }
     const warnings = logger.lines.filter(({ level }) => level === 'warn').map(({ message }) => message);
     report({ error, status, warnings });`,
    tempFolder(),
  );
  expect(value, output).toBeDefined();
  return value;
}

// Under /proc the system says that a folder is not there, also to whoever wants to make it.
const onLinux = test.skipIf(process.platform !== 'linux');

onLinux('a folder for runs that nobody can make is refused at the start', async () => {
  const { error, status } = await trainWith(`runsDir: '/proc/hookline/runs'`);
  expect(error).toMatch(/^RUNS_FOLDER: .*\/proc\/hookline.* ENOENT.*another one with runsDir/);
  expect(status).toBeUndefined();
});

onLinux('a folder for checkpoints that nobody can make is refused at the start', async () => {
  const { error } = await trainWith('', `checkpoint({ dir: '/proc/hookline/checkpoints' })`);
  expect(error).toMatch(/CHECKPOINT_FOLDER: .*\/proc\/hookline.* ENOENT.*another folder with "dir"/);
});

onLinux('a log whose folder nobody can make costs one warning, and not the run', async () => {
  const { status, warnings } = await trainWith('', `csvLog({ file: '/proc/hookline/log.csv' })`);
  expect(status).toBe('completed');
  expect(warnings.filter((warning) => warning.includes('/proc/hookline/log.csv'))).toHaveLength(1);
});
