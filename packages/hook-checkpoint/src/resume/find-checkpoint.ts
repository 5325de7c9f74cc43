import type {
  CheckpointProvider,
  CheckpointRef,
  HookContext,
  HookLogger,
  Snapshot,
} from '@hookline/hook-api';
import { messageOf } from '@hookline/hook-api/helpers';
import { basename, join, readdir, resolve } from '@hookline/host';
import { listCheckpoints, pointed, readEntry } from '../folder/checkpoint-folder.js';
import { DEFAULT_FOLDER, folderNameOf } from '../folder/folder-name.js';
import { endOf } from '../folder/run-end.js';
import { readSnapshot } from '../format/read-snapshot.js';
import { STATE_FILE } from '../format/snapshot-files.js';
import type { CheckpointRules } from '../options.js';
import { ranked } from '../rank/ranking.js';

/** A checkpoint that could be read, and what it holds: nothing is read twice. */
export interface Found extends CheckpointRef {
  readonly snapshot: Snapshot;
}

/** Locks a folder that the run would go on writing to; returns the reason when that is not possible. */
export type Claim = (dir: string) => Promise<string | undefined>;

export interface FindOptions {
  readonly claim?: Claim;
  readonly check: Check | undefined;
  /** Where to look for `auto`, `best` and `last` when the hook has no `dir`. */
  readonly folders: (ctx: HookContext) => Promise<string[]>;
}

/** Throws when a snapshot is not what the trainer can use; the trainer gives it. */
export type Check = NonNullable<Parameters<CheckpointProvider['find']>[1]>;

/**
 * The checkpoint that `resume` asks for. Damaged ones are skipped with a warning; one that was named by its path must
 * be good.
 */
export async function findCheckpoint(
  which: string,
  ctx: HookContext,
  rules: CheckpointRules,
  { claim, check, folders }: FindOptions,
): Promise<Found | undefined> {
  const isNewest = which === 'auto' || which === 'last';
  if (!isNewest && which !== 'best') {
    const found = await byPath(which, ctx, rules, check);
    if (found || !which.startsWith('best-')) return found;
  }
  const dirs = rules.dir === undefined ? await folders(ctx) : [resolve(rules.dir)];
  for (const dir of dirs) {
    const problem = which === 'auto' && rules.dir === undefined ? await claim?.(dir) : undefined;
    if (problem !== undefined) {
      ctx.logger.warn(`Skipped the checkpoints in ${dir}: ${problem}`);
      continue;
    }
    const found = await (isNewest ? newestIn(dir, ctx, check) : bestIn(dir, which, ctx, rules, check));
    if (found) return found;
  }
  return undefined;
}

async function byPath(
  which: string,
  ctx: HookContext,
  rules: CheckpointRules,
  check: Check | undefined,
): Promise<Found | undefined> {
  const places = [resolve(which), ...(rules.dir === undefined ? [] : [resolve(rules.dir, which)])];
  for (const path of places) {
    const names = await readdir(path).catch(() => undefined);
    if (!names) continue;
    if (names.includes('manifest.json')) return read(path, check);
    // The folder of a run, or one of checkpoints. The run first: in its folder, that of its checkpoints looks damaged.
    for (const dir of new Set([join(path, folderNameOf(ctx.hook)), join(path, DEFAULT_FOLDER), path])) {
      const found = await newestIn(dir, ctx, check);
      if (found) return found;
    }
  }
  return undefined;
}

async function newestIn(
  dir: string,
  { logger }: HookContext,
  check: Check | undefined,
): Promise<Found | undefined> {
  const { entries, damaged } = await listCheckpoints(dir);
  for (const { path, reason } of damaged) warnOfSkipped(logger, path, reason);
  const paths = entries.map(({ path }) => path);
  const found = await firstGood(paths, logger, check);
  const ended = found && (await endOf(dir, basename(found.path)));
  return found && { ...found, ...(ended && { ended }) };
}

/** What the pointer names, or else the best by the same metric of those that are left. */
async function bestIn(
  dir: string,
  pointer: string,
  { logger }: HookContext,
  { monitors }: CheckpointRules,
  check: Check | undefined,
): Promise<Found | undefined> {
  const { entries } = await listCheckpoints(dir);
  const named = await pointed(dir, pointer);
  const rule = monitors.find((each) => each.pointer === pointer);
  const others = rule ? ranked(entries, rule).map(({ path }) => path) : [];
  const paths = new Set([...(named === undefined ? [] : [named]), ...others]);
  return firstGood([...paths], logger, check);
}

async function firstGood(
  paths: readonly string[],
  logger: HookLogger,
  check: Check | undefined,
): Promise<Found | undefined> {
  for (const path of paths) {
    try {
      return await read(path, check);
    } catch (error) {
      warnOfSkipped(logger, path, messageOf(error));
    }
  }
  return undefined;
}

async function read(path: string, check: Check | undefined): Promise<Found> {
  const snapshot = await readSnapshot(path);
  check?.(snapshot, join(path, STATE_FILE));
  const run = (await readEntry(path))?.info.run;
  return { path, snapshot, ...(run !== undefined && { run }) };
}

function warnOfSkipped(logger: HookLogger, path: string, reason: string): void {
  logger.warn({ path, reason }, `Skipped the checkpoint ${path}: ${reason}`);
}
