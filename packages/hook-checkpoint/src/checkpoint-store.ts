import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type HookLogger, HooklineError } from '@hookline/hook-api';
import { messageOf } from '@hookline/hook-api/helpers';
import { type FolderLock, lockFolder, removeFolder, removeStaleTemps } from '@hookline/safetensors/node';
import { type Entry, entryOf, listCheckpoints, pointTo } from './checkpoint-folder.js';
import type { CheckpointWriter } from './checkpoint-writer.js';
import type { CheckpointRules } from './options.js';
import { probe } from './preflight.js';
import { ranked } from './ranking.js';
import { expendable } from './rotation.js';
import { unmarkEnd } from './run-end.js';
import type { SaveJob } from './save-job.js';
import { failureOf, type SaveOutcome } from './save-outcome.js';

export interface StoreOptions {
  readonly dir: string;
  readonly rules: CheckpointRules;
  readonly lineage: string;
  /** Where the run began: never removed. */
  readonly resumedFrom: string | undefined;
  /** The best so far when it lies in another folder: ranked with the others, never removed. */
  readonly elsewhere: readonly Entry[];
  /** On the folder, where it was taken before. */
  readonly lock: FolderLock | undefined;
  readonly writer: CheckpointWriter;
  readonly logger: HookLogger;
}

/** The folder of checkpoints that a run writes to, its own until it is closed. */
export class CheckpointStore {
  #entries: Entry[] = [];
  /** Names in the folder, and those that were tried: whatever lies there is not overwritten. */
  #taken = new Set<string>();
  /** What the pointer names, as far as this run has moved it. */
  #best: string | undefined;
  #lock: FolderLock | undefined;

  private constructor(private readonly options: StoreOptions) {
    this.#lock = options.lock;
  }

  /** Tries the folder, locks it against other runs and clears what killed ones left in the making. */
  static async open(options: StoreOptions): Promise<CheckpointStore> {
    const { dir, logger } = options;
    const store = new CheckpointStore(options);
    try {
      await probe(dir);
      store.#lock ??= await lockCheckpoints(dir);
      const removed = await removeStaleTemps(dir, { lock: store.#lock });
      if (removed.length > 0)
        logger.info({ removed }, `Cleared ${removed.length} unfinished checkpoints in ${dir}.`);
      store.#entries = [...(await listCheckpoints(dir)).entries];
      store.#taken = new Set(await readdir(dir));
      await unmarkEnd(dir);
      return store;
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  get dir(): string {
    return this.options.dir;
  }

  /** What a new checkpoint is ranked against. */
  get rivals(): readonly Entry[] {
    const own = this.#entries.filter(({ lineage }) => lineage === this.options.lineage);
    return [...own, ...this.options.elsewhere];
  }

  get newest(): Entry | undefined {
    return this.#entries.find(({ lineage }) => lineage === this.options.lineage);
  }

  get nextSequence(): number {
    return 1 + Math.max(0, ...this.#entries.map(({ sequence }) => sequence));
  }

  /** A path that is free: a second checkpoint of the same name gets a number. Known without asking the disk. */
  freePath(name: string): string {
    let free = name;
    for (let version = 1; this.#taken.has(free); version++) free = `${name}-v${version}`;
    this.#taken.add(free);
    return join(this.dir, free);
  }

  /** Writes a checkpoint; when it stands, the pointers move and older ones go. Never throws. */
  async add(job: SaveJob): Promise<SaveOutcome> {
    try {
      await this.#makeSure();
    } catch (error) {
      return { ok: false, failure: failureOf(error) };
    }
    const outcome = await this.options.writer.write(job);
    if (outcome.ok) {
      this.#entries.unshift(entryOf(job.target, job.info));
      await this.#follow(job.target);
    }
    return outcome;
  }

  async close(): Promise<void> {
    await this.#lock?.release().catch(() => {});
    this.#lock = undefined;
  }

  /** The folder may have been removed, and the lock in it. */
  async #makeSure(): Promise<void> {
    const { dir, logger } = this.options;
    if (await this.#lock?.isHeld()) return;
    await mkdir(dir, { recursive: true });
    await this.close();
    this.#lock = await lockCheckpoints(dir);
    logger.warn(`The folder ${dir} was removed while the run was using it. It goes on in a new one.`);
  }

  async #follow(target: string): Promise<void> {
    const { dir, rules, lineage, resumedFrom, elsewhere, logger } = this.options;
    try {
      // Somebody may have removed some of them.
      const names = new Set(await readdir(dir));
      this.#entries = this.#entries.filter(({ name }) => names.has(name));
      this.#taken = names;
      await pointTo(dir, 'last', target);
      const best = ranked(this.rivals, rules)[0];
      if (best && (best.path !== this.#best || !names.has('best.json')))
        await pointTo(dir, 'best', best.path);
      this.#best = best?.path;
      const keep = [target, best?.path, resumedFrom, ...elsewhere.map(({ path }) => path)];
      for (const entry of expendable(this.#entries, { ...rules, lineage, keep })) {
        this.#entries = this.#entries.filter((each) => each !== entry);
        await removeFolder(entry.path);
      }
    } catch (error) {
      logger.warn(`The checkpoint ${target} stands, but what follows it failed: ${messageOf(error)}`);
    }
  }
}

/** One run at a time: two would remove each other's checkpoints. */
export async function lockCheckpoints(dir: string): Promise<FolderLock> {
  try {
    return await lockFolder(dir);
  } catch (cause) {
    if (Object(cause).code !== 'LOCKED') throw cause;
    const message = `Another run saves its checkpoints there: ${messageOf(cause)} "dir" names another folder.`;
    throw new HooklineError('CHECKPOINT_FOLDER', message, { cause });
  }
}
