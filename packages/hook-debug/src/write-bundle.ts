import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Batch, HookContext, HostTensor } from '@hookline/hook-api';
import { batchItems, batchShape } from './batch-items.js';
import { BUNDLE_FILES, BUNDLE_FORMAT, BUNDLE_VERSION, type BundleFile } from './bundle.js';
import type { Finding } from './finding.js';
import type { HeldWeights } from './held-weights.js';
import { isHostKind, toHost } from './host-tensor.js';
import { encodeTensors } from './safetensors.js';
import { writeFolder } from './write-folder.js';

/**
 * Keeps what a replay of the failing batch needs in `<run>/debug/<step>`, and returns that folder; undefined when the
 * run has no folder. `before` holds the buffers as they were before the batch; all other weights are still so.
 */
export async function writeBundle(
  ctx: HookContext,
  finding: Finding,
  batch: Batch,
  before: HeldWeights,
): Promise<string | undefined> {
  if (!existsSync(ctx.run.dir)) return undefined;
  const { model, optimizer = {}, state = {} } = await ctx.snapshot();
  const { hooks: _hooks, ...training } = state;
  const items = batchItems(batch);
  const { id, seed, configHash, gitCommit } = ctx.run;
  const description: BundleFile = {
    format: BUNDLE_FORMAT,
    version: BUNDLE_VERSION,
    createdAt: new Date().toISOString(),
    run: { id, seed, configHash, gitCommit },
    backend: ctx.state.backend,
    finding,
    batch: batchShape(batch),
    leftOut: items.filter(([, tensor]) => !isHostKind(tensor)).map(([name]) => name),
    state: training,
  };
  const kept: Record<string, HostTensor> = {};
  for (const [name, tensor] of items) if (isHostKind(tensor)) kept[name] = await toHost(tensor);
  const folder = join(ctx.run.dir, 'debug', String(finding.step));
  await writeFolder(folder, {
    [BUNDLE_FILES.model]: encodeTensors({ ...model, ...(await before.toHost()) }),
    [BUNDLE_FILES.optimizer]: encodeTensors(optimizer),
    [BUNDLE_FILES.batch]: encodeTensors(kept),
    [BUNDLE_FILES.description]: `${JSON.stringify(description, finiteOrText, 2)}\n`,
  });
  return folder;
}

/** JSON would make null of NaN and infinity. */
function finiteOrText(_key: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
}
