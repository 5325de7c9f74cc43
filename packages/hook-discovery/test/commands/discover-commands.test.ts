import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { npmProject, tempFolder, write } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { discoverCommands } from '../../src/index.js';
import { GREET, withCommand } from './with-command.js';

const PEER = { peerDependencies: { '@hookline/hook-api': '^1.0.0' } };

test('finds what the dependencies bring, with where it comes from, and runs no code', () => {
  const marker = join(tempFolder(), 'ran');
  const code = `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(marker)}, '');`;
  const root = npmProject({ 'trainer-greet': withCommand('greet', code, './command.js', PEER) });
  expect(discoverCommands(root, [])).toEqual({
    commands: [
      {
        name: 'greet',
        summary: 'does greet',
        entry: './command.js',
        package: 'trainer-greet',
        version: '1.2.3',
        dir: realpathSync(join(root, 'node_modules/trainer-greet')),
        problem: undefined,
      },
    ],
    problems: [],
  });
  expect(existsSync(marker)).toBe(false);
});

test('looks in the project at or above the folder, and in devDependencies too', () => {
  const root = tempFolder({ 'package.json': { name: 'project', devDependencies: { 'trainer-greet': '*' } } });
  write(join(root, 'node_modules/trainer-greet'), withCommand('greet'));
  mkdirSync(join(root, 'src/deep'), { recursive: true });
  const { commands } = discoverCommands(join(root, 'src/deep'), []);
  expect(commands.map(({ name }) => name)).toEqual(['greet']);
});

test('a package may bring several, and packages without commands are passed over', () => {
  const trainerCommands = {
    one: { entry: './command.js', summary: 'first' },
    two: { entry: './command.js', summary: 'second' },
  };
  const root = npmProject({
    plain: { 'package.json': { name: 'plain', version: '1.0.0' } },
    'trainer-two': withCommand('one', GREET, './command.js', { trainerCommands }),
  });
  const { commands, problems } = discoverCommands(root, []);
  expect(commands.map(({ name, summary }) => [name, summary])).toEqual([
    ['one', 'first'],
    ['two', 'second'],
  ]);
  expect(problems).toEqual([]);
});

test.each([
  ['hookline itself', 'train', ['train'], 'hookline itself'],
  ['a package of ours', 'sweep', [], '@hookline/sweep'],
])('a name that belongs to %s cannot be claimed', (_, name, taken, owner) => {
  const root = npmProject({ 'trainer-greedy': withCommand(name) });
  expect(discoverCommands(root, taken).commands[0]).toMatchObject({
    problem: `trainer-greedy@1.2.3 claims the command "${name}", which belongs to ${owner}.`,
  });
});

test('a package of ours has its own names', () => {
  const root = npmProject({ '@hookline/sweep': withCommand('sweep') });
  expect(discoverCommands(root, []).commands[0]).toMatchObject({ name: 'sweep', problem: undefined });
});

test('of two packages that claim a name, the first that works has it', () => {
  const root = npmProject({
    'a-broken': withCommand('greet', GREET, './gone.js'),
    'b-works': withCommand('greet'),
    'c-late': withCommand('greet'),
  });
  const [broken, works, late] = discoverCommands(root, []).commands;
  expect(broken?.problem).toContain('there is no such file');
  expect(works?.problem).toBeUndefined();
  expect(late?.problem).toContain('claims the command "greet", which belongs to b-works.');
});

test('one that needs another hook-api has that as its problem, with what to do', () => {
  const peer = { peerDependencies: { '@hookline/hook-api': '^9.0.0' } };
  const root = npmProject({ 'trainer-new': withCommand('new', GREET, './command.js', peer) });
  expect(discoverCommands(root, []).commands[0]?.problem).toMatch(
    /^trainer-new@1\.2\.3 needs @hookline\/hook-api \^9\.0\.0, but .* Install a version that fits/,
  );
});

test('what cannot be read is named, and costs nobody else a command', () => {
  const root = npmProject({
    'not-json': { 'package.json': '{ "trainerCommands": ' },
    'no-summary': { 'package.json': { version: '2.0.0', trainerCommands: { x: { entry: './x.js' } } } },
    'trainer-greet': withCommand('greet'),
  });
  const { commands, problems } = discoverCommands(root, []);
  expect(commands.map(({ name }) => name)).toEqual(['greet']);
  expect(problems).toEqual([
    expect.stringMatching(/^not-json: .*package\.json is not JSON/),
    expect.stringMatching(/^no-summary@2\.0\.0: trainerCommands\["x"\]\.summary: expected one line of text/),
  ]);
});

test('a project that cannot be read is a problem, and none at all is not', () => {
  expect(discoverCommands(tempFolder({ 'package.json': '{' }), [])).toEqual({
    commands: [],
    problems: [expect.stringContaining('package.json is not JSON')],
  });
  expect(discoverCommands('/', [])).toEqual({ commands: [], problems: [] });
});
