import { withTarballs } from './pack.mjs';
import { npm, tool } from './process.mjs';
import { requireRepository } from './repository.mjs';
import { publishedPackages } from './workspace.mjs';

/**
 * Publishes every package whose version the registry does not have, with a proof of where it was built, and tags it. It
 * publishes the tarballs that the checks have looked at, which `changeset publish` would not.
 * @param {() => Promise<unknown>} build
 */
export async function release(build) {
  requireRepository();
  await build();
  await withTarballs(async (tarballs) => {
    for (const { manifest } of publishedPackages()) {
      const id = `${manifest.name}@${manifest.version}`;
      if (await isPublished(id)) {
        console.log(`${id} is in the registry already`);
      } else {
        await npm(['publish', String(tarballs.get(manifest.name)), '--access', 'public', '--provenance']);
      }
    }
  });
  // Prints the lines by which the action of changesets knows what was released.
  await tool('changeset', ['tag']);
}

/** @param {string} id */
async function isPublished(id) {
  try {
    return (await npm(['view', id, 'version', '--json'], { capture: true })).trim() !== '';
  } catch (error) {
    // The registry has never seen this package; any other failure is a reason to stop.
    if (/\bE404\b/.test(String(error))) return false;
    throw error;
  }
}
