import type { HookContext } from '@hookline/hook-api';
import { messageOf } from '@hookline/hook-api/helpers';
import { dirname, join, resolve } from '@hookline/host';
import type { FolderLock } from '@hookline/safetensors/node';
import { readEntry } from '../folder/checkpoint-folder.js';
import { lockCheckpoints } from '../folder/folder-lock.js';
import { folderNameOf } from '../folder/folder-name.js';
import type { CheckpointRules } from '../options.js';
import { earlierFolders } from './earlier-folders.js';
import { type Check, type Found, findCheckpoint } from './find-checkpoint.js';

/** Where a run comes from, and so where it saves to. */
export class Origin {
  /** What the run resumed from. */
  resumedFrom: string | undefined;
  /** The id of the run that began it, which this one continues. */
  lineage: string;
  /** On the folder of a run that may be continued. */
  #claimed: FolderLock | undefined;
  #dir: string | undefined;

  constructor(
    private readonly ctx: HookContext,
    private readonly rules: CheckpointRules,
  ) {
    this.lineage = ctx.run.id;
    // A trainer that must not write, or cannot, has no folder for the run.
    const own = ctx.run.dir === undefined ? undefined : join(ctx.run.dir, folderNameOf(ctx.hook));
    this.#dir = rules.dir === undefined ? own : resolve(rules.dir);
  }

  /** The folder to save to; undefined when nothing is to be written. */
  get dir(): string | undefined {
    return this.#dir;
  }

  /** The folders that the run which was resumed may have saved to with this hook. */
  get earlierDirs(): string[] {
    if (this.resumedFrom === undefined) return [];
    const folder = resolve(dirname(this.resumedFrom));
    const own = this.rules.dir === undefined ? this.#siblingOf(folder) : resolve(this.rules.dir);
    // Another checkpoint hook of that run may have saved what was resumed: then its own folder comes first.
    return [...new Set([...(own === undefined ? [] : [own]), folder])];
  }

  find(which: string, check?: Check): Promise<Found | undefined> {
    return findCheckpoint(which, this.ctx, this.rules, {
      claim: (dir) => this.#claim(dir),
      check,
      folders: earlierFolders,
    });
  }

  /** `resume: 'auto'` continues a run in its folder; any other checkpoint starts a new run in a new one. */
  async resumed(which: string, path: string): Promise<void> {
    this.resumedFrom = path;
    const folder = resolve(dirname(path));
    const continues = which === 'auto';
    if (continues && this.rules.dir === undefined && this.#dir !== undefined) {
      this.#dir = this.#siblingOf(folder) ?? this.#dir;
    }
    if (!continues && folder !== this.#dir) return;
    const entry = await readEntry(path);
    if (entry) this.lineage = entry.lineage;
  }

  /** The lock on the folder to save to, if it was taken already. */
  async takeLock(): Promise<FolderLock | undefined> {
    const lock = this.#claimed;
    this.#claimed = undefined;
    if (lock?.folder === this.#dir) return lock;
    await lock?.release();
    return undefined;
  }

  async #claim(dir: string): Promise<string | undefined> {
    if (this.#dir === undefined) return undefined;
    await this.#claimed?.release();
    this.#claimed = undefined;
    try {
      this.#claimed = await lockCheckpoints(dir);
      return undefined;
    } catch (error) {
      return messageOf(error);
    }
  }

  /** The folder of this hook in the run that the other folder belongs to; undefined when that is not a run's folder. */
  #siblingOf(folder: string): string | undefined {
    const runDir = dirname(folder);
    const isOfRun = dirname(runDir) === resolve(this.ctx.run.runsDir);
    return isOfRun ? join(runDir, folderNameOf(this.ctx.hook)) : undefined;
  }
}
