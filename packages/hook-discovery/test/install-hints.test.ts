import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BUILT_IN_PACKAGES } from '../src/index.js';

const packages = join(import.meta.dirname, '../..');

test.each(Object.entries(BUILT_IN_PACKAGES))(
  '%s can be installed: it is a hook in the manifest of %s, so that the hint to install it is true',
  (hook, name) => {
    const file = join(packages, name.replace('@hookline/', ''), 'package.json');
    expect(existsSync(file)).toBe(true);
    const { name: itsName, trainerHooks } = JSON.parse(readFileSync(file, 'utf8'));
    expect(itsName).toBe(name);
    expect(Object.keys(trainerHooks.hooks)).toContain(hook);
  },
);
