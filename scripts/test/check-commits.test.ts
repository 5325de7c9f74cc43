import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { judgeCommits } from '../check-commits.mjs';

const short = 'x'.repeat(72);
const long = 'x'.repeat(73);

let repository: string;
beforeEach(() => {
  repository = mkdtempSync(join(tmpdir(), 'hookline-commits-'));
});
afterEach(() => rmSync(repository, { recursive: true }));

it('a subject of 72 characters is accepted, one of 73 is refused with its commit', () => {
  git('init', '--quiet', '--initial-branch=main');
  commit('first');
  git('checkout', '--quiet', '-b', 'feature');
  commit(short);
  expect(judgeCommits(repository)).toEqual({
    verdict: 'commits since main: 1, all with a short subject',
    problems: [],
  });
  commit(long);
  expect(judgeCommits(repository).problems).toEqual([
    expect.stringMatching(/^commit [0-9a-f]+ has a subject of 73 characters; the limit is 72: x+$/),
  ]);
});

it('commits that are on main already are not judged', () => {
  git('init', '--quiet', '--initial-branch=main');
  commit(long);
  commit('the newest of main');
  expect(judgeCommits(repository).problems).toEqual([]);
  git('checkout', '--quiet', '-b', 'feature');
  commit('of the branch');
  expect(judgeCommits(repository).problems).toEqual([]);
});

it('a long body and characters outside of ASCII do not count', () => {
  git('init', '--quiet', '--initial-branch=main');
  commit('first');
  git('checkout', '--quiet', '-b', 'feature');
  commit(`${'é'.repeat(72)}\n\n${long}`);
  expect(judgeCommits(repository).problems).toEqual([]);
});

it('outside of git nothing can be judged, and that is said', () => {
  expect(judgeCommits(repository)).toEqual({
    verdict: 'the commits cannot be judged: this is not a git repository with a commit',
    problems: [],
  });
});

function commit(message: string): void {
  const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];
  git(...author, 'commit', '--quiet', '--allow-empty', '--message', message);
}

function git(...args: string[]): void {
  execFileSync('git', args, { cwd: repository, stdio: 'pipe' });
}
