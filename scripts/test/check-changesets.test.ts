import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { judgeChangesets } from '../check-changesets.mjs';

const hasGit = spawnSync('git', ['--version']).status === 0;

const missing = ['packages/tap/src changed since main, but no changeset names @x/tap'];

let repository: string;
beforeEach(() => {
  repository = mkdtempSync(join(tmpdir(), 'hookline-changesets-'));
  write('pnpm-workspace.yaml', 'packages:\n  - packages/*\n');
  write('packages/tap/package.json', '{ "name": "@x/tap" }');
  write('packages/tap/src/index.ts', 'export {};\n');
});
afterEach(() => rmSync(repository, { recursive: true }));

describe('a change on a branch', () => {
  beforeEach(() => {
    git('init', '--quiet', '--initial-branch=main');
    commit();
    git('checkout', '--quiet', '-b', 'feature');
  });

  itWithGit('is refused when it touches the sources of a package and has no changeset', () => {
    write('packages/tap/src/index.ts', 'export const a = 1;\n');
    commit();
    expect(judgeChangesets(repository).problems).toEqual(missing);
  });

  itWithGit('is refused before it is committed', () => {
    write('packages/tap/src/new.ts', 'export const a = 1;\n');
    expect(judgeChangesets(repository).problems).toEqual([
      'packages/tap/src changed since the last commit, but no changeset names @x/tap',
    ]);
  });

  itWithGit('is accepted with a changeset that names the package', () => {
    write('packages/tap/src/index.ts', 'export const a = 1;\n');
    commit();
    write('.changeset/one.md', '---\n"@x/tap": minor\n---\n\nTap taps.\n');
    commit();
    expect(judgeChangesets(repository).problems).toEqual([]);
  });

  itWithGit('is accepted with an empty changeset', () => {
    write('packages/tap/src/index.ts', 'export const a = 1;\n');
    write('.changeset/none.md', '---\n---\n');
    commit();
    expect(judgeChangesets(repository).problems).toEqual([]);
  });

  itWithGit('needs no changeset for tests and documentation', () => {
    write('packages/tap/test/a.test.ts', 'export {};\n');
    write('packages/tap/README.md', 'Tap.\n');
    commit();
    expect(judgeChangesets(repository).problems).toEqual([]);
  });

  itWithGit('is not covered by a changeset that was on main already', () => {
    git('checkout', '--quiet', 'main');
    write('.changeset/old.md', '---\n"@x/tap": minor\n---\n');
    commit();
    git('checkout', '--quiet', '-b', 'later');
    write('packages/tap/src/index.ts', 'export const a = 2;\n');
    commit();
    expect(judgeChangesets(repository).problems).toEqual(missing);
  });

  itWithGit('is refused when its changeset names no package of the workspace or no kind of release', () => {
    write('.changeset/typo.md', '---\n"@x/tab": minor\n"@x/tap": huge\n---\n');
    expect(judgeChangesets(repository).problems).toEqual([
      '.changeset/typo.md: ""@x/tap": huge" is not of the form "package": patch | minor | major',
      '.changeset/typo.md names @x/tab, which is not a package of this workspace',
    ]);
  });
});

describe('a commit on main', () => {
  beforeEach(() => {
    git('init', '--quiet', '--initial-branch=main');
    commit();
    write('packages/tap/src/index.ts', 'export const a = 1;\n');
  });

  itWithGit('is refused without a changeset', () => {
    commit();
    expect(judgeChangesets(repository).problems).toEqual([
      'packages/tap/src changed since the commit before, but no changeset names @x/tap',
    ]);
  });

  itWithGit('is accepted while an earlier changeset for the package waits for its release', () => {
    write('.changeset/one.md', '---\n"@x/tap": minor\n---\n');
    commit();
    write('packages/tap/src/index.ts', 'export const a = 2;\n');
    commit();
    expect(judgeChangesets(repository).problems).toEqual([]);
  });

  itWithGit('is not covered by an empty changeset of an earlier commit', () => {
    write('.changeset/none.md', '---\n---\n');
    commit();
    write('packages/tap/src/index.ts', 'export const a = 2;\n');
    commit();
    expect(judgeChangesets(repository).problems).toHaveLength(1);
  });

  itWithGit('cannot be judged in a shallow clone, and that is said', () => {
    commit();
    const clone = join(repository, 'clone');
    git('clone', '--quiet', '--depth', '1', `file://${repository}`, clone);
    expect(judgeChangesets(clone)).toEqual({
      verdict: expect.stringContaining('the change cannot be judged: there is no earlier commit'),
      problems: [],
    });
  });
});

itWithGit('cannot be judged outside of git, and that is said', () => {
  expect(judgeChangesets(repository)).toEqual({
    verdict: 'the change cannot be judged: this is not a git repository with a commit',
    problems: [],
  });
});

/** On a machine without git nothing can be judged; then each of these checks that this is said. */
function itWithGit(promise: string, body: () => void): void {
  const verdict = 'the change cannot be judged: git is not installed';
  it(promise, hasGit ? body : () => expect(judgeChangesets(repository).verdict).toBe(verdict));
}

function write(file: string, text: string): void {
  mkdirSync(dirname(join(repository, file)), { recursive: true });
  writeFileSync(join(repository, file), text);
}

function commit(): void {
  git('add', '--all');
  git(
    '-c',
    'user.name=Test',
    '-c',
    'user.email=test@example.com',
    'commit',
    '--quiet',
    '--message',
    'change',
  );
}

function git(...args: string[]): void {
  if (hasGit) execFileSync('git', args, { cwd: repository, stdio: 'pipe' });
}
