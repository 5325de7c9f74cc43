import type { Hook, HostTensor, Snapshot } from '@hookline/hook-api';

export interface Watch {
  readonly hook: Hook;
  /** What was logged: the value by `<step>: <metric>`. */
  readonly series: Record<string, number>;
  /** What a checkpoint at the end would hold of each hook. */
  readonly states: Record<string, unknown>;
  readonly seen: {
    /** Some hook offers checkpoints to resume from. */
    checkpoints: boolean;
  };
}

/** Notes what hooks do that others can see. It comes first in the list, and changes nothing. */
export function watch(): Watch {
  const series: Record<string, number> = {};
  const states: Record<string, unknown> = {};
  const seen = { checkpoints: false };
  const hook: Hook = {
    name: 'testkit-watch',
    onLog(_ctx, { scope, step, values }) {
      for (const [name, value] of Object.entries(values)) series[`${scope} ${step}: ${name}`] = value;
    },
    async onTrainEnd(ctx) {
      seen.checkpoints = ctx.checkpoints !== undefined;
      const snapshot = await ctx.snapshot();
      for (const name of Object.keys(snapshot.state?.hooks ?? {})) states[name] = stateOf(snapshot, name);
    },
  };
  return { hook, series, states, seen };
}

function stateOf({ state, hooks = {} }: Snapshot, name: string): unknown {
  const tensors = Object.entries(hooks)
    .filter(([path]) => path.startsWith(`${name}/`))
    .map(([path, { dtype, shape, data }]: [string, HostTensor]) => [path, dtype, [...shape], [...data]]);
  return JSON.parse(JSON.stringify({ json: state?.hooks[name] ?? null, tensors }));
}
