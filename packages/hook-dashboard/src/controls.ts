import type { HookContext } from '@hookline/hook-api';
import { runHooksKey } from '@hookline/hook-api/helpers';
import type { Act, Controls } from './server/acts.js';

/** What the page may do to the run that this process trains. Each act becomes a line of its log. */
export function controlsOf(ctx: HookContext): Controls {
  const hooks = ctx.shared.get(runHooksKey);
  return {
    hooks: () => {
      const costs = new Map(hooks?.costs().map((cost) => [cost.name, cost]));
      return (hooks?.list() ?? []).map(({ name, enabled }) => ({
        name,
        isOn: enabled,
        calls: costs.get(name)?.calls ?? 0,
        milliseconds: costs.get(name)?.milliseconds ?? 0,
      }));
    },
    act: (act) => {
      const done = perform(ctx, act);
      // A warning, because somebody interfered: the log and the report keep it.
      if (done !== undefined) ctx.logger.warn(`From the page: ${done}.`);
      return done !== undefined;
    },
  };
}

/** In words what was done; undefined where it cannot be. */
function perform(ctx: HookContext, act: Act): string | undefined {
  switch (act.verb) {
    case 'stop':
      ctx.stop('stopped from the dashboard');
      return 'stop the run';
    case 'validate':
      ctx.requestValidation();
      return 'validate now';
    case 'checkpoint':
      if (!ctx.checkpoints) return undefined;
      ctx.requestCheckpoint('dashboard');
      return 'save a checkpoint';
    case 'scale-lr':
      for (const { groups } of ctx.state.optimizers) for (const group of groups) group.lrScale *= act.factor;
      return `scale the learning rate by ${act.factor}`;
    case 'switch':
      return switchHook(ctx, act.hook, act.on);
  }
}

function switchHook(ctx: HookContext, name: string, on: boolean): string | undefined {
  const hooks = ctx.shared.get(runHooksKey);
  if (!hooks?.list().some((hook) => hook.name === name)) return undefined;
  if (on) hooks.enable(name);
  else hooks.disable(name);
  return `switch the hook "${name}" ${on ? 'on' : 'off'}`;
}
