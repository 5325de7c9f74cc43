import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

// Without the helper of test-support, which depends on this package.
test('the example of the README prints what the README says', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const [, code, output] = /```js\n([\s\S]*?)```\n\nIt prints:\n\n```\n([\s\S]*?)```/.exec(readme)!;
  const flags = ['--conditions=@hookline/source', '--import', 'tsx', '--input-type=module', '--eval', code!];
  const printed = execFileSync(process.execPath, flags, {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  expect(String(printed)).toBe(output);
});
