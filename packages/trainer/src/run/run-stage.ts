import { lastWorkKey } from '@hookline/hook-api/helpers';
import type { Run } from './run.js';

/**
 * The frame around every run: sets the hooks up and, whatever happens, tears them down. A fatal error goes to
 * `onException` and then, as it is, to the caller.
 */
export async function runStage<Result>(run: Run, body: () => Promise<Result>): Promise<Result> {
  let outcome: { value: Result } | { error: unknown };
  try {
    await openRun(run);
    outcome = { value: await body() };
    await run.flushLog('epoch');
  } catch (error) {
    outcome = { error: await failRun(run, error) };
  }
  await closeRun(run, 'error' in outcome);
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
}

export async function openRun(run: Run): Promise<void> {
  const { hooks, stage } = run.parts;
  await hooks.setup(stage, run.contextFor);
  run.tensors.restart();
  run.phases.update();
}

/**
 * Tells everyone; a hook that fails now is reported like any other, and does not hide the first error. Returns the error
 * to throw.
 */
export async function failRun(run: Run, thrown: unknown): Promise<unknown> {
  const error = run.tensors.explain(thrown);
  run.state.status = 'error';
  run.phase('other');
  run.world?.abort(error);
  run.ending.abort(error);
  try {
    await run.fire('onException', () => ({ error }));
  } catch {
    // The manager has reported it; what the caller must see is the error that ended the run.
  }
  return error;
}

/** Tears down. Throws what a hook that may not fail left behind, unless the run has failed already. */
export async function closeRun(run: Run, failed: boolean): Promise<void> {
  try {
    const failures = (await run.parts.hooks.teardown()).filter((failure) => failure.fatal);
    for (const work of run.shared.get(lastWorkKey) ?? []) await work();
    run.dispose();
    if (failed) return;
    if (failures.length === 0) return await endAlike(run);
    run.state.status = 'error';
    throw failures[0]!.error;
  } catch (error) {
    run.world?.abort(error);
    throw error;
  }
}

/** What hooks have done to the weights in the end, they may have done on the main rank only. */
async function endAlike({ world, parts, state }: Run): Promise<void> {
  if (!world || state.stage !== 'fit') return;
  const { takeMainWeights } = await import('./main-weights.js');
  await takeMainWeights(world, parts.trainable, 'after the fit');
}
