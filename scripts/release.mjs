import { withTarballs } from './pack.mjs';
import { platformPackages } from './platform-packages.mjs';
import { npm, tool } from './process.mjs';
import { requireRepository } from './repository.mjs';
import { publishedPackages } from './workspace.mjs';

/**
 * Publishes every package whose version the registry does not have, with a proof of where it was built, and tags it. It
 * publishes the tarballs that the checks have looked at, which `changeset publish` would not.
 * @param {() => Promise<unknown>} build
 * @param {string[]} [args] `--dry-run` only says what would be published.
 */
export async function release(build, args = []) {
  const isDry = args.includes('--dry-run');
  if (!isDry) requireRepository();
  await build();
  await withTarballs(async (tarballs) => {
    const missing = await missingIn();
    console.log(
      missing.length === 0 ? 'the registry has every version' : `new: ${missing.map(idOf).join(', ')}`,
    );
    if (!isDry) await publish(missing, tarballs, ['--provenance']);
  });
  // Prints the lines by which the action of changesets knows what was released.
  if (!isDry) await tool('changeset', ['tag']);
}

/** @typedef {import('./workspace.mjs').WorkspacePackage} WorkspacePackage */

/**
 * The packages whose version a registry does not have; that of npm when none is given.
 * @param {string} [registry]
 */
export async function missingIn(registry) {
  const address = registry ?? (await npm(['config', 'get', 'registry'], { capture: true })).trim();
  // Binaries first: what depends on them comes after them.
  const packages = [...platformPackages(), ...publishedPackages()];
  const published = await each(packages, (found) => isPublished(address, found));
  return packages.filter((_, index) => !published[index]);
}

/**
 * @param {WorkspacePackage[]} packages
 * @param {Map<string, string>} tarballs
 * @param {string[]} options Of `npm publish`.
 * @param {Record<string, string>} [env]
 */
export async function publish(packages, tarballs, options, env = {}) {
  await each(packages, async ({ manifest }) => {
    const tarball = String(tarballs.get(manifest.name));
    await npm(['publish', tarball, '--access', 'public', ...options], { env });
  });
}

/** @param {WorkspacePackage} found */
export function idOf({ manifest: { name, version } }) {
  return `${name}@${version}`;
}

/**
 * Some at a time: most of what npm does is to start and to wait.
 * @template Item, Result
 * @param {Item[]} items
 * @param {(item: Item) => Promise<Result>} work
 */
async function each(items, work) {
  /** @type {Result[]} */
  const results = [];
  for (let at = 0; at < items.length; at += 4) {
    results.push(...(await Promise.all(items.slice(at, at + 4).map(work))));
  }
  return results;
}

/**
 * @param {string} registry
 * @param {WorkspacePackage} found
 */
async function isPublished(registry, { manifest: { name, version } }) {
  const answer = await fetch(new URL(name.replace('/', '%2f'), registry.replace(/\/*$/, '/')));
  // The registry has never seen this package; any other failure is a reason to stop.
  if (answer.status === 404) return false;
  if (!answer.ok) throw new Error(`the registry answers ${answer.status} when asked about ${name}`);
  const { versions } = /** @type {{ versions?: object }} */ (await answer.json());
  return version in (versions ?? {});
}
