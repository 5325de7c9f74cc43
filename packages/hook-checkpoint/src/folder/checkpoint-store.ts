import type { HookLogger } from '@hookline/hook-api';
import { messageOf } from '@hookline/hook-api/helpers';
import { join, mkdir, readdir } from '@hookline/host';
import { type FolderLock, removeFolder, removeStaleTemps } from '@hookline/safetensors/node';
import type { MonitorRule } from '../rank/monitor-options.js';
import { ranked } from '../rank/ranking.js';
import { expendable } from '../rank/rotation.js';
import type { CheckpointWriter } from '../save/checkpoint-writer.js';
import type { SaveJob } from '../save/save-job.js';
import { failureOf, type SaveOutcome } from '../save/save-outcome.js';
import { type Entry, entryOf, listCheckpoints, pointTo } from './checkpoint-folder.js';
import { lockCheckpoints } from './folder-lock.js';
import { probe } from './preflight.js';
import { unmarkEnd } from './run-end.js';

export interface StoreOptions {
  readonly dir: string;
  readonly monitors: readonly MonitorRule[];
  readonly lineage: string;
  /** Where the run began: never removed. */
  readonly resumedFrom: string | undefined;
  /** The best so far that lie in other folders: ranked with the others, never removed. */
  readonly elsewhere: readonly Entry[];
  /** The lock on the folder, if it was taken before. */
  readonly lock: FolderLock | undefined;
  readonly writer: CheckpointWriter;
  readonly logger: HookLogger;
}

/** The folder of checkpoints that a run writes to. It is locked until it is closed. */
export class CheckpointStore {
  #entries: Entry[] = [];
  /** Names in the folder, and those that were given away: nothing is overwritten. */
  #taken = new Set<string>();
  /** What the pointers name, as far as this run has moved them. */
  #pointers = new Map<string, string>();
  #lock: FolderLock | undefined;

  private constructor(private readonly options: StoreOptions) {
    this.#lock = options.lock;
  }

  /** Tries the folder, locks it against other runs and clears what killed ones left half-written. */
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

  /** A path that is free: a second checkpoint of the same name gets a number. Answered without reading the disk. */
  freePath(name: string): string {
    let free = name;
    for (let version = 1; this.#taken.has(free); version++) free = `${name}-v${version}`;
    this.#taken.add(free);
    return join(this.dir, free);
  }

  /** Writes a checkpoint; once it is complete, the pointers move and older ones are removed. Never throws. */
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
    logger.warn(`The folder ${dir} was removed while the run was using it. It was created again.`);
  }

  /** Once a checkpoint is complete: moves the pointers, and removes what is not needed any more. */
  async #follow(target: string): Promise<void> {
    const { dir, monitors, lineage, resumedFrom, elsewhere, logger } = this.options;
    try {
      // Somebody may have removed some of them.
      const names = new Set(await readdir(dir));
      this.#entries = this.#entries.filter(({ name }) => names.has(name));
      this.#taken = names;
      await pointTo(dir, 'last', target);
      await this.#pointToBest(names);
      // The pointers first: at no moment does one name a checkpoint that is gone.
      const keep = [target, ...this.#pointers.values(), resumedFrom, ...elsewhere.map(({ path }) => path)];
      for (const entry of expendable(this.#entries, { monitors, lineage, keep })) {
        this.#entries = this.#entries.filter((each) => each !== entry);
        await removeFolder(entry.path);
      }
    } catch (error) {
      logger.warn(
        `The checkpoint ${target} is complete, but updating the pointers or removing older ones failed: ` +
          messageOf(error),
      );
    }
  }

  async #pointToBest(names: ReadonlySet<string>): Promise<void> {
    const { rivals } = this;
    for (const rule of this.options.monitors) {
      const { pointer } = rule;
      const [best] = ranked(rivals, rule);
      const isMoved = best?.path !== this.#pointers.get(pointer) || !names.has(`${pointer}.json`);
      if (!best) this.#pointers.delete(pointer);
      else if (isMoved) await pointTo(this.dir, pointer, best.path);
      if (best) this.#pointers.set(pointer, best.path);
    }
  }
}
