import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { root } from '../process.mjs';
import { publishedPackages } from '../workspace.mjs';

const TFJS = '@tensorflow/tfjs-core';
const NEEDED = { module: TFJS, bun: TFJS, 'node-addons': './dist/required/tfjs-core.js', default: TFJS };
const esbuild = createRequire(join(root, 'testing/programs/package.json'))('esbuild');
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookline-require-'));
  mkdirSync(join(folder, 'node_modules/@tensorflow'), { recursive: true });
  symlinkSync(
    join(root, 'packages/numerics/node_modules/@tensorflow/tfjs-core'),
    join(folder, 'node_modules', TFJS),
    'dir',
  );
  write('src/index.ts', `import * as tf from '${TFJS}';\nexport const scalar = tf.scalar;\n`);
});
afterEach(() => rmSync(folder, { recursive: true }));

it('gives Node the same tfjs that the program imports', () => {
  build({ '#tfjs-core': NEEDED });
  expect(readFileSync(join(folder, 'dist/index.js'), 'utf8')).toContain('from "#tfjs-core"');
  write(
    'program.js',
    `import * as tf from '${TFJS}';
     import { scalar } from './dist/index.js';
     console.log(import.meta.resolve('#tfjs-core').endsWith('/dist/required/tfjs-core.js'), scalar === tf.scalar);`,
  );
  const said = execFileSync(process.execPath, ['program.js'], { cwd: folder, encoding: 'utf8' });
  expect(said.trim()).toBe('true true');
});

it('leaves a file of tfjs where it is, too', () => {
  const file = `${TFJS}/dist/public/chained_ops/abs.js`;
  write('src/index.ts', `import '${file}';\n`);
  build({ '#tfjs-core': NEEDED });
  expect(readFileSync(join(folder, 'dist/index.js'), 'utf8')).toContain(`import "${file}"`);
});

it.each([{}, { conditions: ['custom'] }])('gives a bundle for Node one tfjs, with %j', (options) => {
  build({ '#tfjs-core': NEEDED });
  const { metafile } = esbuild.buildSync({
    absWorkingDir: folder,
    entryPoints: ['dist/index.js'],
    bundle: true,
    platform: 'node',
    ...options,
    metafile: true,
    write: false,
  });
  const inputs = Object.keys(metafile.inputs);
  expect(inputs.filter((file) => file.includes('required'))).toEqual([]);
  expect(inputs.filter((file) => file.includes('tf-core'))).toHaveLength(1);
});

it('says what package.json must have when a package begins to import tfjs', () => {
  expect(() => build({ '#tfjs-core': { ...NEEDED, module: './elsewhere.js' } })).toThrow(
    /"imports" of its package.json must have "#tfjs-core"/,
  );
});

it('leaves the choice to bundlers before it gives Node the file that requires', () => {
  const entries = publishedPackages(root).flatMap(({ manifest }) =>
    Object.entries<object>(manifest.imports ?? {}).filter(([name]) => name.startsWith('#tfjs-')),
  );
  expect(entries.length).toBeGreaterThan(10);
  for (const [, conditions] of entries) expect(Object.keys(conditions)[0]).toBe('module');
});

function build(imports: object): void {
  write('package.json', JSON.stringify({ name: 'user-of-tfjs', type: 'module', imports }));
  write('tsup.config.ts', `export { default } from ${JSON.stringify(join(root, 'tsup.base.js'))};\n`);
  const tsup = join(root, 'node_modules/tsup/dist/cli-default.js');
  execFileSync(process.execPath, [tsup], { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
}

function write(file: string, text: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
}
