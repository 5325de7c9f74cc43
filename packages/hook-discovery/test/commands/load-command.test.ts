import { npmProject, tempFolder, write } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { discoverCommands, howToGetCommand, loadCommand } from '../../src/index.js';
import { GREET, withCommand } from './with-command.js';

/** The error with which a command whose file has this code is refused. */
async function refusal(code: string, entry?: string): Promise<{ code: string; message: string }> {
  const root = npmProject({ 'trainer-greet': withCommand('greet', code, entry) });
  const [found] = discoverCommands(root, []).commands;
  return loadCommand(found!).then(
    () => expect.unreachable('it was loaded'),
    (error) => error,
  );
}

test('a command is imported when it is asked for', async () => {
  const root = npmProject({ 'trainer-greet': withCommand('greet') });
  const command = await loadCommand(discoverCommands(root, []).commands[0]!);
  expect(await command.run([], () => {})).toBe(3);
});

test.each([
  ['throws', `throw new Error('no display');`, 'HOOK_IMPORT', 'importing it failed: no display'],
  ['has no export', `export const commnd = 1;`, 'HOOK_EXPORT', 'Did you mean "commnd"?'],
  ['exports less', `export const command = { summary: 's' };`, 'NOT_A_COMMAND', 'Expected { summary, usage,'],
  ['exports a number', `export const command = 7;`, 'NOT_A_COMMAND', 'its export "command" is not a command'],
])('a file that %s is refused by name', async (_, source, code, message) => {
  const error = await refusal(source);
  expect(error.code).toBe(code);
  expect(error.message).toMatch(/^trainer-greet@1\.2\.3, command "greet" \(.*command\.js\): /);
  expect(error.message).toContain(message);
});

test('one that has a problem is not imported', async () => {
  const error = await refusal(GREET, './gone.js');
  expect(error).toMatchObject({ code: 'COMMAND_REJECTED' });
  expect(error.message).toContain('there is no such file. If it has to be built, build it first.');
});

test('a command of ours that is missing comes with how to install it', () => {
  const owner = '@hookline/hook-dashboard';
  const start = `"hookline dashboard" comes from ${owner}, which`;
  const root = npmProject({});
  expect(howToGetCommand('dashboard', root)).toBe(
    `${start} is not in the dependencies of ${root}. Install it: npm install ${owner}`,
  );
  write(root, { 'package.json': { name: 'project', devDependencies: { [owner]: '*' } } });
  expect(howToGetCommand('dashboard', root)).toBe(
    `${start} is in package.json but not installed. Install it: npm install`,
  );
  expect(howToGetCommand('dashboard', '/')).toBe(
    `${start} is not installed. Install it: npm install ${owner}`,
  );
  expect(howToGetCommand('constructor', tempFolder())).toBeUndefined();
});
