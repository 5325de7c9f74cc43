import type { Feed } from '@hookline/data';
import type { Snapshot } from '@hookline/hook-api';
import { exitCodeOf } from '#host';
import { trainerError } from '../errors.js';
import { isSameInAnyWorld } from '../model/any-world.js';
import { checkResumable } from './check-snapshot.js';
import { type FoundSnapshot, findSnapshot, requireSnapshot } from './find-snapshot.js';
import { fitsModel } from './load-weights.js';
import { restoreSnapshot } from './restore-snapshot.js';
import type { Resumable } from './resumable.js';
import {
  type Contradiction,
  contradictions,
  overridden,
  type ResumeSetting,
  type Settings,
} from './settings.js';
import type { Counters, SavedState } from './snapshot.js';
import { isStopReason } from './stop-reasons.js';
import { withoutNumbers } from './without-numbers.js';

export interface ResumeOptions {
  epochs: number;
  maxSteps?: number;
  strictResume?: boolean;
  /** Settings that are the code's, not the checkpoint's; `true`: all of them. */
  override?: true | readonly ResumeSetting[];
}

/** What the code says. */
export interface Given {
  readonly settings: Settings;
  readonly data: Pick<Feed, 'changesSince'>;
}

/** The checkpoint that `resume` asks for; undefined when the run is to start from scratch. */
export async function findResumed(
  run: Resumable,
  which: string,
  options: ResumeOptions,
): Promise<FoundSnapshot | undefined> {
  const { logger } = run.parts;
  const asked = `resume: "${which}"`;
  const found = await (which === 'auto' ? findSnapshot : requireSnapshot)(run, which, asked, checkResumable);
  if (!found) {
    logger.info('There is no checkpoint to resume from yet: starting from scratch.');
    return undefined;
  }
  if (which !== 'auto' || !isOver(found, options)) return found;
  const { path, ended } = found.checkpoint;
  logger.info(
    `The run of ${path} has ended (${ended?.stopReason ?? 'all epochs are done'}): starting from scratch. Ask for more epochs to continue it.`,
  );
  return undefined;
}

/** Continues from a checkpoint, at the batch after the last step that it holds. */
export async function resumeRun(
  run: Resumable,
  which: string,
  { checkpoint, snapshot }: FoundSnapshot,
  given: Given,
  { epochs, maxSteps = Infinity, strictResume: strict = true, override = [] }: ResumeOptions,
): Promise<void> {
  const { logger, trainable } = run.parts;
  const { path } = checkpoint;
  const isFitting = fitsModel(trainable, snapshot);
  const found = contradictionsOf(snapshot, given)
    // Weights that do not fit say it better, and strictResume: false has said that it may be another model.
    .filter(({ setting }) => setting !== 'model' || (strict && isFitting));
  const isRounding = isSameInAnyWorld(trainable);
  const differing = refuseOthers(
    path,
    found.filter(({ setting }) => setting !== 'processes' || !isRounding),
    override,
  );
  for (const { text } of found.filter(({ setting }) => setting === 'processes')) {
    const effect = isRounding
      ? 'not to the same bits, because sums are rounded in another order'
      : 'layers that use chance or the samples of a process, and code of your own, may compute something else';
    logger.warn(
      `${path} was saved by another number of processes (${text}): training continues with the same batches, but ${effect}.`,
    );
  }
  if (found.some(({ setting }) => setting === 'validation')) {
    logger.warn(
      `The validation data differs from that of ${path}: the best epoch so far, and what hooks have judged by it, were measured on other samples. To start a new run from its weights, call trainer.load("${path}") instead.`,
    );
  }
  for (const { text } of found.filter(({ setting }) => setting === 'backend')) {
    logger.warn(
      `${path} was made on another backend (${text.replace('backend: ', '')}): training continues, but not to the same bits, because backends round in different places. For the same bits, name the saved one with the option "backend".`,
    );
  }
  const isOtherModel = !strict && !isFitting;
  const isResplit = differing.has('seed') && typeof given.settings.validationSplit === 'number';
  const isOtherTask = isOtherModel || isResplit || MEASURES.some((setting) => differing.has(setting));
  const taken = overridden(snapshot, differing, given.settings);
  const report = await restoreSnapshot(run, isOtherTask ? withoutNumbers(taken) : taken, { strict });
  for (const name of report.missing)
    logger.warn(`The checkpoint has no "${name}", which this run has: it starts from its initial value.`);
  for (const name of report.unexpected)
    logger.warn(`The checkpoint holds "${name}", which this run does not have.`);
  if (isOtherModel) {
    logger.warn(
      `${path} belongs to another model: metrics, the best epoch and the states of hooks were measured with that one and are not taken over. To start a new run from its weights, call trainer.load("${path}") instead.`,
    );
  }
  const { state } = run;
  state.epoch = state.completedEpochs;
  await run.fire('onCheckpointLoad', () => ({ reason: which, path }));
  logger.info(
    { epoch: state.epoch, step: state.step },
    `Resumed from ${path}${differing.size > 0 ? `, with ${[...differing].join(', ')} as given now` : ''}.`,
  );
  const { completedEpochs, step } = state;
  if (completedEpochs < epochs && step < maxSteps) return;
  const done =
    step >= maxSteps ? `${step} steps, maxSteps is ${maxSteps}` : `${completedEpochs} of ${epochs} epochs`;
  logger.warn(
    `There is nothing left to train: ${path} has ${done}. Ask for more to continue that run, or call trainer.load("${path}") to start a new one from its weights.`,
  );
}

/** With another loss, or on other samples, what was measured before cannot be compared. */
const MEASURES: readonly ResumeSetting[] = [
  'loss',
  'lossWeights',
  'classWeights',
  'labelSmoothing',
  'validationSplit',
  'model',
];

/** Where the checkpoint and the code differ. */
function contradictionsOf({ state }: Snapshot, { settings, data }: Given): Contradiction[] {
  if (!state) return [];
  const found = contradictions({ ...state.settings, seed: state.seed }, settings);
  const isOtherOrder = found.some(({ setting }) => setting === 'seed' || setting === 'validationSplit');
  const position = (state as unknown as SavedState).loaders;
  // Another seed or another split is another order of the samples; that is said already.
  const changes = position && !isOtherOrder ? data.changesSince(position) : [];
  return [...found, ...changes.map((text) => ({ setting: 'data' as const, text: `data: ${text}` }))];
}

/** The settings that differ and are meant to; throws when one differs that is not. */
function refuseOthers(
  path: string,
  found: readonly Contradiction[],
  override: true | readonly ResumeSetting[],
): ReadonlySet<ResumeSetting> {
  const ofTraining = found.filter(
    (each): each is Contradiction & { setting: ResumeSetting } =>
      each.setting !== 'validation' && each.setting !== 'backend',
  );
  const refused = ofTraining.filter(({ setting }) => override !== true && !override.includes(setting));
  if (refused.length === 0) return new Set(ofTraining.map(({ setting }) => setting));
  const names = [...new Set(refused.map(({ setting }) => `'${setting}'`))].join(', ');
  throw trainerError(
    'CHECKPOINT_MISMATCH',
    `${path} was made with other settings:\n${refused.map(({ text }) => `  - ${text}`).join('\n')}\nresume continues a run as it was. Give it the saved settings; or override: [${names}] to continue with the given ones; or start a new run from its weights with trainer.load("${path}").`,
  );
}

/**
 * Whether the run that saved it was over, so that there is nothing to continue. One that a signal or a time limit cut off
 * is continued, and so is one of which more is asked now.
 */
function isOver({ checkpoint, snapshot }: FoundSnapshot, { epochs, maxSteps }: ResumeOptions): boolean {
  const { ended } = checkpoint;
  if (!ended) return false;
  const { status, stopReason = '' } = ended;
  const { completedEpochs, step } = snapshot.state!.counters as unknown as Counters;
  if (exitCodeOf(stopReason) !== 0 || isStopReason(stopReason, 'maxSeconds')) return false;
  if (isStopReason(stopReason, 'maxSteps')) return step >= (maxSteps ?? Infinity);
  return status === 'stopped' || completedEpochs >= epochs;
}
