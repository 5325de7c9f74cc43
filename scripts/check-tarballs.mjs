import { withTarballs } from './pack.mjs';
import { nativePackage } from './platform-packages.mjs';
import { tool } from './process.mjs';

/** What would be published: entries exist and are what they claim (publint), types resolve (attw). */
export async function checkTarballs() {
  await withTarballs(async (tarballs) => {
    for (const [name, tarball] of tarballs) {
      await tool('publint', ['run', tarball, '--strict'], { capture: true });
      // A binary has no types.
      if (name.startsWith(`${nativePackage}-`)) {
        console.log(`${name}: publint found nothing`);
        continue;
      }
      await tool('attw', [tarball, '--profile', 'esm-only'], { capture: true });
      console.log(`${name}: publint and attw found nothing`);
    }
  });
}
