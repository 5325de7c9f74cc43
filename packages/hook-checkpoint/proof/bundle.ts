import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'tsup';
import { afterAll } from 'vitest';

const PACKAGE = fileURLToPath(new URL('..', import.meta.url));

let bundled: Promise<string> | undefined;

/**
 * The program that trains, as one file with everything in it, and the thread that writes beside it: a process starts
 * in a third of the time that it takes with sources, and hundreds are started.
 */
export function bundledTraining(): Promise<string> {
  bundled ??= bundle();
  return bundled;
}

afterAll(async () => {
  if (bundled) await rm(join(await bundled, '..'), { recursive: true, force: true });
});

async function bundle(): Promise<string> {
  // Within the package, so that what is looked up at run time is found.
  const parent = join(PACKAGE, 'node_modules', '.hookline');
  await mkdir(parent, { recursive: true });
  const outDir = await mkdtemp(join(parent, 'proof-'));
  await build({
    config: false,
    silent: true,
    entry: {
      train: join(PACKAGE, 'proof/train.ts'),
      'save-thread': join(PACKAGE, 'src/save/save-thread.ts'),
    },
    outDir,
    format: 'esm',
    target: 'node20',
    platform: 'node',
    noExternal: [/./],
    // They are looked for in the project, and not there.
    external: ['@tensorflow/tfjs-node', '@tensorflow/tfjs-node-gpu'],
    // Some of what tfjs imports is CommonJS.
    banner: {
      js: "import { createRequire as from } from 'node:module'; const require = from(import.meta.url);",
    },
    esbuildOptions: (options) => {
      options.conditions = ['@hookline/source'];
    },
  });
  return join(outDir, 'train.js');
}
