import { execFileSync } from 'node:child_process';

/**
 * The commit that a change began from. On a branch the change is everything since it left main. On main itself, or where
 * main is not known, it is what is not committed yet, or else the last commit.
 * @param {string} repository
 * @returns {{ base?: string, since?: string, reason?: string }} `reason` says why there is no base.
 */
export function findBase(repository) {
  if (git(repository, '--version') === undefined) return { reason: 'git is not installed' };
  const head = git(repository, 'rev-parse', '--verify', 'HEAD');
  if (!head) return { reason: 'this is not a git repository with a commit' };

  for (const main of ['origin/main', 'main']) {
    const fork = git(repository, 'merge-base', 'HEAD', main);
    if (fork && fork !== head) return { base: fork, since: 'main' };
  }
  if (git(repository, 'status', '--porcelain')) return { base: head, since: 'the last commit' };
  const parent = git(repository, 'rev-parse', '--verify', 'HEAD~1');
  if (parent) return { base: parent, since: 'the commit before' };
  return { reason: 'there is no earlier commit to compare with (a shallow clone, or the first commit)' };
}

/**
 * What git prints, or undefined when it fails.
 * @param {string} repository
 * @param {string[]} args
 */
export function git(repository, ...args) {
  try {
    return execFileSync('git', args, {
      cwd: repository,
      stdio: ['ignore', 'pipe', 'ignore'],
      encoding: 'utf8',
    }).trim();
  } catch {
    return undefined;
  }
}
