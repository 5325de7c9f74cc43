import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

/** How a process ends that runs this code, and what it printed. */
function inProcess(code: string): { lines: string[]; signal: string | null; status: number | null } {
  const script = `
    import { writeSync } from 'node:fs';
    import { onSignal } from ${JSON.stringify(new URL('../../src/session/process-end.ts', import.meta.url).href)};
    const print = (text) => void writeSync(1, text + '\\n');
    const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    const send = () => process.kill(process.pid, 'SIGTERM');
    setTimeout(() => process.exit(9), 20_000);
    ${code}
  `;
  const args = ['--conditions=@hookline/source', '--import', 'tsx', '--input-type=module', '--eval', script];
  const { stdout, signal, status } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { lines: stdout.trim().split('\n'), signal, status };
}

test('a signal ends the process when everybody has saved', () => {
  expect(
    inProcess(`
      onSignal(async () => { await wait(100); print('slow'); });
      onSignal(() => print('quick'));
      onSignal(() => { throw new Error('fails'); });
      send();
    `),
  ).toEqual({ lines: ['quick', 'slow'], signal: 'SIGTERM', status: null });
});

test('a second signal waits for nothing', () => {
  expect(
    inProcess(`
      onSignal(() => new Promise(() => {}));
      send();
      setTimeout(send, 50);
    `),
  ).toMatchObject({ signal: 'SIGTERM' });
});

test('where somebody else handles the signal the process is theirs, even if they stop listening', () => {
  expect(
    inProcess(`
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

test('who has stopped listening is not called, and the signal has its way', () => {
  expect(inProcess(`onSignal(() => print('called'))(); send();`)).toEqual({
    lines: [''],
    signal: 'SIGTERM',
    status: null,
  });
});
