import { fileURLToPath } from 'node:url';
import { readmeExamples, runExample } from '@hookline/test-support';
import { expect, test } from 'vitest';

const folder = fileURLToPath(new URL('..', import.meta.url));

test.each(readmeExamples(folder))('"$title" prints what the README says', async ({ code, output }) => {
  expect(await runExample(code, folder)).toBe(output);
});
