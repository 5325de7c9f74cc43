import { findBase, git } from './git.mjs';
import { root } from './process.mjs';

const longest = 72;

/** Fails when a commit of this change has a subject that is cut off in the lists of git and of code hosts. */
export async function checkCommits() {
  const { verdict, problems } = judgeCommits(root);
  if (problems.length > 0) {
    throw new Error(
      `\n  ${problems.join('\n  ')}\nShorten them with: git rebase --interactive, then "reword"`,
    );
  }
  console.log(verdict);
}

/**
 * Looks only at the commits of the change: what is on main already cannot be reworded any more.
 * @param {string} repository
 * @returns {{ verdict: string, problems: string[] }}
 */
export function judgeCommits(repository) {
  const { base, since, reason } = findBase(repository);
  if (!base) return { verdict: `the commits cannot be judged: ${reason}`, problems: [] };

  const log = git(repository, 'log', '--no-merges', '--format=%h %s', `${base}..HEAD`) ?? '';
  const commits = log
    .split('\n')
    .filter(Boolean)
    .map((line) => ({ hash: line.slice(0, line.indexOf(' ')), subject: line.slice(line.indexOf(' ') + 1) }));
  const problems = commits
    .filter(({ subject }) => [...subject].length > longest)
    .map(({ hash, subject }) => {
      const length = [...subject].length;
      return `commit ${hash} has a subject of ${length} characters; the limit is ${longest}: ${subject}`;
    });
  return { verdict: `commits since ${since}: ${commits.length}, all with a short subject`, problems };
}
