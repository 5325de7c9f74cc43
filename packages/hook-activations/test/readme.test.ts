import { readFileSync } from 'node:fs';
import { format } from 'node:util';
import { expect, test } from 'vitest';

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

/** What examples import. Imported here, so that the sources are tested and not a build. */
const MODULES: Readonly<Record<string, () => Promise<object>>> = {
  '@hookline/hook-activations': () => import('../src/index.js'),
  '@hookline/trainer': () => import('@hookline/trainer'),
  '@tensorflow/tfjs-backend-cpu': () => import('@tensorflow/tfjs-backend-cpu'),
  '@tensorflow/tfjs-core': () => import('@tensorflow/tfjs-core'),
  '@tensorflow/tfjs-layers': () => import('@tensorflow/tfjs-layers'),
};

const EXAMPLES = [
  ...README.matchAll(
    /^#{2,3} ([^\n]+)\n(?:(?!^#)[\s\S])*?```js\n([\s\S]*?)```\n\nIt prints:\n\n```\n([\s\S]*?)```/gm,
  ),
];

test('every example of the README has its output beside it', () => {
  expect(EXAMPLES).toHaveLength(README.match(/```js/g)!.length);
});

test.each(EXAMPLES.map(([, title, code, output]) => ({ title, code: code!, output: output! })))(
  'the example "$title" prints what the README says',
  async ({ code, output }) => {
    expect(await printed(code)).toBe(output);
  },
);

async function printed(code: string): Promise<string> {
  let text = '';
  const log = (...values: unknown[]): void => {
    text += `${format(...values)}\n`;
  };
  const load = (name: string) => MODULES[name]!();
  const body = code
    .replace(/^import '(.+)';$/gm, "await load('$1');")
    .replace(/^import \* as (\w+) from '(.+)';$/gm, "const $1 = await load('$2');")
    .replace(/^import (\{.+\}) from '(.+)';$/gm, "const $1 = await load('$2');");
  const AsyncFunction = (async () => {}).constructor as new (
    ...parts: string[]
  ) => (...values: unknown[]) => Promise<void>;
  await new AsyncFunction('load', 'console', body)(load, { ...console, log });
  return text;
}
