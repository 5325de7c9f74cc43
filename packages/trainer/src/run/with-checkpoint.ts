import type { LoadReport, WeightFilter } from '../resume/load-weights.js';
import type { Prepared } from './prepare.js';
import type { Run } from './run.js';

/** Loads weights from a checkpoint, and nothing else: whatever trains next starts from its first step. */
export async function loadCheckpoint(
  run: Run,
  { trainable, startOver }: Prepared,
  which: string,
  weights: WeightFilter | undefined,
): Promise<LoadReport> {
  const { requireSnapshot, loadWeights } = await loadLoading();
  const { checkpoint, snapshot } = await requireSnapshot(run, which, `load("${which}")`);
  const report = loadWeights(trainable, snapshot, checkpoint.path, weights);
  startOver();
  await run.fire('onCheckpointLoad', () => ({ reason: 'load', path: checkpoint.path }));
  const { loaded, notLoaded, unused } = report;
  run.logger.info(
    { notLoaded: notLoaded.map(({ path, why }) => `${path} (${why})`), unused },
    `Loaded ${loaded.length} of ${loaded.length + notLoaded.length} weights from ${checkpoint.path}.`,
  );
  return report;
}

/** Runs `body` with the weights of a checkpoint, if one is asked for; then the model has its own weights again. */
export async function withCheckpoint<Value>(
  run: Run,
  which: string | undefined,
  body: () => Promise<Value>,
): Promise<Value> {
  if (which === undefined) return body();
  const { stage } = run.state;
  const { requireSnapshot, lendWeights } = await loadLoading();
  const { checkpoint, snapshot } = await requireSnapshot(run, which, `checkpoint: "${which}" of ${stage}()`);
  const giveBack = lendWeights(run.parts.trainable, snapshot, checkpoint.path);
  try {
    await run.fire('onCheckpointLoad', () => ({ reason: stage, path: checkpoint.path }));
    run.logger.info(`${stage} uses the weights of ${checkpoint.path}.`);
    return await body();
  } finally {
    giveBack();
  }
}

/** Loaded for those who use a checkpoint by its name: most pages do not. */
async function loadLoading() {
  const [{ requireSnapshot }, { loadWeights, lendWeights }] = await Promise.all([
    import('../resume/find-snapshot.js'),
    import('../resume/load-weights.js'),
  ]);
  return { requireSnapshot, loadWeights, lendWeights };
}
