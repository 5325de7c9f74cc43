import type { HooklineError } from '@hookline/hook-api';
import { shortNumber } from '@hookline/hook-api/helpers';
import type { TapEvent, TapGradientEvent } from '@hookline/layer-taps';
import type { Sighting } from '../capture/captured-state.js';
import { activationsError } from '../errors.js';
import { assertReadsNow } from '../measure/assert-reads-now.js';
import type { Meter } from '../measure/meter.js';
import { normOf, ONLY_SUMS, type Statistics } from '../measure/statistics.js';

/** What a debug hook looks for. */
export interface DebugConditions {
  /** NaN or infinity in the outputs. */
  nan?: boolean;
  /** Outputs outside of these bounds. */
  range?: readonly [min: number, max: number];
  /** Anything else: returns true, or what it found in words. Runs inside the pass. */
  custom?: (event: TapEvent) => boolean | string | undefined;
  /** Gradient flow: the norm of the gradient of an output is below or above a bound, or not a number. */
  gradient?: { min?: number; max?: number };
}

export interface DebugFinding extends Sighting {
  /** Of the hook. */
  readonly id: string;
  readonly condition: keyof DebugConditions;
  /** What is wrong, where, in words. */
  readonly message: string;
}

export interface DebugRules {
  readonly id: string;
  readonly conditions: DebugConditions;
  /** `record`: go on. `throw`: end the pass with an error. `break`: pause in the debugger, if there is one, and go on. */
  readonly action: 'record' | 'throw' | 'break';
  readonly onFinding: ((finding: DebugFinding) => void) | undefined;
}

/** Checks outputs and gradients for one debug hook. The newest few findings are kept. */
export class DebugCheck {
  #findings: DebugFinding[] = [];

  constructor(
    readonly rules: DebugRules,
    private readonly meter: Meter,
    private readonly most: number,
  ) {}

  get findings(): readonly DebugFinding[] {
    return this.#findings;
  }

  /** Refuses to end a pass by a number that is known only after it. */
  assertPossible(): void {
    const { id, action, conditions } = this.rules;
    if (action === 'record' || !(conditions.nan || conditions.range || conditions.gradient)) return;
    assertReadsNow(
      `Debug hook "${id}" with action: '${action}'`,
      "Use action: 'record' and onFinding, which is called after the pass, or a different backend.",
    );
  }

  output(event: TapEvent, sighting: Sighting): void {
    const { conditions, action } = this.rules;
    const { nan, range, custom } = conditions;
    const said = custom?.(event);
    if (said !== undefined && said !== false) {
      this.#found(sighting, 'custom', typeof said === 'string' ? said : 'meets the condition', event);
    }
    if (!nan && !range) return;
    const judge = (statistics: Statistics): void => {
      const { nonFinite, count, min, max } = statistics;
      if (nan && nonFinite > 0) {
        this.#found(sighting, 'nan', `has ${nonFinite} of ${count} values that are NaN or infinite`, event);
      }
      if (range && (min < range[0] || max > range[1])) {
        const bounds = `${range[0]} to ${range[1]}`;
        this.#found(
          sighting,
          'range',
          `goes from ${shortNumber(min)} to ${shortNumber(max)}, outside of ${bounds}`,
          event,
        );
      }
    };
    const wanted = { ...ONLY_SUMS, range: range !== undefined };
    for (const output of event.outputs) this.meter.measure(output, wanted, judge, action !== 'record');
  }

  gradient({ gradient }: TapGradientEvent, sighting: Sighting): void {
    const bounds = this.rules.conditions.gradient;
    if (!bounds) return;
    const { min = 0, max = Infinity } = bounds;
    const judge = (statistics: Statistics): void => {
      const norm = normOf(statistics);
      if (norm >= min && norm <= max) return;
      const what = Number.isNaN(norm) ? 'not a number' : norm < min ? `below ${min}` : `above ${max}`;
      this.#found(sighting, 'gradient', `has a gradient of norm ${shortNumber(norm)}, ${what}`, gradient);
    };
    this.meter.measure(gradient, ONLY_SUMS, judge, this.rules.action !== 'record');
  }

  clear(): void {
    this.#findings = [];
  }

  #found(sighting: Sighting, condition: keyof DebugConditions, what: string, seen: object): void {
    const { id, action, onFinding } = this.rules;
    const { path, callIndex } = sighting;
    const call = callIndex > 0 ? ` (call ${callIndex})` : '';
    const finding = { id, ...sighting, condition, message: `The output of "${path}"${call} ${what}.` };
    this.#findings.push(finding);
    if (this.#findings.length > this.most) this.#findings.shift();
    onFinding?.(finding);
    if (action === 'break') breakHere(finding, seen);
    if (action === 'throw') throw activationsError(STOP, `Debug hook "${id}": ${finding.message}`);
  }
}

export function isDebugStop(error: unknown): boolean {
  return (error as Partial<HooklineError> | null)?.code === STOP;
}

const STOP = 'DEBUG_CONDITION';

/** Without a debugger this does nothing: start with `node --inspect`. */
function breakHere(_finding: DebugFinding, _seen: object): void {
  // biome-ignore lint/suspicious/noDebugger: this is what action: 'break' asks for.
  debugger;
}
