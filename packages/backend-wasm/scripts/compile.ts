import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { assertNoData } from './wasm-sections.js';

const packageFolder = dirname(dirname(fileURLToPath(import.meta.url)));
const sources = join(packageFolder, 'assembly');
const cache = join(packageFolder, 'node_modules', '.hookline');
const lock = join(cache, 'compiling');

// With a maximum size, changing one byte declares the import shared, which src/module/shared-memory.ts does.
const memory = ['--importMemory', '--initialMemory', '1', '--maximumMemory', '65536'];
const shared = [...memory, '--runtime', 'stub', '--use', 'abort='];

const variants = {
  simd: ['-O3', '--enable', 'simd', ...shared],
  fma: ['-O3', '--enable', 'simd', '--enable', 'relaxed-simd', ...shared],
} as const;

export type Variant = keyof typeof variants;

/** The compiled module: from the cache, or compiled now because the sources have changed. */
export async function compiledModule(variant: Variant): Promise<Uint8Array> {
  const file = join(cache, `${variant}-${fingerprint()}.wasm`);
  while (!existsSync(file)) {
    // Tests start several processes at once: one compiles, the others wait for it.
    if (!takeLock()) {
      await sleep(50);
      continue;
    }
    try {
      await compileInto(file, variant);
    } finally {
      rmSync(lock, { recursive: true, force: true });
    }
  }
  return readFileSync(file);
}

async function compileInto(file: string, variant: Variant): Promise<void> {
  writeFileSync(`${file}.new`, await compile(variant));
  renameSync(`${file}.new`, file);
  for (const name of readdirSync(cache)) {
    if (name.startsWith(variant) && join(cache, name) !== file) rmSync(join(cache, name), { force: true });
  }
}

async function compile(variant: Variant): Promise<Uint8Array> {
  // Imported only now: it takes a second, and usually the module is cached.
  const { default: asc } = await import('assemblyscript/asc');
  const outputs = new Map<string, Uint8Array>();
  const { error, stderr } = await asc.main(
    ['index.ts', '--baseDir', sources, '--outFile', 'module.wasm', ...variants[variant]],
    {
      writeFile: (name, contents) => {
        outputs.set(name, contents as Uint8Array);
      },
    },
  );
  const bytes = outputs.get('module.wasm');
  if (error || !bytes) throw new Error(`The ${variant} module does not compile:\n${stderr.toString()}`);
  assertNoData(bytes, variant);
  return bytes;
}

/** Changes with the sources, the flags, and the compiler, whose version is in package.json. */
function fingerprint(): string {
  const hash = createHash('sha256').update(JSON.stringify(variants));
  hash.update(readFileSync(join(packageFolder, 'package.json')));
  for (const name of readdirSync(sources).sort()) hash.update(name).update(readFileSync(join(sources, name)));
  return hash.digest('hex').slice(0, 16);
}

function takeLock(): boolean {
  mkdirSync(cache, { recursive: true });
  try {
    mkdirSync(lock);
    writeFileSync(join(lock, 'since'), String(Date.now()));
    return true;
  } catch {
    if (isAbandoned()) rmSync(lock, { recursive: true, force: true });
    return false;
  }
}

/** A process that was killed while compiling leaves its lock behind. */
function isAbandoned(): boolean {
  try {
    return Date.now() - Number(readFileSync(join(lock, 'since'), 'utf8')) > 300_000;
  } catch {
    return false;
  }
}
