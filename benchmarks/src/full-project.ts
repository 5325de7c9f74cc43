import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Project {
  root: string;
  remove(): void;
}

const PACKAGES = fileURLToPath(new URL('../../packages', import.meta.url));

/** A project that depends on every package with hooks. */
export function createFullProject(): Project {
  const root = mkdtempSync(join(tmpdir(), 'hookline-bench-'));
  const dependencies: Record<string, string> = {};
  for (const folder of readdirSync(PACKAGES)) {
    const { name, version, trainerHooks } = manifestOf(folder);
    if (!trainerHooks) continue;
    dependencies[name] = version;
    const installed = join(root, 'node_modules', name);
    mkdirSync(dirname(installed), { recursive: true });
    symlinkSync(join(PACKAGES, folder), installed, 'dir');
  }
  writeFileSync(join(root, 'package.json'), JSON.stringify({ name: 'full', type: 'module', dependencies }));
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) };
}

function manifestOf(folder: string): { name: string; version: string; trainerHooks?: object } {
  return JSON.parse(readFileSync(join(PACKAGES, folder, 'package.json'), 'utf8'));
}
