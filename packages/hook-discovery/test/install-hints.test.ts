import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BUILT_IN_PACKAGES, howToGetCommand } from '../src/index.js';

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

const withCommands = readdirSync(packages).flatMap((folder) => {
  const { name, trainerCommands = {} } = JSON.parse(
    readFileSync(join(packages, folder, 'package.json'), 'utf8'),
  );
  return Object.keys(trainerCommands).map((command) => ({ command, name }));
});

test.each(withCommands)('hookline $command says that it comes from $name', ({ command, name }) => {
  expect(howToGetCommand(command, '/')).toContain(`npm install ${name}`);
});
