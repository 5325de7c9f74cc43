// Runs before each test file that needs tfjs as nobody has touched it: loading it again takes a fifth of the time of a
// new process. A setup file runs before what the test file imports.
import { createRequire } from 'node:module';
import { vi } from 'vitest';

vi.resetModules();
const { cache } = createRequire(import.meta.url);
for (const file of Object.keys(cache)) {
  if (file.includes('@tensorflow')) delete cache[file];
}
// Where tfjs keeps its engine, its flags, and its kernels and gradients; then what our packages keep beside that.
const kept = globalThis as Record<string | symbol, unknown>;
for (const name of ['_tfengine', '_tfGlobals']) delete kept[name];
for (const symbol of Object.getOwnPropertySymbols(kept)) {
  if (symbol.description?.startsWith('hookline.')) delete kept[symbol];
}
