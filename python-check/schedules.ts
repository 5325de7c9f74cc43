// Every schedule over the same steps: the learning rate of each.

import { createSchedule } from '../packages/optimizers/src/schedules/create-schedule.js';
import { LrSchedule } from '../packages/optimizers/src/schedules/lr-schedule.js';
import type { ScheduleOption } from '../packages/trainer/src/index.js';

const STEPS = 200;
const LR = 0.1;

/** A metric that gets better, stops, and gets worse, with a saw-tooth on it. */
const metric = Array.from({ length: STEPS }, (_, step) => {
  return 1 / (1 + step / 20) + 0.02 * Math.sin(step * 1.7) + (step > 120 ? 0.002 * (step - 120) : 0);
});

const SCHEDULES: Readonly<Record<string, ScheduleOption>> = {
  step: { name: 'step', every: 30, gamma: 0.3 },
  'step by its defaults': { name: 'step', every: 70 },
  exponential: { name: 'exponential', gamma: 0.97 },
  polynomial: { name: 'polynomial', steps: 150, power: 2 },
  linear: { name: 'polynomial', steps: 200 },
  cosine: { name: 'cosine', steps: 200, to: 0.05 },
  restarts: { name: 'cosine', cycle: 30, to: 0.1 },
  'growing restarts': { name: 'cosine', cycle: 10, growth: 2 },
  warmup: { name: 'warmup', steps: 80, from: 0.25 },
  'one-cycle': { name: 'one-cycle', steps: 200 },
  'one-cycle in lines': { name: 'one-cycle', steps: 200, rise: 0.4, from: 0.1, to: 0.001, shape: 'linear' },
  plateau: { name: 'plateau', monitor: 'val/loss' },
  'plateau with everything': {
    name: 'plateau',
    factor: 0.5,
    patience: 3,
    threshold: 0.01,
    thresholdMode: 'absolute',
    cooldown: 4,
    min: 0.01,
  },
  'plateau upwards': { name: 'plateau', mode: 'max', patience: 5, factor: 0.7 },
  chain: [
    { name: 'warmup', steps: 50, from: 0.1 },
    { name: 'cosine', steps: 150 },
  ],
};

const rates = Object.fromEntries(
  Object.entries(SCHEDULES).map(([name, option]) => {
    const group = { name: 'sgd', lr: LR, lrScale: 1 };
    const schedule = new LrSchedule(createSchedule(option), [{ name: 'sgd', groups: [group] }]);
    return [
      name,
      metric.map((value, step) => {
        schedule.apply({ step, epoch: step });
        const { lr } = group;
        schedule.observe('validation', { 'val/loss': value });
        return lr;
      }),
    ];
  }),
);
console.log(JSON.stringify({ lr: LR, metric, rates }));
