import type { OptimizerGroupView } from '@hookline/hook-api';
import { optimizerError } from './errors.js';

type Setting = Exclude<keyof OptimizerGroupView, 'name'>;

const SETTINGS: readonly Setting[] = ['lr', 'lrScale', 'momentum', 'weightDecay'];

/** What to do instead, for each setting that would have no effect on the optimizer. */
export type NoEffect = Readonly<Partial<Record<Setting, string>>>;

/**
 * The numbers of a group as schedules and hooks see them. What is not a finite number is refused where it is written:
 * after the next step the weights would not be numbers either, and nobody could tell why. So is what would have no effect.
 */
export function groupView(numbers: OptimizerGroupView, noEffect: NoEffect = {}): OptimizerGroupView {
  const { name } = numbers;
  const view = Object.defineProperty({} as OptimizerGroupView, 'name', {
    enumerable: true,
    get: () => name,
    set: (value) => {
      if (value !== name)
        throw optimizerError('BAD_OPTIMIZER', `Optimizer group "${name}" cannot be renamed.`);
    },
  });
  for (const setting of SETTINGS) {
    const show = () =>
      Object.defineProperty(view, setting, {
        // Those that the group does not have are listed once they are written.
        enumerable: numbers[setting] !== undefined,
        configurable: true,
        get: () => numbers[setting],
        set: (value: unknown) => {
          const number = checked(value, setting, name);
          if (noEffect[setting] !== undefined) {
            if (number === 0) return;
            throw useless(setting, name, number, noEffect[setting]);
          }
          numbers[setting] = number;
          if (!Object.keys(view).includes(setting)) show();
        },
      });
    show();
  }
  return Object.preventExtensions(view);
}

function checked(value: unknown, setting: Setting, group: string): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  const given = typeof value === 'string' ? JSON.stringify(value) : String(value);
  throw optimizerError(
    'BAD_OPTIMIZER',
    `${setting} of optimizer group "${group}" was set to ${given}, expected a finite number. It was not changed.`,
  );
}

function useless(setting: Setting, group: string, value: number, instead: string): Error {
  return optimizerError(
    'BAD_OPTIMIZER',
    `${setting} of optimizer group "${group}" was set to ${value}, which would have no effect. ${instead}`,
  );
}
