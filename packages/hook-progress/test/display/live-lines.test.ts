import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { bundledProgram } from '@hookline/test-programs';
import { afterEach, expect, test } from 'vitest';
import { LiveLines } from '../../src/display/live-lines.js';
import { type Breaking, breakingOf } from '../../src/display/terminal.js';
import { FakeTerminal } from '../fake-terminal.js';

const SHOW_CURSOR = '\x1b[?25h';

const lines: LiveLines[] = [];
afterEach(() => {
  for (const line of lines.splice(0)) line.end();
});

function liveLine(columns?: number, breaking: Breaking = 'all'): { terminal: FakeTerminal; line: LiveLines } {
  const terminal = new FakeTerminal(columns, { breaking });
  const line = new LiveLines(terminal, breaking);
  lines.push(line);
  return { terminal, line };
}

test('the line is drawn over, also by a shorter one', () => {
  const { terminal, line } = liveLine();
  line.draw(() => ['a long first line']);
  line.draw(() => ['short']);
  expect(terminal.screen).toEqual(['short']);
});

test('what others print appears above the line, which is drawn again below', () => {
  const { terminal, line } = liveLine();
  line.draw(() => ['the bar']);
  line.above(() => terminal.write('first\n'));
  line.above(() => terminal.write('second\n'));
  expect(terminal.screen).toEqual(['first', 'second', 'the bar']);
});

test('a line that is left stays when the next is drawn', () => {
  const { terminal, line } = liveLine();
  line.draw(() => ['the bar']);
  line.leave(() => 'epoch 1 is over');
  line.draw(() => ['the next bar']);
  expect(terminal.screen).toEqual(['epoch 1 is over', 'the next bar']);
});

test('nothing is written for a line that is there already, and a line that is left comes in one piece', () => {
  const { terminal, line } = liveLine();
  line.draw(() => ['the bar']);
  const { length } = terminal.written;
  line.draw(() => ['the bar']);
  expect(terminal.written).toHaveLength(length);
  line.leave(() => 'epoch 1 is over');
  expect(terminal.written).toHaveLength(length + 1);
  line.draw(() => ['the bar']);
  expect(terminal.screen).toEqual(['epoch 1 is over', 'the bar']);
});

test.each(['all', 'above-cursor', 'none'] as const)(
  'a terminal that becomes narrower, and breaks lines (%s), is cleaned and drawn at its new width',
  (breaking) => {
    const { terminal, line } = liveLine(60, breaking);
    terminal.write('before\n');
    line.draw((columns) => ['x'.repeat(columns - 1)]);
    terminal.resize(25);
    expect(terminal.screen).toEqual(['before', 'x'.repeat(24)]);
    line.draw((columns) => ['y'.repeat(columns - 1), 'z'.repeat(columns - 1)]);
    terminal.resize(10);
    expect(terminal.screen).toEqual(['before', 'y'.repeat(9), 'z'.repeat(9)]);
    terminal.resize(30);
    expect(terminal.screen).toEqual(['before', 'y'.repeat(29), 'z'.repeat(29)]);
  },
);

test('rows are erased one by one: tmux keeps in its history what is erased to the end of the screen', () => {
  const { terminal, line } = liveLine(30);
  line.draw((columns) => ['x'.repeat(columns - 1), 'y'.repeat(columns - 1)]);
  terminal.resize(20);
  line.above(() => terminal.write('between\n'));
  line.leave(() => 'stays');
  line.draw(() => ['again']);
  line.end();
  expect(terminal.screen).toEqual(['between', 'stays']);
  expect(terminal.written.join('')).not.toContain('\x1b[J');
});

test('a terminal of an unknown kind may keep the rest of an old line, but loses no line of others', () => {
  const terminal = new FakeTerminal(60, { breaking: 'all' });
  const line = new LiveLines(terminal, 'none');
  lines.push(line);
  terminal.write('before\n');
  line.draw((columns) => ['x'.repeat(columns - 1)]);
  terminal.resize(25);
  expect(terminal.screen).toEqual(['before', 'x'.repeat(25), 'x'.repeat(25), 'x'.repeat(24)]);
});

test('how a terminal breaks lines is known from its environment', () => {
  expect(breakingOf({ TMUX: '/tmp/tmux,1,0', TERM_PROGRAM: 'tmux', TERM: 'tmux-256color' })).toBe('all');
  expect(breakingOf({ VTE_VERSION: '7600', TERM: 'xterm-256color' })).toBe('all');
  expect(breakingOf({ TERM_PROGRAM: 'vscode', TERM: 'xterm-256color' })).toBe('above-cursor');
  expect(breakingOf({ TERM: 'xterm' })).toBe('none');
});

test('several lines are drawn over as one, by fewer and by more', () => {
  const { terminal, line } = liveLine(20);
  terminal.write('before\n');
  line.draw(() => ['one']);
  line.draw(() => ['first', 'second', 'third']);
  line.draw(() => ['first, longer', '2nd']);
  expect(terminal.screen).toEqual(['before', 'first, longer', '2nd']);
  line.above(() => terminal.write('between\n'));
  line.leave(() => 'stays');
  expect(terminal.screen).toEqual(['before', 'between', 'stays']);
  line.draw(() => ['x'.repeat(19), 'y'.repeat(19)]);
  terminal.resize(8);
  line.draw(() => ['narrow', 'lines']);
  expect(terminal.screen).toEqual(['before', 'between', 'stays', 'narrow', 'lines']);
});

test('several lines at the bottom of a full screen scroll it once, not at every frame', () => {
  const terminal = new FakeTerminal(20, { rows: 4 });
  const line = new LiveLines(terminal, 'none');
  lines.push(line);
  for (let i = 0; i < 6; i++) terminal.write(`line ${i}\n`);
  for (let i = 0; i < 10; i++) line.draw(() => [`epoch ${i}`, `validation ${i}`]);
  expect(terminal.screen).toEqual([
    ...Array.from({ length: 6 }, (_, i) => `line ${i}`),
    'epoch 9',
    'validation 9',
  ]);
});

test('the end takes the line away and shows the cursor again, once', () => {
  const { terminal, line } = liveLine();
  line.draw(() => ['the bar']);
  expect(terminal.cursorVisible).toBe(false);
  line.end();
  expect(terminal.cursorVisible).toBe(true);
  expect(terminal.screen).toEqual([]);
  const written = terminal.written.length;
  line.end();
  expect(terminal.written.length).toBe(written);
});

test('a line that was never drawn writes nothing', () => {
  const { terminal, line } = liveLine();
  line.above(() => terminal.write('only this\n'));
  line.end();
  expect(terminal.written).toEqual(['only this\n']);
});

test('nothing keeps listening after the end', () => {
  const { terminal, line } = liveLine();
  const count = () =>
    ['exit', 'SIGINT', 'SIGTERM', 'SIGHUP'].reduce((sum, event) => sum + process.listenerCount(event), 0);
  const before = count();
  line.draw(() => ['the bar']);
  expect(count()).toBe(before + 4);
  line.end();
  expect(count()).toBe(before);
  expect(terminal.listenerCount('resize')).toBe(0);
});

/** Runs a script in another process that draws a line, and returns what it printed and how it ended. */
async function inProcess(
  ending: string,
): Promise<{ output: string; signal: string | null; status: number | null }> {
  const script = `
    import { LiveLines } from './src/display/live-lines.ts';
    const line = new LiveLines({ write: (text) => process.stdout.write(text) }, 'none');
    line.draw(() => ['the bar']);
    ${ending}
    setTimeout(() => {}, 10_000);
  `;
  const file = await bundledProgram(script, fileURLToPath(new URL('../..', import.meta.url)));
  const { stdout, signal, status } = spawnSync(process.execPath, [file], { encoding: 'utf8' });
  return { output: stdout, signal, status };
}

test('a process that is interrupted, exits or crashes shows the cursor again and ends as it would have', async () => {
  const interrupted = await inProcess(`process.kill(process.pid, 'SIGINT');`);
  expect(interrupted.output.endsWith(SHOW_CURSOR)).toBe(true);
  expect(interrupted.signal).toBe('SIGINT');

  const exited = await inProcess(`process.exit(3);`);
  expect(exited.output.endsWith(SHOW_CURSOR)).toBe(true);
  expect(exited.status).toBe(3);

  const crashed = await inProcess(`throw new Error('crash');`);
  expect(crashed.output.endsWith(SHOW_CURSOR)).toBe(true);
  expect(crashed.status).toBe(1);
});

test('a signal that somebody else handles is left to them', async () => {
  const handled = await inProcess(`
    let times = 0;
    process.on('SIGTERM', () => {
      times++;
      setTimeout(() => { process.stdout.write(' handled ' + times); process.exit(0); }, 50);
    });
    process.kill(process.pid, 'SIGTERM');
  `);
  expect(handled).toMatchObject({ signal: null, status: 0 });
  expect(handled.output).toContain('handled 1');
});
