import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** A package in place of @hookline/kernels-native: what is said depends on what it gives, and not on this machine. */
const WORKING = `export const loadKernels = () => ({ instructions: 'avx2', names: [] });`;
const NONE = 'export const loadKernels = () => undefined;';
const DAMAGED = `export const loadKernels = () => { throw new Error('kernels.node cannot be loaded: it is damaged.'); };`;
const BROKEN = `throw new Error('this package cannot be imported');`;

interface Place {
  /** Beside the backend, and in the project that is worked in. */
  readonly beside?: string;
  readonly project?: string;
  readonly env?: string;
}

const PLACES = {
  beside: { beside: WORKING },
  'in the project': { project: WORKING },
  both: { beside: NONE, project: WORKING },
  'broken beside': { beside: BROKEN, project: WORKING },
  nowhere: {},
  'no binary': { beside: NONE },
  damaged: { beside: DAMAGED },
  'switched off': { beside: WORKING, env: '0' },
  'switched off in words': { beside: WORKING, env: ' False ' },
  'switched off in other words': { beside: WORKING, env: 'OFF' },
  'switched on': { beside: WORKING, env: '1' },
  'said nothing about': { beside: WORKING, env: '' },
} satisfies Record<string, Place>;

interface Answer {
  readonly kernels?: string;
  readonly why?: string;
}

describe('native kernels are looked for', () => {
  let folder: string;
  let found: Record<keyof typeof PLACES, Answer>;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'hookline-find-kernels-'));
    found = findIn(folder, PLACES) as typeof found;
  });

  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it.each([
    ['beside', 'a package beside the backend'],
    ['in the project', 'a package that the backend may not see'],
    ['broken beside', 'a package in the project, when the other is broken'],
    ['switched on', 'where the environment switches them on'],
    ['said nothing about', 'where the environment says nothing'],
  ] as const)('%s: %s', (name, _what) => {
    expect(found[name]).toEqual({ kernels: 'avx2' });
  });

  it.each([
    ['nowhere', '@hookline/kernels-native is not installed'],
    ['no binary', '@hookline/kernels-native has no kernels for this platform and processor'],
    ['both', '@hookline/kernels-native has no kernels for this platform and processor'],
    ['damaged', 'kernels.node cannot be loaded: it is damaged.'],
    ['switched off', 'HOOKLINE_WASM_NATIVE switches them off'],
    ['switched off in words', 'HOOKLINE_WASM_NATIVE switches them off'],
    ['switched off in other words', 'HOOKLINE_WASM_NATIVE switches them off'],
  ] as const)('%s: there are none, and the reason is "%s"', (name, why) => {
    expect(found[name]).toEqual({ why });
  });
});

/** Each place in a folder of its own; one process for all of them, because it starts slowly. */
function findIn(folder: string, places: Readonly<Record<string, Place>>): Record<string, Answer> {
  const source = fileURLToPath(new URL('../../src/native/find-kernels.ts', import.meta.url));
  const cases = Object.entries(places).map(([name, { beside, project, env }], i) => {
    const [backend, cwd] = [join(folder, `${i}`, 'backend'), join(folder, `${i}`, 'project')];
    for (const at of [backend, cwd]) mkdirSync(at, { recursive: true });
    writeFileSync(join(backend, 'package.json'), '{ "type": "module" }');
    cpSync(source, join(backend, 'find-kernels.ts'));
    if (beside) install(beside, backend);
    if (project) install(project, cwd);
    return { name, entry: join(backend, 'find-kernels.ts'), cwd, env };
  });
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '-e', PROGRAM, JSON.stringify(cases)],
    { cwd: fileURLToPath(new URL('../..', import.meta.url)), encoding: 'utf8' },
  );
  if (!stdout) throw new Error(stderr);
  return JSON.parse(stdout);
}

function install(source: string, at: string): void {
  const home = join(at, 'node_modules', '@hookline', 'kernels-native');
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'package.json'), '{ "type": "module", "exports": "./index.js" }');
  writeFileSync(join(home, 'index.js'), source);
}

const PROGRAM = `
import { pathToFileURL } from 'node:url';
const answers = {};
for (const { name, entry, cwd, env } of JSON.parse(process.argv[1])) {
  process.chdir(cwd);
  if (env === undefined) delete process.env.HOOKLINE_WASM_NATIVE;
  else process.env.HOOKLINE_WASM_NATIVE = env;
  const { findKernels } = await import(pathToFileURL(entry).href);
  const { kernels, why } = await findKernels();
  answers[name] = { kernels: kernels?.instructions, why };
}
console.log(JSON.stringify(answers));
`;
