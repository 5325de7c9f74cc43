import {
  type Fate,
  type FileSystem,
  fateOf,
  fileSystem,
  hostName,
  join,
  ownerName,
  type ProcessMark,
  randomHex,
  sleep,
  thisProcess,
} from '@hookline/host';
import { SafetensorsError } from '../errors.js';
import { type FileSystemOption, failed, isMissing } from './file-system.js';
import { HashedFile } from './hashed-file.js';
import { MARK_PATTERN, markText, parseMark } from './process-mark.js';
import { readText, withFile } from './read-file.js';

export interface LockFolderOptions extends FileSystemOption {
  /** The holder shows this often that it lives, to other machines that cannot see its process. 5 when absent. */
  readonly heartbeatSeconds?: number;
  /** How long a lock of another machine must show nothing until it is taken over. 30 when absent. */
  readonly patienceSeconds?: number;
}

export interface FolderLock {
  readonly folder: string;
  /**
   * False after another machine took it over, because this process did not show for too long that it lives, and when
   * the folder cannot be read.
   */
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const PATTERN = new RegExp(`^\\.lock-${MARK_PATTERN}-[0-9a-f]{12}$`);

/** Two that come at the very same moment both step back; this often they try again. */
const ATTEMPTS = 4;

/**
 * Keeps other processes out of a folder until it is released or this process ends; throws LOCKED when one is in.
 *
 * Each process puts a file of its own there, and only then looks for others: of two that come at once, at least one
 * sees the other. A file that belongs to a process that has ended is removed, and as no two processes share a name,
 * it is never the file of a process that lives. Killed at any moment, a process leaves nothing that stops the next.
 */
export async function lockFolder(
  folder: string,
  { fs = fileSystem, heartbeatSeconds = 5, patienceSeconds = 30 }: LockFolderOptions = {},
): Promise<FolderLock> {
  try {
    for (let attempt = 1; ; attempt++) {
      const lock = await FileLock.create(fs, folder, heartbeatSeconds);
      try {
        await lock.refuseOthers(patienceSeconds);
        return lock;
      } catch (error) {
        await lock.release().catch(() => {});
        if (Object(error).code !== 'LOCKED' || attempt === ATTEMPTS) throw error;
      }
      await sleep(20 + Math.random() * 100);
    }
  } catch (error) {
    throw failed(`Could not lock "${folder}"`, error);
  }
}

class FileLock implements FolderLock {
  #heartbeat: ReturnType<typeof setInterval>;

  private constructor(
    private readonly fs: FileSystem,
    readonly folder: string,
    private readonly name: string,
    heartbeatSeconds: number,
  ) {
    this.#heartbeat = setInterval(() => this.beat(), heartbeatSeconds * 1000);
    // A browser has numbers for timers, and no process to keep alive.
    (this.#heartbeat as { unref?(): void }).unref?.();
  }

  private get path(): string {
    return join(this.folder, this.name);
  }

  static async create(fs: FileSystem, folder: string, heartbeatSeconds: number): Promise<FileLock> {
    const mark = thisProcess();
    const name = `.lock-${markText(mark)}-${randomHex(6)}`;
    const content = { host: hostName(), pid: mark.pid, since: new Date().toISOString() };
    const lock = new FileLock(fs, folder, name, heartbeatSeconds);
    try {
      await HashedFile.write(fs, lock.path, (file) =>
        file.append(new TextEncoder().encode(JSON.stringify(content))),
      );
      return lock;
    } catch (error) {
      await lock.release().catch(() => {});
      throw error;
    }
  }

  /** Looks at all others, removes what is stale, throws at the first that is not. */
  async refuseOthers(patienceSeconds: number): Promise<void> {
    for (const name of await this.fs.readdir(this.folder)) {
      const match = PATTERN.exec(name);
      if (match === null || name === this.name) continue;
      const mark = parseMark(match.slice(1));
      const path = join(this.folder, name);
      const fate = fateOf(mark);
      const isLive =
        fate === 'alive' || (fate === 'elsewhere' && (await this.showsLife(path, patienceSeconds)));
      if (isLive) throw await this.locked(path, mark, fate);
      await this.fs.rm(path, { force: true });
    }
  }

  async isHeld(): Promise<boolean> {
    const names = await this.fs.readdir(this.folder).catch((): string[] => []);
    return names.includes(this.name);
  }

  async release(): Promise<void> {
    clearInterval(this.#heartbeat);
    try {
      await this.fs.rm(this.path, { force: true });
    } catch (error) {
      throw failed(`Could not unlock "${this.folder}"`, error);
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.release();
  }

  private async beat(): Promise<void> {
    const now = new Date();
    // A failing disk is reported by those who save.
    await this.fs.utimes(this.path, now, now).catch(() => {});
  }

  /** Watches for a change, which needs no clock that both machines share. */
  private async showsLife(path: string, patienceSeconds: number): Promise<boolean> {
    const first = await this.lastBeat(path);
    const end = performance.now() + patienceSeconds * 1000;
    while (performance.now() < end) {
      await sleep(Math.min(500, patienceSeconds * 100));
      const beat = await this.lastBeat(path);
      if (beat === undefined) return false;
      if (beat !== first) return true;
    }
    return false;
  }

  /** Opened, because network file systems answer from memory until a file is opened. */
  private async lastBeat(path: string): Promise<number | undefined> {
    try {
      return await withFile(this.fs, path, async (handle) => (await handle.stat()).mtimeMs);
    } catch (error) {
      if (isMissing((error as Error).cause)) return undefined;
      throw error;
    }
  }

  private async locked(path: string, mark: ProcessMark, fate: Fate): Promise<SafetensorsError> {
    const { host, since } = await this.describe(path);
    const where = fate === 'elsewhere' ? ` on ${host}` : '';
    return new SafetensorsError(
      'LOCKED',
      `"${this.folder}" is in use by ${ownerName(mark)}${where}${since}. Stop it or choose another folder. If it has nothing to do with this folder, remove "${path}".`,
    );
  }

  private async describe(path: string): Promise<{ host: string; since: string }> {
    try {
      const { host, since } = JSON.parse(await readText(this.fs, path));
      return { host, since: ` since ${since}` };
    } catch {
      return { host: 'another machine', since: '' };
    }
  }
}
