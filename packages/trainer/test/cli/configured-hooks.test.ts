import { write } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { hookTable } from '../../src/cli/hook-table.js';
import { CONFIG, configProject } from '../config/config-project.js';
import { hooklineIn } from './hookline.js';

const withHooks = (hooks: unknown) =>
  configProject({
    'hookline.config.json': { ...CONFIG, hooks },
    'mine.js': `export const mine = () => ({ name: 'mine' });`,
  });

test('hookline hooks shows a hook that the config switches off as off, and those that it adds', async () => {
  const root = withHooks({ watcher: false, './mine.js#mine': true });
  const { code, out } = await hooklineIn(root, 'hooks');
  expect(out).toMatch(/watcher +trainer-hook-watcher@1\.2\.3 +off\n +Switched off\.\n/);
  expect(out).toMatch(/\.\/mine\.js#mine +mine\.js +on\n/);
  expect(out).toContain('With the settings of hookline.config.json; --no-config leaves it out.');
  expect(out).toContain('Order: ./mine.js#mine, stopper\n');
  expect(code).toBe(0);
  expect((await hooklineIn(root, 'hooks', '--no-config')).out).toContain('Order: stopper, watcher\n');
});

test('hookline hooks lists each instance', async () => {
  const root = withHooks([['stopper', { name: 'second' }], 'watcher']);
  const { out } = await hooklineIn(root, 'hooks');
  expect(out).toMatch(/second +trainer-hook-stopper@1\.2\.3 +on\n +an instance of stopper\n/);
  expect(out).toContain('Order: second, watcher\n');
});

test('hookline hooks works with a config that does not, and says so', async () => {
  const root = withHooks({ stoper: true });
  const { out } = await hooklineIn(root, 'hooks');
  expect(out).toContain('Without the settings of hookline.config.json: No hook is named "stoper".');
  expect(out).toContain('Order: stopper, watcher\n');
});

test('hookline doctor says which backend the config asks for', async () => {
  const root = withHooks({});
  expect((await hooklineIn(root, 'doctor')).out).toContain('hookline.config.json asks for "cpu".\n');
  write(root, { 'hookline.config.json': '{' });
  expect((await hooklineIn(root, 'doctor')).out).toContain('it is not JSON');
});

test('nothing in a list of hooks steers the terminal or fakes a line, wherever it comes from', () => {
  const evil = 'x\u001b[2J\u009b1mx\nOrder: nothing\u202e';
  const lines = hookTable([{ name: evil, from: evil, status: 'on', kinds: [evil], notes: [evil] }]);
  expect(lines).toHaveLength(2);
  expect(lines.join('')).not.toMatch(/[\p{Cc}\u202e]/u);
});
