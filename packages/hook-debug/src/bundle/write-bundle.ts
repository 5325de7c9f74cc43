import type { Batch, HookContext, SavedRunState, Snapshot } from '@hookline/hook-api';
import { finiteOrText } from '@hookline/hook-api/helpers';
import { dirname, join, mkdir } from '@hookline/host';
import { copyToHost, withoutPrefix } from '@hookline/numerics';
import { commitFolder } from '@hookline/safetensors/node';
import type { BatchCheck } from '../check/batch-check.js';
import type { Finding } from '../finding/finding.js';
import { batchItems, batchShape } from './batch-items.js';
import { BUNDLE_FILES, BUNDLE_FORMAT, BUNDLE_VERSION, type BundleFile } from './bundle-file.js';
import { encodeTensors, isStorable } from './tensor-files.js';

/**
 * Keeps what a replay of the failing batch needs in `<run>/<hook>/<step>`, and returns that folder; undefined when the
 * run has no folder. `check` holds the buffers as they were before the batch; all other weights have not changed.
 */
export async function writeBundle(
  ctx: HookContext,
  finding: Finding,
  batch: Batch,
  check: BatchCheck,
): Promise<string | undefined> {
  const { dir } = ctx.run;
  if (dir === undefined) return undefined;
  const snapshot = await ctx.snapshot();
  const { model, optimizer = {}, partial = {} } = snapshot;
  const items = batchItems(batch);
  const kept = await copyToHost(Object.fromEntries(items.filter(([, tensor]) => isStorable(tensor))));
  const leftOut = items.filter(([, tensor]) => !isStorable(tensor)).map(([name]) => name);
  // Of the unfinished step that the snapshot holds, the part that the forward pass starts from.
  const states = withoutPrefix(partial, 'states/');
  const description: BundleFile = {
    ...whereAndWhen(ctx, snapshot),
    ...{ finding, batch: batchShape(batch), leftOut, loss: await check.readLoss() },
  };
  // Named after the hook: another instance keeps its bundles elsewhere.
  const folder = join(dir, ctx.hook, String(finding.step));
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

function whereAndWhen(
  { run, state }: HookContext,
  snapshot: Snapshot,
): Pick<BundleFile, 'format' | 'version' | 'createdAt' | 'run' | 'backend' | 'state'> {
  const { id, seed, configHash, gitCommit } = run;
  const { hooks: _hooks, ...training }: Partial<SavedRunState> = snapshot.state ?? {};
  return {
    format: BUNDLE_FORMAT,
    version: BUNDLE_VERSION,
    createdAt: new Date().toISOString(),
    run: { id, seed, configHash, gitCommit },
    backend: state.backend,
    state: training,
  };
}
