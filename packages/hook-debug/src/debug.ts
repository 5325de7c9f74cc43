import {
  type AfterBackwardEvent,
  type Hook,
  type HookContext,
  type OptionsSchema,
  when,
} from '@hookline/hook-api';
import { BatchCheck } from './batch-check.js';
import { checkWeights } from './check-weights.js';
import { headline } from './describe-finding.js';
import { diagnose } from './diagnose.js';
import type { Finding } from './finding.js';
import type { Suspect } from './finite-check.js';
import { buffersOf, type Weights } from './held-weights.js';
import { type DebugOptions, type DebugRules, rulesOf, schema } from './options.js';
import { reportFinding } from './report-finding.js';
import { ShapeLog } from './shape-log.js';
import { writeBundle } from './write-bundle.js';

/**
 * Stops at the first NaN or infinity before it reaches the weights, says where it came from, and keeps a bundle that
 * replays it.
 *
 * @example debug({ nan: 'warn', every: 10, activations: true, shapes: true })
 */
export const debug: ((options?: DebugOptions) => Hook) & { readonly options: OptionsSchema } = Object.assign(
  (options: DebugOptions = {}): Hook => createHook(rulesOf(options)),
  { options: schema },
);

/** Bundles are as large as the model and its optimizer, and the first ones tell the most. */
const MOST_BUNDLES = 3;

function createHook(rules: DebugRules): Hook {
  const { nan, every, activations, shapes } = rules;
  let buffers: Weights = {};
  /** Of the batch that is being looked at. */
  let current: BatchCheck | undefined;
  /** The last step at which something was bad, and whether the latest check was. */
  let lastBad: number | undefined;
  let isBad = false;
  /** What was decided when it became so. */
  let decision: 'stop' | 'warn' = 'warn';
  let bundles = 0;

  const isDue = ({ state }: HookContext) => state.status === 'training' && state.step % every === 0;
  const shapeLog = new ShapeLog((ctx) => shapes === 'every' && isDue(ctx));

  const drop = (): void => {
    current?.release();
    current = undefined;
  };

  const respond = async (
    ctx: HookContext,
    event: AfterBackwardEvent,
    check: BatchCheck,
    suspects: readonly Suspect[],
  ): Promise<void> => {
    const { step } = ctx.state;
    // Once something is bad everything that follows is, as a rule: that is one episode, told once.
    const isNew = !isBad && step !== lastBad;
    isBad = true;
    lastBad = step;
    if (isNew) {
      decision = nan === 'warn' ? 'warn' : 'stop'; // also when finding out more fails
      const finding = await diagnose(ctx.state, event, suspects, check.before);
      const bundle = await keepBundle(ctx, finding, () => writeBundle(ctx, finding, event.batch, check));
      decision = reportFinding(ctx, event, finding, nan, bundle);
      if (decision === 'stop') ctx.stop(`debug: ${headline(finding)}`);
    }
    // The forward pass has written to them already; the other weights are kept by leaving the update out.
    if (decision === 'stop')
      await ctx.restore({ version: 1, model: await check.before.toHost() }, { strict: false });
  };

  const keepBundle = async (
    { logger }: HookContext,
    { step }: Finding,
    write: () => Promise<string | undefined>,
  ): Promise<string | undefined> => {
    if (!rules.bundle || bundles === MOST_BUNDLES) return undefined;
    try {
      const folder = await write();
      if (folder !== undefined) bundles++;
      return folder;
    } catch (err) {
      logger.warn({ err, step }, 'The bundle of this step could not be kept.');
      return undefined;
    }
  };

  return {
    name: 'debug',

    setup({ state }, { stage }) {
      if (stage !== 'fit') return;
      buffers = buffersOf(state);
      lastBad = undefined;
      isBad = false;
      bundles = 0;
      shapeLog.reset();
    },

    // Layers can be frozen and unfrozen between epochs.
    onEpochStart({ state }) {
      buffers = buffersOf(state);
    },

    // The batch as it enters the model: after the hooks that change it, and before a wrong shape can end the run.
    ...(shapes !== false && {
      transformBatch(ctx, event) {
        shapeLog.log(ctx, event);
        return undefined;
      },
    }),

    onTrainBatchStart: when(isDue, ({ state }) => {
      drop();
      current = new BatchCheck(state.backend, buffers);
    }),

    ...(activations && { onForward: when(isDue, (_ctx, event) => current?.activation(event)) }),

    onBeforeBackward: when(isDue, (_ctx, { loss }) => current?.loss(loss)),

    // Before the update: what is found now has not reached the weights.
    onAfterBackward: when(isDue, (ctx, event) => {
      const check = current;
      const suspects = check?.finish(event.gradients);
      if (!check || !suspects) return undefined;
      current = undefined; // finding out more runs the model again, which is no batch to watch
      const judge = (found: readonly Suspect[]): Promise<void> | undefined => {
        if (found.length > 0) return respond(ctx, event, check, found);
        isBad = false;
        return undefined;
      };
      // Without a promise where none is needed: this is what every good step pays.
      const outcome = suspects instanceof Promise ? suspects.then(judge) : judge(suspects);
      return outcome ? outcome.finally(() => check.release()) : check.release();
    }),

    onBeforeOptimizerStep: when(
      ({ state }) => decision === 'stop' && state.step === lastBad,
      (ctx) => ctx.skipStep(),
    ),

    async onEpochEnd(ctx) {
      // Bad weights follow from what was told already.
      if (ctx.signal.aborted || lastBad !== undefined) return;
      const problem = await checkWeights(ctx.state);
      if (problem === undefined) return;
      lastBad = ctx.state.step;
      isBad = true;
      if (nan === 'warn') ctx.logger.warn(`The ${problem}. Training goes on (nan: 'warn').`);
      else ctx.logger.error(`The ${problem}. The run stops.`);
      if (nan !== 'warn') ctx.stop(`debug: ${problem}`);
    },

    teardown() {
      drop();
    },
  };
}
