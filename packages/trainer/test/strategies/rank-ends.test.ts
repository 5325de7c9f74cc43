import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { bundledProgram } from '@hookline/test-programs';
import { expect, test } from 'vitest';

/**
 * One of 2 ranks, whose process ends in the middle of a fit. The other rank says what this one does, and what connects them
 * is taken down when the process ends, as a library would.
 */
const PROGRAM = `
  import { writeSync } from 'node:fs';
  import { Trainer } from './src/index.ts';
  import { regression, regressor } from '../../testing/support/src/models.ts';
  const collective = {
    rank: 0,
    world: 2,
    sum: async () => {},
    gather: async (text) => [text, text],
    broadcast: async (bytes) => bytes,
    abort: (reason) => void writeSync(1, 'told: ' + reason + '; '),
  };
  process.once('exit', () => void writeSync(1, 'gone'));
  const ends = {
    throws: () => setImmediate(() => { throw new TypeError('nobody catches this'); }),
    exits: () => process.exit(3),
  };
  const hook = { name: 'end', onStepEnd: (_ctx, { step }) => { if (step === 2) ends[process.argv[2]](); } };
  const quiet = { debug() {}, info() {}, warn() {}, error() {}, child: () => quiet };
  const trainer = new Trainer({ model: regressor(), loss: 'meanSquaredError', hooks: [hook], discover: false, runsDir: false, backend: 'cpu', logger: quiet, strategy: { name: 'test', collective } });
  await trainer.fit({ train: regression(64), epochs: 1e6, batchSize: 4 });
`;

test.each([
  ['an error that nobody catches', 'throws', 'told: nobody catches this; gone'],
  ['process.exit(3)', 'exits', 'told: the process ended with exit code 3; gone'],
])('a rank that ends by %s tells the others before it is gone', async (_what, how, expected) => {
  const file = await bundledProgram(PROGRAM, fileURLToPath(new URL('../..', import.meta.url)));
  const child = spawn(process.execPath, [file, how], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [said, errors] = ['', ''];
  child.stdout.on('data', (part) => {
    said += part;
  });
  child.stderr.on('data', (part) => {
    errors += part;
  });
  await once(child, 'close');
  expect(said, errors).toBe(expected);
});
