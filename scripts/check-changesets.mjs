import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findBase, git } from './git.mjs';
import { root } from './process.mjs';
import { publishedPackages } from './workspace.mjs';

/** Fails when sources of a package changed and no changeset describes the change for its users. */
export async function checkChangesets() {
  const { verdict, problems } = judgeChangesets(root);
  if (problems.length > 0) {
    throw new Error(`\n  ${problems.join('\n  ')}\nAdd one with: npx changeset (or npx changeset --empty)`);
  }
  console.log(verdict);
}

/**
 * On a branch the changeset must be part of the change. On main itself, or where main is not known, a changeset that
 * was already waiting for the next release will do.
 * @param {string} repository
 * @returns {{ verdict: string, problems: string[] }}
 */
export function judgeChangesets(repository) {
  const names = new Map(publishedPackages(repository).map(({ path, manifest }) => [path, manifest.name]));
  const changesets = readChangesets(join(repository, '.changeset'));
  const wrong = changesets.flatMap((changeset) => changesetProblems(changeset, [...names.values()]));

  const { base, since, reason } = findBase(repository);
  if (!base) return { verdict: `the change cannot be judged: ${reason}`, problems: wrong };

  const changed = changedFiles(repository, base);
  const inChange = changesets.filter(({ file }) => changed.includes(`.changeset/${file}`));
  const counting = since === 'main' ? inChange : changesets;
  const covered = new Set(counting.flatMap(({ packages }) => packages));
  // An empty changeset says: this change is nothing that users would notice.
  const excused = inChange.some(({ packages, unreadable }) => packages.length + unreadable.length === 0);

  const touched = [...names].filter(([path]) => changed.some((file) => file.startsWith(`${path}/src/`)));
  const missing = touched
    .filter(([, name]) => !covered.has(name) && !excused)
    .map(([path, name]) => `${path}/src changed since ${since}, but no changeset names ${name}`);
  const verdict = `packages with sources changed since ${since}: ${touched.length}, all with a changeset`;
  return { verdict, problems: [...wrong, ...missing] };
}

/**
 * @param {string} repository
 * @param {string} base
 */
function changedFiles(repository, base) {
  const tracked = git(repository, 'diff', '--name-only', base) ?? '';
  const untracked = git(repository, 'ls-files', '--others', '--exclude-standard') ?? '';
  return `${tracked}\n${untracked}`.split('\n').filter(Boolean);
}

/**
 * @typedef {object} Changeset
 * @property {string} file
 * @property {string[]} packages
 * @property {string[]} unreadable Lines of its head that are not `"package": patch | minor | major`.
 */

/**
 * The changesets that are waiting for the next release.
 * @param {string} folder
 * @returns {Changeset[]}
 */
function readChangesets(folder) {
  const files = existsSync(folder) ? readdirSync(folder) : [];
  return files
    .filter((file) => file.endsWith('.md') && file !== 'README.md')
    .map((file) => {
      const text = readFileSync(join(folder, file), 'utf8');
      const head = /^---\r?\n([\s\S]*?)---/.exec(text)?.[1] ?? text;
      const lines = head.split(/\r?\n/).filter((line) => line.trim() !== '');
      const name = (/** @type {string} */ line) =>
        /^["']?([^"':\s]+)["']?\s*:\s*(patch|minor|major)\s*$/.exec(line)?.[1];
      return {
        file,
        packages: lines.flatMap((line) => name(line) ?? []),
        unreadable: lines.filter((line) => !name(line)),
      };
    });
}

/**
 * @param {Changeset} changeset
 * @param {string[]} known
 */
function changesetProblems({ file, packages, unreadable }, known) {
  return [
    ...unreadable.map(
      (line) => `.changeset/${file}: "${line}" is not of the form "package": patch | minor | major`,
    ),
    ...packages
      .filter((name) => !known.includes(name))
      .map((name) => `.changeset/${file} names ${name}, which is not a package of this workspace`),
  ];
}
