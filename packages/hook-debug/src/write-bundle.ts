import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Batch, HookContext, HostTensor, SavedRunState } from '@hookline/hook-api';
import { finiteOrText } from '@hookline/hook-api/helpers';
import { commitFolder } from '@hookline/safetensors/node';
import type { BatchCheck } from './batch-check.js';
import { batchItems, batchShape } from './batch-items.js';
import { BUNDLE_FILES, BUNDLE_FORMAT, BUNDLE_VERSION, type BundleFile } from './bundle.js';
import type { Finding } from './finding.js';
import { isHostKind, toHost } from './host-tensor.js';
import { encodeTensors } from './tensor-files.js';

/**
 * Keeps what a replay of the failing batch needs in `<run>/debug/<step>`, and returns that folder; undefined when the
 * run has no folder. `check` holds the buffers as they were before the batch; all other weights are still so.
 */
export async function writeBundle(
  ctx: HookContext,
  finding: Finding,
  batch: Batch,
  check: BatchCheck,
): Promise<string | undefined> {
  if (!existsSync(ctx.run.dir)) return undefined;
  const { model, optimizer = {}, partial = {}, state = {} } = await ctx.snapshot();
  const { hooks: _hooks, ...training }: Partial<SavedRunState> = state;
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
    loss: await check.readLoss(),
    leftOut: items.filter(([, tensor]) => !isHostKind(tensor)).map(([name]) => name),
    state: training,
  };
  const kept: Record<string, HostTensor> = {};
  for (const [name, tensor] of items) if (isHostKind(tensor)) kept[name] = await toHost(tensor);
  const states = layerStates(partial);
  const folder = join(ctx.run.dir, 'debug', String(finding.step));
  const files = {
    [BUNDLE_FILES.model]: encodeTensors({ ...model, ...(await check.before.toHost()) }),
    [BUNDLE_FILES.optimizer]: encodeTensors(optimizer),
    [BUNDLE_FILES.batch]: encodeTensors(kept),
    ...(Object.keys(states).length > 0 && { [BUNDLE_FILES.states]: encodeTensors(states) }),
    [BUNDLE_FILES.description]: `${JSON.stringify(description, finiteOrText, 2)}\n`,
  };
  await mkdir(dirname(folder), { recursive: true });
  await commitFolder(folder, async (writer) => {
    for (const [name, content] of Object.entries(files)) await writer.write(name, content);
  });
  return folder;
}

/** Of what a snapshot holds of the step that is not over, the part that the forward pass starts from. */
function layerStates(partial: Readonly<Record<string, HostTensor>>): Record<string, HostTensor> {
  const prefix = 'states/';
  return Object.fromEntries(
    Object.entries(partial).flatMap(([name, state]) =>
      name.startsWith(prefix) ? [[name.slice(prefix.length), state]] : [],
    ),
  );
}
