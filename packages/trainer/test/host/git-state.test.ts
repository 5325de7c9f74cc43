import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { loadedGitState, readGitState } from '../../src/host/node/git-state.js';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'hookline-git-')));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

/** Out of reach of the repository that these tests may themselves be run by a git hook of. */
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')));

function git(...args: string[]): string {
  const identity = ['-c', 'user.name=Someone', '-c', 'user.email=someone@example.com'];
  return execFileSync('git', ['-C', folder, ...identity, ...args], {
    encoding: 'utf8',
    env,
    stdio: 'pipe',
  }).trim();
}

function commitAll(): string {
  git('add', '.');
  git('commit', '-q', '-m', 'work');
  return git('rev-parse', 'HEAD');
}

describe('the git state of a project', () => {
  it('is the commit, clean until a tracked file changes; new files such as runs/ do not count', () => {
    git('init', '-q');
    writeFileSync(join(folder, 'a.txt'), '1');
    const commit = commitAll();
    mkdirSync(join(folder, 'runs'));
    writeFileSync(join(folder, 'runs/run.json'), '{}');
    expect(readGitState(join(folder, 'runs'))).toEqual({ commit, dirty: false, diff: null });
    writeFileSync(join(folder, 'a.txt'), '2');
    const { diff } = readGitState(folder);
    expect(readGitState(folder)).toEqual({
      commit,
      dirty: true,
      diff: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    writeFileSync(join(folder, 'a.txt'), '3');
    expect(readGitState(folder).diff).not.toBe(diff);
    writeFileSync(join(folder, 'a.txt'), '2');
    expect(readGitState(folder).diff).toBe(diff);
  });

  it('of a run is that of the code the process has loaded, however the repository continues', () => {
    git('init', '-q');
    writeFileSync(join(folder, 'a.txt'), '1');
    const commit = commitAll();
    expect(loadedGitState(folder)).toEqual({ commit, dirty: false, diff: null });
    writeFileSync(join(folder, 'a.txt'), '2');
    expect(loadedGitState(folder)).toEqual({ commit, dirty: false, diff: null });
  });

  it('says so where there is no repository, no commit, no folder', () => {
    expect(readGitState(folder)).toEqual({ commit: 'not a git repository', dirty: null, diff: null });
    git('init', '-q');
    expect(readGitState(folder)).toEqual({ commit: 'no commit yet', dirty: null, diff: null });
    expect(readGitState(join(folder, 'missing')).commit).toMatch(/^unknown: .*missing/);
  });

  it('says so where git is not installed, which it looks for only in a repository', () => {
    vi.stubEnv('PATH', folder);
    expect(readGitState(folder)).toEqual({ commit: 'not a git repository', dirty: null, diff: null });
    mkdirSync(join(folder, '.git'));
    expect(readGitState(folder)).toEqual({ commit: 'git is not installed', dirty: null, diff: null });
  });

  it('is that of the project also inside a git hook of another repository', () => {
    const project = join(folder, '..', `${basename(folder)}-project`);
    mkdirSync(project);
    git('init', '-q');
    writeFileSync(join(folder, 'a.txt'), '1');
    commitAll();
    vi.stubEnv('GIT_DIR', join(folder, '.git'));
    const state = readGitState(project);
    rmSync(project, { recursive: true });
    expect(state.commit).toBe('not a git repository');
  });
});
