import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ProbeAnswer } from '../contract.js';

/**
 * The answer of an earlier probe of the same package, addon, Node, driver and settings: a probe loads the library, which takes
 * seconds. What did not work is tried each time, because people mend it.
 */
export function cachedAnswer(file: string): ProbeAnswer | undefined {
  try {
    const { key, answer } = JSON.parse(readFileSync(cacheFile(file), 'utf8')) as Entry;
    return key === keyOf(file) ? answer : undefined;
  } catch {
    return undefined;
  }
}

export function keepAnswer(file: string, answer: ProbeAnswer): void {
  try {
    const target = cacheFile(file);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, JSON.stringify({ key: keyOf(file), answer } satisfies Entry));
  } catch {
    // Where node_modules cannot be written, each run asks again.
  }
}

interface Entry {
  key: string;
  answer: ProbeAnswer;
}

/** The folder of the package that a file belongs to. */
function packageFolder(file: string): string {
  let folder = dirname(file);
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

/** Beside the package, so that it goes when the packages are installed again. */
function cacheFile(file: string): string {
  return join(packageFolder(file), '.hookline-probe.json');
}

function keyOf(file: string): string {
  const folder = packageFolder(file);
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version?: string };
  const { CUDA_VISIBLE_DEVICES = '', LD_LIBRARY_PATH = '' } = process.env;
  const times = [file, ...addonsIn(join(folder, 'lib'))].map((each) => statSync(each).mtimeMs);
  return JSON.stringify([version, times, process.version, driver(), CUDA_VISIBLE_DEVICES, LD_LIBRARY_PATH]);
}

function addonsIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .map((name) => join(folder, name, 'tfjs_binding.node'))
    .filter((each) => existsSync(each));
}

function driver(): string {
  try {
    return readFileSync('/proc/driver/nvidia/version', 'utf8');
  } catch {
    return '';
  }
}
