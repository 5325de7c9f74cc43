import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundledProgram, runIsolated } from '@hookline/test-programs';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, '..');
const text = readFileSync(join(folder, 'README.md'), 'utf8');

test('the example runs and prints what the README says', async () => {
  const [training, main] = [...text.matchAll(/^```js\n(.*?)^```\n/gms)].map(([, code]) => code!);
  const [, prints] = /^It prints:\n\n```\n(.*?)^```\n/ms.exec(text)!;
  const module = pathToFileURL(await bundledProgram(training!, folder)).href;
  const code = main!.replace(
    "new URL('./training.js', import.meta.url)",
    `new URL(${JSON.stringify(module)})`,
  );
  expect(code).toContain(module);
  const { output } = await runIsolated(folder, code);
  const printed = output.split('\n').filter((line) => !line.startsWith('hookline'));
  expect(printed.join('\n')).toBe(prints);
});
