import type { HookContext, JsonValue } from '@hookline/hook-api';
import { join } from '@hookline/host';
import { now } from '#host';

/** Settings by dotted name. */
export type FlatConfig = Readonly<Record<string, string | number | boolean>>;

/** The configuration from the run record, which holds no secrets; without a record, what the run itself knows. */
export function runConfig({ run, state }: HookContext): { [name: string]: JsonValue } {
  const known = { seed: run.seed, backend: state.backend, parameters: state.modelParams };
  if (run.dir === undefined) return known;
  try {
    const { config } = JSON.parse(now.read(join(run.dir, 'run.json')));
    return { ...known, ...config };
  } catch {
    return known; // the trainer writes no record, or cannot; a browser cannot read it without waiting
  }
}

/** The config as one row of a table: `optimizer.lr`. Without the settings of hooks: many, and seldom compared. */
export function flatConfig({ hooks: _hooks, ...config }: { readonly [name: string]: JsonValue }): FlatConfig {
  const flat: Record<string, string | number | boolean> = {};
  const visit = (name: string, value: JsonValue): void => {
    if (value === null) return;
    if (typeof value !== 'object') flat[name] = value;
    else if (Array.isArray(value)) flat[name] = JSON.stringify(value);
    else for (const [key, inner] of Object.entries(value)) visit(`${name}.${key}`, inner);
  };
  for (const [name, value] of Object.entries(config)) visit(name, value);
  return flat;
}
