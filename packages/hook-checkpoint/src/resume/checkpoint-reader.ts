import type { HookContext } from '@hookline/hook-api';
import type { CheckpointRules } from '../options.js';
import { savedFolders } from './earlier-folders.js';
import { type Check, type Found, findCheckpoint } from './find-checkpoint.js';
import type { Participant } from './provider.js';

/** The checkpoints as `load`, `test`, `validate` and `predict` see them: to be read, never to be written. */
export class CheckpointReader implements Participant {
  readonly isClosed = true;

  constructor(
    private readonly ctx: HookContext,
    private readonly rules: CheckpointRules,
  ) {}

  get hook(): string {
    return this.ctx.hook;
  }

  hasAsked(): boolean {
    return false;
  }

  find(which: string, check?: Check): Promise<Found | undefined> {
    return findCheckpoint(which, this.ctx, this.rules, { check, folders: savedFolders });
  }

  async save(): Promise<void> {}
}
