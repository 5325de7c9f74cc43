import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { CheckpointRef, HookContext, Snapshot } from '@hookline/hook-api';
import { messageOf } from '@hookline/hook-api/helpers';
import type { FolderLock } from '@hookline/safetensors/node';
import { readEntry } from './checkpoint-folder.js';
import { lockCheckpoints } from './checkpoint-store.js';
import { DEFAULT_FOLDER, type Found, findCheckpoint } from './find-checkpoint.js';
import type { CheckpointRules } from './options.js';
import { readSnapshot } from './read-snapshot.js';

/** Where a run comes from, and so where it saves to. */
export class Origin {
  /** What the run resumed from. */
  resumedFrom: string | undefined;
  /** The run that began it, which this one carries on. */
  lineage: string;
  #found: Found | undefined;
  /** Of the folder that a run to be continued saved to. */
  #claimed: FolderLock | undefined;
  #dir: string | undefined;

  constructor(
    private readonly ctx: HookContext,
    private readonly rules: CheckpointRules,
  ) {
    this.lineage = ctx.run.id;
    // A trainer that was told to write nothing, or cannot, has no folder of its own.
    const own = existsSync(ctx.run.dir) ? join(ctx.run.dir, DEFAULT_FOLDER) : undefined;
    this.#dir = rules.dir === undefined ? own : resolve(rules.dir);
  }

  /** The folder to save to; undefined when nothing is to be written. */
  get dir(): string | undefined {
    return this.#dir;
  }

  async find(which: string): Promise<CheckpointRef | undefined> {
    this.#found = await findCheckpoint(which, this.ctx, this.rules, (dir) => this.#claim(dir));
    if (!this.#found) return undefined;
    const { snapshot: _, ...checkpoint } = this.#found;
    return checkpoint;
  }

  async load({ path }: CheckpointRef): Promise<Snapshot> {
    const found = this.#found;
    // Held no longer than needed: it is as large as the state of the run.
    this.#found = undefined;
    return found?.path === path ? found.snapshot : readSnapshot(path);
  }

  /** `resume: 'auto'` continues a run, and so goes on in its folder; a checkpoint from elsewhere only begins one. */
  async resumed(which: string, path: string): Promise<void> {
    this.resumedFrom = path;
    const folder = resolve(dirname(path));
    if (which === 'auto' && this.rules.dir === undefined && this.#dir !== undefined) this.#dir = folder;
    if (folder !== this.#dir) return;
    const entry = await readEntry(path);
    if (entry) this.lineage = entry.lineage;
  }

  /** The lock on the folder to save to, where it was taken already. */
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
}
