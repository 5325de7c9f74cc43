// The proofs in C under AddressSanitizer and UndefinedBehaviorSanitizer, random arguments for every kernel last:
// node scripts/prove.mjs [rounds] [seed]
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildProofs, findCompiler } from './build.mjs';

const compiler = await findCompiler();
if (!compiler || process.arch !== 'x64') {
  console.log('kernels-native: not proven in C, because there is no C compiler for x64 here');
} else {
  const folder = mkdtempSync(join(tmpdir(), 'hookline-proofs-'));
  try {
    for (const program of await buildProofs(compiler, folder)) {
      const { status, signal } = spawnSync(program, process.argv.slice(2), { stdio: 'inherit' });
      if (status !== 0) throw new Error(`${program} ended with ${signal ?? status}.`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
