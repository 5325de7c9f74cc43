import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { type Platform, platformsHere } from './platform.js';

const BINARY = 'kernels.node';

/** The addons that are here for this platform: from their packages, or built in the repository. */
export function findBinaries(): string[] {
  return platformsHere().flatMap((platform) => binaryOf(platform) ?? []);
}

function binaryOf(platform: Platform): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(`@hookline/kernels-native-${platform}/${BINARY}`);
  } catch {
    // An optional dependency that was left out. In the repository there is one where a compiler was found.
    const built = fileURLToPath(new URL(`../build/${platform}/${BINARY}`, import.meta.url));
    return existsSync(built) ? built : undefined;
  }
}
