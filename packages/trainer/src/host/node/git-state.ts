import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { GitState } from '../contract.js';

const known = new Map<string, GitState>();

/**
 * As it was when this process first asked: its code was loaded then, and is what runs, whatever happens to the repository later.
 * Starting a process takes a large program about 50 ms: later runs of the same program do not wait for it again.
 */
export function loadedGitState(folder: string): GitState {
  const state = known.get(folder) ?? readGitState(folder);
  known.set(folder, state);
  return state;
}

/** The commit of the repository that holds the folder. One process tells all, because a run waits for it. */
export function readGitState(folder: string): GitState {
  if (!isBelowGit(folder)) return { commit: 'not a git repository', dirty: null, diff: null };
  try {
    // Untracked files do not count: the runs folder itself may be one.
    const lines = git(folder, 'status', '--porcelain=v2', '--branch', '--untracked-files=no').split('\n');
    const commit = lines.map((line) => /^# branch\.oid ([0-9a-f]+)$/.exec(line)?.[1]).find(Boolean);
    if (commit === undefined) return { commit: 'no commit yet', dirty: null, diff: null };
    const dirty = lines.some((line) => !line.startsWith('#'));
    return { commit, dirty, diff: dirty ? diffHash(folder) : null };
  } catch (error) {
    return { commit: headOf(folder) ?? reasonOf(error as ExecFailure), dirty: null, diff: null };
  }
}

/** A second process, but only where something was changed. */
function diffHash(folder: string): string | null {
  try {
    const diff = git(folder, 'diff', 'HEAD', '--binary', '--no-color', '--no-ext-diff', '--no-textconv');
    return createHash('sha256').update(diff).digest('hex');
  } catch {
    return null; // too large, or too slow
  }
}

/** Whether it is worth starting git, which has the last word and takes the time of a process. */
function isBelowGit(folder: string): boolean {
  if (!existsSync(folder)) return true; // git says what is wrong with it
  for (let at = realpathSync(folder); ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return true;
    if (at === dirname(at)) return false;
  }
}

/** The commit of a repository whose files git cannot compare with it. */
function headOf(folder: string): string | undefined {
  try {
    return git(folder, 'rev-parse', '--verify', 'HEAD');
  } catch {
    return undefined;
  }
}

interface ExecFailure {
  code?: string;
  stderr?: string;
  message: string;
}

function reasonOf({ code, stderr = '', message }: ExecFailure): string {
  if (code === 'ENOENT') return 'git is not installed';
  if (/not a git repository/.test(stderr)) return 'not a git repository';
  return `unknown: ${(stderr || message).trim().split('\n')[0]}`;
}

function git(folder: string, ...args: string[]): string {
  // `-C` rather than `cwd`, with which a folder that does not exist looks like a git that does not. No monitor
  // program that the repository may name is started, and no lock is taken.
  const output = execFileSync('git', ['-C', folder, '-c', 'core.fsmonitor=false', ...args], {
    encoding: 'utf8',
    env: { ...withoutRepository(process.env), GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 5000,
    maxBuffer: 64 * 2 ** 20,
  });
  return output.trim();
}

// Inside a git hook these name the repository of that hook.
function withoutRepository(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { GIT_DIR, GIT_WORK_TREE, GIT_INDEX_FILE, ...rest } = env;
  return rest;
}
