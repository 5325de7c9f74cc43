import { defineOptions, is, type OptionsSchema } from '@hookline/hook-api';
import { type ForeignNames, withForeignNames } from '@hookline/hook-api/helpers';
import { LOG_RULES, type LogOptions } from '../session/log-options.js';
import type { WandbClient } from './client.js';

export interface WandbOptions extends LogOptions {
  /** Default `@wandb/sdk`, where the project has it. */
  client?: WandbClient;
  project?: string;
  /** Further options for the client's `init`: `entity`, `tags`, `notes`, ... */
  init?: { readonly [name: string]: unknown };
  /** How long the end of a run may wait for W&B. Default 10000. */
  timeoutMs?: number;
}

declare module '@hookline/hook-api' {
  interface HookOptionsByName {
    wandb: WandbOptions;
  }
}

/** What people write who know other libraries. */
const FOREIGN: ForeignNames = {
  name: 'Did you mean init: { name }?',
  entity: 'Did you mean init: { entity }?',
  tags: 'Did you mean init: { tags }?',
  group: 'Did you mean init: { group }?',
  config: 'Did you mean hyperparameters of new Trainer()?',
};

export const schema: OptionsSchema<WandbOptions> = withForeignNames(
  defineOptions<WandbOptions>('wandb', {
    ...LOG_RULES,
    client: is.object,
    project: is.string,
    init: is.object,
    timeoutMs: is.number({ min: 1 }),
  }),
  'wandb',
  FOREIGN,
);
