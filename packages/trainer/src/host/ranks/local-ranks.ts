import { connect } from 'node:net';
import { join } from 'node:path';
import { trainerError } from '../../errors.js';
import { LocalRank } from './local-rank.js';
import type { Meeting } from './meeting.js';
import { SharedValues } from './shared-values.js';
import { Spoke } from './spoke.js';
import { RANK_VARIABLE, type RankPlace, startRanks } from './start-ranks.js';

export interface LocalRanks {
  readonly processes: number;
  /** How many seconds a rank may keep the others waiting. */
  readonly timeout: number;
}

/** The ranks of this process: all trainers of a script share them, because each of its processes runs all of it. */
let joined: { readonly world: number; readonly ranks: Promise<LocalRank> } | undefined;

/** Starts the other processes, or joins the one that has started this one. */
export function localRanks(options: LocalRanks): Promise<LocalRank> {
  const { processes } = options;
  if (joined && joined.world !== processes) {
    throw trainerError(
      'BAD_LAUNCH',
      `strategy asks for ${processes} processes, but this script has started ${joined.world} already. Ask for the same number in every trainer.`,
    );
  }
  joined ??= { world: processes, ranks: connected(options) };
  return joined.ranks;
}

async function connected(options: LocalRanks): Promise<LocalRank> {
  const place = process.env[RANK_VARIABLE];
  const { meeting, folder } =
    place === undefined ? await startRanks(options) : await joinMain(JSON.parse(place), options);
  return new LocalRank(meeting, new SharedValues(join(folder, 'values'), meeting));
}

async function joinMain(
  { rank, world, folder, socket: path }: RankPlace,
  { timeout }: LocalRanks,
): Promise<{ meeting: Meeting; folder: string }> {
  const socket = connect(path);
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  const meeting = new Spoke(rank, world, timeout, socket);
  await meeting.joined();
  return { meeting, folder };
}
