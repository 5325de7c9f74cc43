import {
  type CheckpointProvider,
  type HookContext,
  type HookLogger,
  type SharedKey,
  sharedKey,
} from '@hookline/hook-api';
import { snapshotStep } from '@hookline/hook-api/helpers';
import { readSnapshot } from '../format/read-snapshot.js';
import type { Check, Found } from './find-checkpoint.js';

/** One of the checkpoint hooks of a run. */
export interface Participant {
  /** The name of the hook. */
  readonly hook: string;
  readonly isClosed: boolean;
  /** Whether this hook itself has asked the trainer for a save, with this reason. */
  hasAsked(reason: string): boolean;
  find(which: string, check?: Check): Promise<Found | undefined>;
  /** `isForAll`: neither this hook nor another checkpoint hook has asked, but somebody else. */
  save(reason: string, isForAll: boolean): Promise<void>;
}

const PARTICIPANTS: SharedKey<Participant[]> = sharedKey('hookline.checkpoint-hooks');

/** The trainer knows one provider of checkpoints: several checkpoint hooks in a run share it. */
export function joinProvider(ctx: HookContext, participant: Participant): void {
  const others = ctx.shared.get(PARTICIPANTS);
  if (!others) {
    const participants = [participant];
    ctx.shared.set(PARTICIPANTS, participants);
    ctx.provideCheckpoints(providerOf(participants, ctx.logger));
    return;
  }
  // A hook that was removed and added again.
  const index = others.findIndex(({ hook }) => hook === participant.hook);
  others.splice(index < 0 ? others.length : index, 1, participant);
}

function providerOf(participants: readonly Participant[], logger: HookLogger): CheckpointProvider {
  /** Until it is loaded. */
  let found: Found | undefined;
  return {
    async find(which, check) {
      const isNewest = which === 'auto' || which === 'last';
      found = await (isNewest ? furthest(participants, which, check) : first(participants, which, check));
      if (!found) return undefined;
      const { snapshot: _, ...checkpoint } = found;
      return checkpoint;
    },
    async load({ path }) {
      const held = found;
      // Held no longer than needed: it is as large as the state of the run.
      found = undefined;
      return held?.path === path ? held.snapshot : readSnapshot(path);
    },
    async save(reason, reasons = [reason]) {
      const open = participants.filter(({ isClosed }) => !isClosed);
      if (open.length === 0) {
        logger.warn(`A checkpoint was requested (${reason}), but the hook that saves them was removed.`);
      }
      // What somebody else wants counts for all, also when one of the checkpoint hooks was due and asked first.
      const other = reasons.find((each) => !open.some((participant) => participant.hasAsked(each)));
      for (const participant of open) await participant.save(other ?? reason, other !== undefined);
    },
  };
}

/** Of what the hooks find, the checkpoint of the latest step. */
async function furthest(
  participants: readonly Participant[],
  which: string,
  check: Check | undefined,
): Promise<Found | undefined> {
  let furthest: Found | undefined;
  for (const participant of participants) {
    const found = await participant.find(which, check);
    if (found && stepOf(found) > stepOf(furthest)) furthest = found;
  }
  return furthest;
}

async function first(
  participants: readonly Participant[],
  which: string,
  check: Check | undefined,
): Promise<Found | undefined> {
  for (const participant of participants) {
    const found = await participant.find(which, check);
    if (found) return found;
  }
  return undefined;
}

function stepOf(found: Found | undefined): number {
  return found ? (snapshotStep(found.snapshot) ?? 0) : -1;
}
