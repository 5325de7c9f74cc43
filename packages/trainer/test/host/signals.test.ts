import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { bundledProgram } from '@hookline/test-programs';
import { regression, regressor, someOf } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { quietTrainer } from '../support/quiet-trainer.js';

const source = (path: string) => JSON.stringify(fileURLToPath(new URL(path, import.meta.url)));

/** A fit in a process of its own; `line` is called with each line it prints. */
function run(line: (text: string, kill: (signal: NodeJS.Signals) => void) => void) {
  const program = `
    import { Trainer } from ${source('../../src/index.ts')};
    import { regression, regressor } from ${source('../../../../testing/support/src/models.ts')};
    const say = (text) => console.log(text);
    const quiet = { debug() {}, info() {}, warn: say, error: say, child: () => quiet };
    const watcher = {
      name: 'watcher',
      onStepEnd: (ctx) => {
        if (ctx.state.step !== 3) return;
        say('step 3');
        if (process.env.HANG) return new Promise(() => {});
      },
      onTrainEnd: (ctx, event) => say('end: ' + event.stopReason),
      teardown: async () => { say('teardown'); if (process.env.SLOW) await new Promise((done) => setTimeout(done, 60000)); },
    };
    const trainer = new Trainer({ model: regressor(), loss: 'meanSquaredError', hooks: [watcher], discover: false, runsDir: false, backend: 'cpu', logger: quiet });
    const result = await trainer.fit({ train: regression(64), epochs: 1e6, batchSize: 4 });
    say('result ' + result.status + ' ' + result.exitCode);
  `;
  return async (env: Record<string, string> = {}) => {
    const file = await bundledProgram(program, fileURLToPath(new URL('../..', import.meta.url)));
    return new Promise<{ lines: string[]; code: number | null; signal: string | null }>((resolve, reject) => {
      const child = spawn(process.execPath, [file], { env: { ...process.env, ...env } });
      const lines: string[] = [];
      child.stdout.on('data', (chunk: Buffer) => {
        for (const text of String(chunk).split('\n').filter(Boolean)) {
          lines.push(text);
          line(text, (signal) => child.kill(signal));
        }
      });
      child.on('error', reject);
      child.on('exit', (code, signal) => resolve({ lines, code, signal }));
    });
  };
}

const SIGNALS = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const;

test.each(someOf(SIGNALS, 1))(
  '%s finishes the step, runs the hooks and ends cleanly',
  async (signal, exitCode) => {
    const { lines, code } = await run((text, kill) => text === 'step 3' && kill(signal))();
    expect(lines).toEqual([
      'step 3',
      `${signal}: finishing the step. A second one stops at once.`,
      `end: ${signal}`,
      'teardown',
      `result stopped ${exitCode}`,
    ]);
    expect(code).toBe(exitCode);
  },
);

test('a second signal ends the process at once', async () => {
  const { lines, signal } = await run((text, kill) => {
    if (text === 'step 3' || text === 'teardown') kill('SIGINT');
  })({ SLOW: '1' });
  expect(lines.at(-1)).toBe('teardown');
  expect(signal).toBe('SIGINT');
});

test('while a hook hangs, the first signal names it, and the second ends the process', async () => {
  const { lines, signal } = await run((text, kill) => {
    if (text === 'step 3' || text.startsWith('The run waits')) kill('SIGINT');
  })({ HANG: '1' });
  expect(lines).toEqual([
    'step 3',
    'SIGINT: finishing the step. A second one stops at once.',
    'The run waits for hook "watcher" in onStepEnd.',
  ]);
  expect(signal).toBe('SIGINT');
});

test('listeners of the program stay, and ours are there only during a fit', async () => {
  const counts: number[] = [];
  const count = () => void counts.push(process.listenerCount('SIGINT'));
  const mine = () => {};
  process.on('SIGINT', mine);
  try {
    const trainer = quietTrainer({ model: regressor(), hooks: [{ name: 'count', onTrainStart: count }] });
    count();
    await trainer.fit({ train: regression(4), epochs: 1 });
    count();
    await quietTrainer({
      model: regressor(),
      signals: false,
      hooks: [{ name: 'count', onTrainStart: count }],
    }).fit({ train: regression(4), epochs: 1 });
    const [before] = counts as [number];
    expect(counts).toEqual([before, before + 1, before, before]);
    expect(process.listeners('SIGINT')).toContain(mine);
  } finally {
    process.off('SIGINT', mine);
  }
});
