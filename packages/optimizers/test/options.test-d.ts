import { expectTypeOf, test } from 'vitest';
import type { OptimizerOption, ParameterGroup, ScheduleOption } from '../src/index.js';

test('options are those of the optimizer that is named', () => {
  expectTypeOf<{ name: 'rmsprop'; centered: true; momentum: 0.9 }>().toExtend<OptimizerOption>();
  expectTypeOf<{ name: 'lion'; lr: 1e-4; weightDecay: 0.1 }>().toExtend<OptimizerOption>();
  const option = (value: OptimizerOption) => value;
  // @ts-expect-error lion has no epsilon
  option({ name: 'lion', epsilon: 1e-8 });
  // @ts-expect-error an unknown name
  option({ name: 'lyon' });
  // @ts-expect-error adam has no momentum, not even in a group
  option({ name: 'adam', groups: [{ params: '**/bias', momentum: 0.9 }] });
  // @ts-expect-error a group needs params
  option({ name: 'adam', groups: [{ lr: 1 }] });
  option([
    { name: 'adam', params: 'a/**', groups: [{ params: /bias$/, weightDecay: 0, frozen: false }] },
    'sgd',
  ]);
  expectTypeOf<{ params: string; frozen: true }>().toExtend<ParameterGroup>();
});

test('schedules say how long they run, or what they count', () => {
  const schedule = (value: ScheduleOption) => value;
  schedule({ name: 'cosine', steps: 1000, to: 0.01 });
  schedule({ name: 'cosine', cycle: 10, growth: 2, by: 'epoch' });
  schedule([{ name: 'warmup', steps: 100 }, { name: 'plateau' }]);
  schedule({ name: 'step', every: 30, by: 'epoch' });
  // @ts-expect-error without steps, epochs or a cycle it has no end
  schedule({ name: 'cosine' });
  // @ts-expect-error either of the two
  schedule({ name: 'polynomial', steps: 10, epochs: 2 });
  // @ts-expect-error a warm-up has an end
  schedule({ name: 'warmup', by: 'step' });
  // @ts-expect-error gamma is needed
  schedule({ name: 'exponential' });
});
