import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { errorOf, tempFolder } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { commandLine, findProgram, runProgram } from '../../src/cli/native-build/programs.js';

const NODE = process.execPath;

test('of several programs the first that starts is taken', () => {
  expect(findProgram(['no-such-program', NODE, 'sh'], ['--version'])).toBe(NODE);
  expect(findProgram(['no-such-program'], [])).toBeUndefined();
  expect(findProgram([NODE], ['--no-such-flag'])).toBeUndefined();
});

test('a program runs in its folder, and its failure tells its last lines and its code', async () => {
  const folder = tempFolder();
  await runProgram(NODE, ['-e', "require('fs').writeFileSync('here', '')"], folder);
  expect(existsSync(join(folder, 'here'))).toBe(true);
  const code = "for (let i = 0; i < 20; i++) console.error('line ' + i); process.exit(3)";
  const { message } = await errorOf(() => runProgram(NODE, ['-e', code], folder));
  expect(message).toMatch(/failed \(3\):\nline 12\n[\s\S]*line 19$/);
  expect(await errorOf(() => runProgram('no-such-program', [], folder))).toMatchObject({
    message: expect.stringContaining('no-such-program failed (ENOENT)'),
  });
});

test.skipIf(process.platform === 'win32')('a command that is shown can be typed as it is', () => {
  const odd = ['plain', "it's", 'two words', '$HOME', '`x`', 'a"b', '', '*', '-Wl,-rpath,$ORIGIN/../lib'];
  const line = commandLine(NODE, ['-p', 'JSON.stringify(process.argv.slice(1))', '--', ...odd]);
  const said = execFileSync('sh', ['-c', line], { encoding: 'utf8' });
  expect(JSON.parse(said)).toEqual(odd);
  expect(commandLine('npm', ['install', '@scope/name@1.0.0', '--prefix=a/b'])).toBe(
    'npm install @scope/name@1.0.0 --prefix=a/b',
  );
});
