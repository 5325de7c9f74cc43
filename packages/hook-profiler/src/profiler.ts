import { type Hook, hookFactory, type OptionsSchema } from '@hookline/hook-api';
import { lastWorkKey } from '@hookline/hook-api/helpers';
import { type ProfilerOptions, type ProfilerRules, rulesOf, schema } from './options.js';
import { ProfilerSession } from './session.js';

/**
 * Says at the end of a fit where its time went and what to do about it. Writes `profile.json`, and `trace.json` for
 * Perfetto and chrome://tracing, into the folder of the run.
 *
 * @example profiler({ steps: 50, kernels: true })
 */
export const profiler: ((options?: ProfilerOptions) => Hook) & {
  readonly options: OptionsSchema<ProfilerOptions>;
} = hookFactory(schema, (options) => createHook(rulesOf(options)));

function createHook(rules: ProfilerRules): Hook {
  /** Of the fit that is running. */
  let session: ProfilerSession | undefined;
  return {
    name: 'profiler',
    needs: ['phases'],
    writes: true,

    setup(ctx, { stage }) {
      session = stage === 'fit' ? new ProfilerSession(ctx, rules) : undefined;
    },
    // Nothing is read from the device for this event, unlike those at the end of a batch.
    onStepStart: () => session?.stepStarted(),
    // What it has set up is undone now; the profile is written when the others are torn down, and their time counts.
    async teardown(ctx) {
      const ending = session;
      session = undefined;
      await ending?.stop();
      const lastWork = ctx.shared.get(lastWorkKey);
      if (ending && lastWork) lastWork.push(() => ending.report());
      else await ending?.report();
    },
  };
}
