import { readdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { CheckpointRef, HookContext, HookLogger, Snapshot } from '@hookline/hook-api';
import { messageOf } from '@hookline/hook-api/helpers';
import { listCheckpoints, pointed } from '../folder/checkpoint-folder.js';
import { DEFAULT_FOLDER, folderNameOf } from '../folder/folder-name.js';
import { endOf } from '../folder/run-end.js';
import { readSnapshot } from '../format/read-snapshot.js';
import type { CheckpointRules } from '../options.js';
import { ranked } from '../rank/ranking.js';
import { earlierFolders } from './earlier-folders.js';

/** A checkpoint that could be read, and what it holds: nothing is read twice. */
export interface Found extends CheckpointRef {
  readonly snapshot: Snapshot;
}

/** Locks a folder that the run would go on writing to; returns the reason when that is not possible. */
export type Claim = (dir: string) => Promise<string | undefined>;

/**
 * The checkpoint that `resume` asks for. Damaged ones are skipped with a warning; one that was named by its path must
 * be good.
 */
export async function findCheckpoint(
  which: string,
  ctx: HookContext,
  rules: CheckpointRules,
  claim: Claim,
): Promise<Found | undefined> {
  const isNewest = which === 'auto' || which === 'last';
  if (!isNewest && which !== 'best') {
    const found = await byPath(which, ctx, rules);
    if (found || !which.startsWith('best-')) return found;
  }
  const dirs = rules.dir === undefined ? await earlierFolders(ctx) : [resolve(rules.dir)];
  for (const dir of dirs) {
    const problem = which === 'auto' && rules.dir === undefined ? await claim(dir) : undefined;
    if (problem !== undefined) {
      ctx.logger.warn(`Skipped the checkpoints in ${dir}: ${problem}`);
      continue;
    }
    const found = await (isNewest ? newestIn(dir, ctx) : bestIn(dir, which, ctx, rules));
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
    // A folder of checkpoints, or that of a run.
    for (const dir of new Set([path, join(path, folderNameOf(ctx.hook)), join(path, DEFAULT_FOLDER)])) {
      const found = await newestIn(dir, ctx);
      if (found) return found;
    }
  }
  return undefined;
}

async function newestIn(dir: string, { logger }: HookContext): Promise<Found | undefined> {
  const { entries, damaged } = await listCheckpoints(dir);
  for (const { path, reason } of damaged) warnOfSkipped(logger, path, reason);
  const paths = entries.map(({ path }) => path);
  const found = await firstGood(paths, logger);
  const ended = found && (await endOf(dir, basename(found.path)));
  return found && { ...found, ...(ended && { ended }) };
}

/** What the pointer names, or else the best by the same metric of those that are left. */
async function bestIn(
  dir: string,
  pointer: string,
  { logger }: HookContext,
  { monitors }: CheckpointRules,
): Promise<Found | undefined> {
  const { entries } = await listCheckpoints(dir);
  const named = await pointed(dir, pointer);
  const rule = monitors.find((each) => each.pointer === pointer);
  const others = rule ? ranked(entries, rule).map(({ path }) => path) : [];
  const paths = new Set([...(named === undefined ? [] : [named]), ...others]);
  return firstGood([...paths], logger);
}

async function firstGood(paths: readonly string[], logger: HookLogger): Promise<Found | undefined> {
  for (const path of paths) {
    try {
      return { path, snapshot: await readSnapshot(path) };
    } catch (error) {
      warnOfSkipped(logger, path, messageOf(error));
    }
  }
  return undefined;
}

function warnOfSkipped(logger: HookLogger, path: string, reason: string): void {
  logger.warn({ path, reason }, `Skipped the checkpoint ${path}: ${reason}`);
}
