import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type Files, npmProject, tempFolder, write } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { hooklineIn } from './hookline.js';

const WORKS = `export const command = {
  summary: 'greet somebody',
  usage: 'hookline greet <name>\\n',
  run(args, write) {
    if (args.length === 0) throw Object.assign(new Error('Whom?'), { code: 'CLI_USAGE' });
    write('hello ' + args.join(' ') + '\\n');
    return 3;
  },
};`;

function withCommand(name: string, command: unknown, code = WORKS, json: object = {}): Files {
  return {
    'package.json': {
      name: 'a',
      version: '1.2.3',
      type: 'module',
      trainerCommands: { [name]: command },
      ...json,
    },
    'command.js': code,
  };
}

const greet = withCommand('greet', { entry: './command.js', summary: 'greet somebody' });
const entry = { entry: './command.js', summary: 'does something' };

test('a package adds a command: the help lists it, and it runs', async () => {
  const root = npmProject({ 'trainer-greet': greet });
  expect((await hooklineIn(root, '--help')).out).toMatch(
    /From your dependencies:\n {2}hookline greet +greet somebody \(trainer-greet\)\n/,
  );
  expect(await hooklineIn(root, 'greet', 'Ada', 'L')).toEqual({ code: 3, out: 'hello Ada L\n', err: '' });
  expect(await hooklineIn(root, 'greet', '--help')).toMatchObject({
    code: 0,
    out: 'hookline greet <name>\n',
  });
  expect(await hooklineIn(root, 'greet')).toEqual({
    code: 2,
    out: '',
    err: 'Whom?\n\nhookline greet <name>\n',
  });
  expect((await hooklineIn(root, 'gret')).err).toContain('Did you mean "greet"?');
});

test('a package in devDependencies adds its command too, and one of a dependency does not', async () => {
  const root = tempFolder({ 'package.json': { name: 'project', devDependencies: { 'trainer-greet': '*' } } });
  write(join(root, 'node_modules/trainer-greet'), greet);
  write(join(root, 'node_modules/deeper'), withCommand('deeper', entry));
  expect((await hooklineIn(root, 'greet', 'you')).code).toBe(3);
  expect((await hooklineIn(root, 'deeper')).err).toContain('hookline has no command "deeper"');
});

test.each<[string, Files, RegExp]>([
  [
    'has no file',
    withCommand('bad', { entry: './gone.js', summary: 's' }),
    /trainer-bad@1\.2\.3, command "bad" .*gone\.js.*: there is no such file/,
  ],
  [
    'claims a command of hookline',
    withCommand('doctor', entry),
    /trainer-bad@1\.2\.3 claims the command "doctor", which belongs to hookline itself/,
  ],
  [
    'claims a command of ours',
    withCommand('report', entry),
    /claims the command "report", which belongs to @hookline\/hook-report/,
  ],
  [
    'claims a name that is taken',
    withCommand('greet', entry),
    /claims the command "greet", which belongs to trainer-greet/,
  ],
  [
    'names a path out of its package',
    withCommand('bad', { entry: '../x.js', summary: 's' }),
    /trainerCommands\["bad"\]\.entry: expected a path that begins with "\.\/", without "\.\."/,
  ],
  [
    'has no summary',
    withCommand('bad', { entry: './command.js' }),
    /trainerCommands\["bad"\]\.summary: expected one line of text/,
  ],
  [
    'has a summary of two lines',
    withCommand('bad', { ...entry, summary: 'a\n  hookline evil' }),
    /summary: expected one line of text/,
  ],
  [
    'is for another major of hook-api',
    withCommand('bad', entry, WORKS, { peerDependencies: { '@hookline/hook-api': '^9.0.0' } }),
    /needs @hookline\/hook-api \^9\.0\.0, but/,
  ],
  ['is not JSON', { 'package.json': '{ "trainerCommands": ' }, /trainer-bad: .*package\.json is not JSON/],
  [
    'lists nothing',
    { 'package.json': { trainerCommands: [] } },
    /trainer-bad: trainerCommands: expected \{ "my-command"/,
  ],
])('a package that %s is named in the help and leaves the others alone', async (_what, files, problem) => {
  const root = npmProject({ 'trainer-greet': greet, 'trainer-bad': files });
  const { code, out } = await hooklineIn(root, '--help');
  expect(out.split('Commands that cannot be used:\n')[1]).toMatch(problem);
  expect(code).toBe(0);
  expect((await hooklineIn(root, 'greet', 'you')).out).toBe('hello you\n');
});

test('a link out of the package is not followed', async () => {
  const marker = tempFolder({ 'outside.js': WORKS });
  const root = npmProject({ 'trainer-bad': withCommand('bad', { entry: './link.js', summary: 's' }) });
  symlinkSync(join(marker, 'outside.js'), join(root, 'node_modules/trainer-bad/link.js'));
  expect(await hooklineIn(root, 'bad', 'x')).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringContaining('it leads out of its package'),
  });
});

test.each([
  ['throws on import', `throw new Error('no display');`, 'importing it failed: no display'],
  ['exports no command', `export const commnd = 1;`, 'it has no export "command". Did you mean "commnd"?'],
  [
    'exports something else',
    `export const command = { summary: 's' };`,
    'Expected { summary, usage, run(args, write) }',
  ],
])('a command whose file %s says so when it is called, and not before', async (_what, code, message) => {
  const root = npmProject({ 'trainer-bad': withCommand('bad', entry, code), 'trainer-greet': greet });
  expect((await hooklineIn(root, '--help')).out).toContain('hookline greet');
  const { code: exit, err } = await hooklineIn(root, 'bad');
  expect(err).toContain('trainer-bad@1.2.3, command "bad"');
  expect(err).toContain(message);
  expect(exit).toBe(1);
});

test('a command of ours that is not installed says how to install it', async () => {
  const root = npmProject({});
  expect(await hooklineIn(root, 'report')).toEqual({
    code: 1,
    out: '',
    err: `"hookline report" comes from @hookline/hook-report, which is not in the dependencies of ${root}. Install it: npm install @hookline/hook-report\n`,
  });
  write(root, { 'package.json': { name: 'project', devDependencies: { '@hookline/hook-report': '*' } } });
  expect((await hooklineIn(root, 'report')).err).toContain(
    'is in package.json but not installed. Install it: npm install\n',
  );
  expect((await hooklineIn('/', 'report')).err).toContain('npm install @hookline/hook-report');
  expect((await hooklineIn(root, 'raport')).err).toContain('Did you mean "report"?');
});

test('without a project, or with one that cannot be read, the commands of hookline are there', async () => {
  for (const root of ['/', tempFolder({ 'package.json': '{' })]) {
    expect(await hooklineIn(root, '--help')).toMatchObject({
      code: 0,
      out: expect.stringContaining('hookline hooks'),
    });
    expect(await hooklineIn(root, 'constructor')).toMatchObject({ code: 2 });
  }
});
