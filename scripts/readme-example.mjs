import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './process.mjs';

/**
 * Runs the first example of the README in a project, as it is written, and looks at what it prints.
 * @param {string} project
 * @param {(args: string[]) => Promise<string>} node
 */
export async function runsTheReadme(project, node) {
  writeFileSync(join(project, 'readme.js'), exampleOf(readFileSync(join(root, 'README.md'), 'utf8')));
  const printed = await node(['readme.js']);
  assert.match(printed, /epoch {2}1\/50 {2}train loss/);
  assert.match(printed, /stopped after \d+ epochs.*early-stopping: val\/loss did not improve/);
  assert.match(printed, /\{ metric: 'val\/loss', value: [\d.e-]+, epoch: \d+ \}\s*$/);
}

/**
 * The first program of a page.
 * @param {string} markdown
 */
function exampleOf(markdown) {
  const [, code = ''] = /^```js\n(.*?)^```$/ms.exec(markdown) ?? [];
  assert.notEqual(code, '', 'the page has an example');
  return code;
}
