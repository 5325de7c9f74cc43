import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bundledProgram } from '@hookline/test-programs';
import { type Files, npmProject, plugin } from '@hookline/test-support';
import { expect, test } from 'vitest';

const make = `() => ({ name: 'NAME' })`;
const styles: Record<string, { code: string; export: string }> = {
  'module-exports': { code: `module.exports = ${make};`, export: 'default' },
  transpiled: { code: `exports.__esModule = true; exports.default = ${make};`, export: 'default' },
  'transpiled-and-wrapped': {
    code: `module.exports = Object.assign({}, { default: ${make} });`,
    export: 'default',
  },
  named: { code: `exports.make = ${make};`, export: 'make' },
  'named-and-wrapped': { code: `module.exports = Object.assign({}, { make: ${make} });`, export: 'make' },
};

// In a process of its own: the test runner smooths over how Node presents CommonJS to `import`.
test('plugins written in CommonJS load, however they export', async () => {
  const packages: Record<string, Files> = {};
  for (const [name, style] of Object.entries(styles)) {
    packages[`trainer-hook-${name}`] = plugin(`trainer-hook-${name}`, name, {
      code: style.code.replace('NAME', name),
      json: { type: 'commonjs' },
      trainerHooks: { schema: 1, hooks: { [name]: { entry: './index.js', export: style.export } } },
    });
  }
  const script = `import { HookRegistry } from './src/registry/hook-registry.ts';
    for (const { hook } of await new HookRegistry().load()) console.log(hook.name);`;
  const file = await bundledProgram(script, fileURLToPath(new URL('../..', import.meta.url)));
  const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: npmProject(packages) });
  expect(stdout.trim().split('\n')).toEqual(Object.keys(styles));
});
