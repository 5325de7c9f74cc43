import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as numerics from '../src/index.js';

test('the README names everything that can be called', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const table = readme.split('## Functions\n')[1]!.split('\n## ')[0]!;
  const named = new Set([...table.matchAll(/`(?:new )?(\w+)\(/g)].map(([, name]) => name));
  const callable = Object.entries(numerics).filter(([, value]) => typeof value === 'function');
  expect([...named].filter((name) => !['next', 'save', 'load'].includes(name!)).sort()).toEqual(
    callable.map(([name]) => name).sort(),
  );
});
