// Every optimizer over the same gradients: where the weights are after each step.

import { driveAll, GRADIENTS, START } from '../packages/optimizers/test/drive.js';
import { type OptimizerSpec, selectBackend } from '../packages/trainer/src/index.js';

const SPECS: readonly OptimizerSpec[] = [
  { name: 'sgd', lr: 0.1 },
  { name: 'sgd', lr: 0.05, momentum: 0.9 },
  { name: 'sgd', lr: 0.05, momentum: 0.8, nesterov: true, weightDecay: 0.1 },
  { name: 'adam' },
  { name: 'adam', lr: 0.02, beta1: 0.8, beta2: 0.95, epsilon: 1e-5, weightDecay: 0.1 },
  { name: 'adamw' },
  { name: 'adamw', lr: 0.02, weightDecay: 0.3 },
  { name: 'rmsprop' },
  { name: 'rmsprop', lr: 0.005, momentum: 0.9 },
  { name: 'rmsprop', lr: 0.003, rho: 0.9, epsilon: 1e-3, momentum: 0.7, centered: true, weightDecay: 0.1 },
  { name: 'adagrad' },
  { name: 'adagrad', lr: 0.1, initialAccumulator: 0.1, epsilon: 1e-3, weightDecay: 0.1 },
  { name: 'adadelta' },
  { name: 'adadelta', lr: 2, rho: 0.95, epsilon: 1e-4, weightDecay: 0.1 },
  { name: 'lion' },
  { name: 'lion', lr: 0.01, beta1: 0.8, beta2: 0.95, weightDecay: 0.3 },
  {
    name: 'adamw',
    lr: 0.02,
    weightDecay: 0.3,
    groups: [{ params: '**/bias', lr: 0.1, weightDecay: 0 }],
  },
  { name: 'sgd', lr: 0.05, momentum: 0.9, groups: [{ params: '**/bias', frozen: true }] },
];

const start = { 'layer/kernel': [...START], 'layer/bias': [...START].reverse() };
const gradients = GRADIENTS.map((row) => ({ 'layer/kernel': row, 'layer/bias': [...row].reverse() }));

const cases = [];
for (const backend of ['cpu', 'wasm']) {
  await selectBackend({ backend, root: '.' });
  for (const spec of SPECS) {
    const { step, values } = driveAll(spec, start);
    const weights = gradients.map((each) => {
      step([each]);
      return values();
    });
    cases.push({ backend, spec, weights });
  }
}
console.log(JSON.stringify({ start, gradients, cases }));
