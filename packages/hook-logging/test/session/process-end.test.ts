import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { bundledProgram } from '@hookline/test-programs';
import { expect, test } from 'vitest';

/** How a process ends that runs this code, and what it printed. */
async function inProcess(
  code: string,
): Promise<{ lines: string[]; signal: string | null; status: number | null }> {
  const script = `
    import { writeSync } from 'node:fs';
    import { onSignal } from './src/session/process-end.ts';
    const print = (text) => void writeSync(1, text + '\\n');
    const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    const send = () => process.kill(process.pid, 'SIGTERM');
    setTimeout(() => process.exit(9), 20_000);
    ${code}
  `;
  const file = await bundledProgram(script, fileURLToPath(new URL('../..', import.meta.url)));
  const { stdout, signal, status } = spawnSync(process.execPath, [file], { encoding: 'utf8' });
  return { lines: stdout.trim().split('\n'), signal, status };
}

test('a signal ends the process when everybody has saved', async () => {
  expect(
    await inProcess(`
      onSignal(async () => { await wait(100); print('slow'); });
      onSignal(() => print('quick'));
      onSignal(() => { throw new Error('fails'); });
      send();
    `),
  ).toEqual({ lines: ['quick', 'slow'], signal: 'SIGTERM', status: null });
});

test('a second signal waits for nothing', async () => {
  expect(
    await inProcess(`
      onSignal(() => new Promise(() => {}));
      send();
      setTimeout(send, 50);
    `),
  ).toMatchObject({ signal: 'SIGTERM' });
});

test('where somebody else handles the signal the process is theirs, even if they stop listening', async () => {
  expect(
    await inProcess(`
      onSignal(async () => { await wait(50); print('saved'); });
      const handler = () => {
        process.off('SIGTERM', handler);
        setTimeout(() => { print('finished'); process.exit(0); }, 300);
      };
      process.on('SIGTERM', handler);
      send();
    `),
  ).toEqual({ lines: ['saved', 'finished'], signal: null, status: 0 });
});

test('who has stopped listening is not called, and the signal has its way', async () => {
  expect(await inProcess(`onSignal(() => print('called'))(); send();`)).toEqual({
    lines: [''],
    signal: 'SIGTERM',
    status: null,
  });
});
