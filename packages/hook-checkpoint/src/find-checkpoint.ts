import { readdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { CheckpointRef, HookContext, HookLogger, Snapshot } from '@hookline/hook-api';
import { messageOf } from '@hookline/hook-api/helpers';
import { type Entry, listCheckpoints, pointed } from './checkpoint-folder.js';
import type { CheckpointRules } from './options.js';
import { ranked } from './ranking.js';
import { readSnapshot } from './read-snapshot.js';
import { endOf } from './run-end.js';

export const DEFAULT_FOLDER = 'checkpoints';

/** A checkpoint that could be read, and what it holds: nothing is read twice. */
export interface Found extends CheckpointRef {
  readonly snapshot: Snapshot;
}

/** Takes a folder that the run would go on writing to; says why when it cannot be taken. */
export type Claim = (dir: string) => Promise<string | undefined>;

/**
 * The checkpoint that `resume` asks for. Those that are damaged are passed over, and said to be; one that was named by
 * its path must be good.
 */
export async function findCheckpoint(
  which: string,
  ctx: HookContext,
  rules: CheckpointRules,
  claim: Claim,
): Promise<Found | undefined> {
  if (which !== 'auto' && which !== 'last' && which !== 'best') return byPath(which, ctx, rules);
  const dirs = rules.dir === undefined ? await earlierFolders(ctx) : [resolve(rules.dir)];
  for (const dir of dirs) {
    const problem = which === 'auto' && rules.dir === undefined ? await claim(dir) : undefined;
    if (problem !== undefined) {
      ctx.logger.warn(`Passed over the checkpoints in ${dir}: ${problem}`);
      continue;
    }
    const found = await (which === 'best' ? bestIn(dir, ctx, rules) : newestIn(dir, ctx));
    if (found) return found;
  }
  return undefined;
}

async function byPath(which: string, ctx: HookContext, rules: CheckpointRules): Promise<Found | undefined> {
  const places = [resolve(which), ...(rules.dir === undefined ? [] : [resolve(rules.dir, which)])];
  for (const path of places) {
    const names = await readdir(path).catch(() => undefined);
    if (!names) continue;
    if (names.includes('manifest.json')) return { path, snapshot: await readSnapshot(path) };
    // A folder of checkpoints, or of a run.
    const found = (await newestIn(path, ctx)) ?? (await newestIn(join(path, DEFAULT_FOLDER), ctx));
    if (found) return found;
  }
  return undefined;
}

async function newestIn(dir: string, ctx: HookContext): Promise<Found | undefined> {
  const { entries, damaged } = await listCheckpoints(dir);
  for (const { path, reason } of damaged) passOver(ctx.logger, path, reason);
  const found = await firstGood(
    entries.map(({ path }) => path),
    ctx.logger,
  );
  const ended = found && (await endOf(dir, basename(found.path)));
  return found && { ...found, ...(ended && { ended }) };
}

/** What the pointer names, or else the best of those that stand. */
async function bestIn(dir: string, ctx: HookContext, rules: CheckpointRules): Promise<Found | undefined> {
  const { entries } = await listCheckpoints(dir);
  const named = await pointed(dir, 'best');
  const paths = new Set([
    ...(named === undefined ? [] : [named]),
    ...ranked(entries, rules).map(({ path }) => path),
  ]);
  return firstGood([...paths], ctx.logger);
}

async function firstGood(paths: readonly string[], logger: HookLogger): Promise<Found | undefined> {
  for (const path of paths) {
    try {
      return { path, snapshot: await readSnapshot(path) };
    } catch (error) {
      passOver(logger, path, messageOf(error));
    }
  }
  return undefined;
}

function passOver(logger: HookLogger, path: string, reason: string): void {
  logger.warn({ path, reason }, `Passed over the checkpoint ${path}: ${reason}`);
}

/** The folders of earlier runs that trained the same, the one that was written to last first. */
async function earlierFolders({ run, logger }: HookContext): Promise<string[]> {
  const runsDir = dirname(run.dir);
  const ids = await readdir(runsDir).catch(() => []);
  const folders: { dir: string; newest: Entry }[] = [];
  let others = 0;
  for (const id of ids.filter((each) => each !== run.id)) {
    const dir = join(runsDir, id, DEFAULT_FOLDER);
    const { entries } = await listCheckpoints(dir).catch(() => ({ entries: [] as Entry[] }));
    const newest = entries[0];
    if (newest?.info.experiment === run.experiment) folders.push({ dir, newest });
    else if (newest) others++;
  }
  if (folders.length === 0 && others > 0) {
    logger.info(
      `${others} earlier ${others === 1 ? 'run has' : 'runs have'} checkpoints in ${runsDir}, of another model or ` +
        'other settings. To continue one of them, name its folder: resume: "<folder>".',
    );
  }
  folders.sort((a, b) => (a.newest.info.savedAt < b.newest.info.savedAt ? 1 : -1));
  return folders.map(({ dir }) => dir);
}
