import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { trainerError } from '../../errors.js';
import { type Frame, readFrames } from './frames.js';
import { Hub } from './hub.js';
import { sharedBytes } from './shared-values.js';

/** Says to a process that it is a rank, and which. */
export const RANK_VARIABLE = 'HOOKLINE_LOCAL_RANK';

export interface RankPlace {
  readonly rank: number;
  readonly world: number;
  /** Holds the file of values. */
  readonly folder: string;
  readonly socket: string;
}

/** Starts this script again in other processes, and waits until they have come to the same place in it. */
export async function startRanks({
  processes: world,
  timeout,
}: {
  processes: number;
  timeout: number;
}): Promise<{ meeting: Hub; folder: string }> {
  const script = process.argv[1];
  if (script === undefined) {
    throw trainerError(
      'BAD_LAUNCH',
      `strategy asks for ${world} processes, each of which runs the same script, but this program is not in a file. Put it into one.`,
    );
  }
  const folder = sharedFolder(sharedBytes(world));
  const socket =
    process.platform === 'win32' ? `\\\\.\\pipe\\hookline-${process.pid}` : join(folder, 'socket');
  const hub = new Hub(world, timeout);
  await listen(hub, socket);
  const children = Array.from({ length: world - 1 }, (_, index) => {
    const place: RankPlace = { rank: index + 1, world, folder, socket };
    return startRank([script, ...process.argv.slice(2)], place, hub);
  });
  process.once('exit', () => {
    rmSync(folder, { recursive: true, force: true });
    // One that is stopped or stuck would stay for ever; after a good end each of them ends by itself.
    if (hub.failedRank !== undefined) for (const child of children) child.kill('SIGKILL');
  });
  await hub.joined();
  return { meeting: hub, folder };
}

function startRank(args: string[], place: RankPlace, hub: Hub): ChildProcess {
  const { rank } = place;
  const child = spawn(process.execPath, [...process.execArgv, ...args], {
    env: { ...process.env, [RANK_VARIABLE]: JSON.stringify(place) },
    // What the script prints, the main rank prints.
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  child.unref();
  (child.stderr as Socket).unref();
  createInterface(child.stderr!).on('line', (line) => {
    // The error that ended the run is that of the main rank; the others only repeat it.
    if (hub.failedRank === undefined || hub.failedRank === rank)
      process.stderr.write(`[rank ${rank}] ${line}\n`);
  });
  child.on('error', ({ message }) => hub.ended(rank, `could not be started: ${message}`));
  child.on('exit', (code, signal) =>
    hub.ended(rank, signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`),
  );
  return child;
}

async function listen(hub: Hub, path: string): Promise<void> {
  let joining = hub.world - 1;
  const server = createServer((socket) => {
    let take: ((frame: Frame) => void) | undefined;
    readFrames(socket, (frame) => {
      if (take) return take(frame);
      // The first one says who it is.
      take = hub.add(Number(frame[1].toString()), socket);
      joining--;
      if (joining === 0) server.close();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  server.unref();
}

/** A folder with a file of that size that nobody else can read: in memory where there is room for it. */
function sharedFolder(bytes: number): string {
  const parent = hasRoom('/dev/shm', bytes) ? '/dev/shm' : tmpdir();
  const folder = mkdtempSync(join(parent, 'hookline-ranks-'));
  const file = join(folder, 'values');
  writeFileSync(file, '', { mode: 0o600 });
  truncateSync(file, bytes);
  return folder;
}

function hasRoom(folder: string, bytes: number): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize > 2 * bytes;
  } catch {
    return false;
  }
}
