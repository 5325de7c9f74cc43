// Every platform from one machine, with `zig cc`: node scripts/build-all.mjs [path of zig]
import { buildAddon, TARGETS } from './build.mjs';

const zig = process.argv[2] ?? 'zig';
for (const platform of Object.keys(TARGETS)) {
  await buildAddon(platform, [zig, 'cc']);
  console.log(`kernels-native: built for ${platform}`);
}
