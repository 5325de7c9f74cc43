import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonValue } from '@hookline/hook-api';
import type { LossOption, LossSettings } from '../objective/losses/output-losses.js';

export interface RecordedRun {
  /** Absent when the run had a function, of which a record has only the name. */
  loss?: LossOption;
  settings: LossSettings;
  /** One that every machine has; absent when the run had another. */
  backend?: string;
}

/** What the record of the run that a bundle is of tells; nothing where the bundle was moved away from its run. */
export function recordedRun(bundle: string): RecordedRun {
  const { config, backend } = recordOf(bundle);
  const { loss, lossWeights, classWeights, labelSmoothing } = Object(config) as Record<string, JsonValue>;
  const settings = Object.entries({ lossWeights, classWeights, labelSmoothing });
  const { name } = Object(backend) as { name?: unknown };
  return {
    ...(isWhole(loss) && { loss: loss as LossOption }),
    settings: Object.fromEntries(settings.filter(([, value]) => isWhole(value))),
    ...((name === 'wasm' || name === 'cpu') && { backend: name }),
  };
}

/** Bundles are in `<run>/debug/<step>`. */
function recordOf(bundle: string): { config?: unknown; backend?: unknown } {
  try {
    return Object(JSON.parse(readFileSync(join(bundle, '../../run.json'), 'utf8')));
  } catch {
    return {};
  }
}

/** Marks such as `$function` stand for what JSON cannot hold. */
function isWhole(value: JsonValue | undefined): boolean {
  return value !== undefined && !JSON.stringify(value).includes('"$');
}
