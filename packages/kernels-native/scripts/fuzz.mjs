// Random arguments for every kernel under AddressSanitizer and UndefinedBehaviorSanitizer: node scripts/fuzz.mjs [rounds] [seed]
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildFuzzer, findCompiler } from './build.mjs';

const compiler = await findCompiler();
if (!compiler || process.arch !== 'x64') {
  console.log('kernels-native: not fuzzed, because there is no C compiler for x64 here');
} else {
  const folder = mkdtempSync(join(tmpdir(), 'hookline-fuzz-'));
  try {
    const program = join(folder, 'fuzz');
    await buildFuzzer(compiler, program);
    const { status, signal } = spawnSync(program, process.argv.slice(2), { stdio: 'inherit' });
    if (status !== 0) throw new Error(`The fuzzer ended with ${signal ?? status}.`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
