import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type Files, npmProject, plugin, write } from '@hookline/test-support';

/** A hook with options that it checks as ours do: `patience` is a whole number. */
const STOPPER = `
const validate = (options) => {
  const issues = Object.entries(options).flatMap(([name, value]) => {
    if (name !== 'patience') return [{ message: 'unknown option "' + name + '". Did you mean "patience"?' }];
    return Number.isInteger(value) ? [] : [{ message: '"patience" must be a whole number, got ' + JSON.stringify(value) }];
  });
  return issues.length > 0 ? { issues } : { value: options };
};
const stopper = (options) => ({ name: 'stopper', options, onEpochEnd() {} });
stopper.options = { '~standard': { version: 1, vendor: 'hookline', validate } };
export default stopper;
`;

/** A project with two installed hooks, \`stopper\` and \`watcher\`, and tfjs; \`data.js\` and \`model.js\` are there. */
export function configProject(files: Files = {}): string {
  const root = npmProject({
    'trainer-hook-stopper': plugin('trainer-hook-stopper', 'stopper', { code: STOPPER }),
    'trainer-hook-watcher': plugin('trainer-hook-watcher', 'watcher'),
  });
  symlinkSync(
    join(import.meta.dirname, '../../node_modules/@tensorflow'),
    join(root, 'node_modules/@tensorflow'),
    'dir',
  );
  write(root, {
    'package.json': {
      name: 'project',
      type: 'module',
      dependencies: { 'trainer-hook-stopper': '*', 'trainer-hook-watcher': '*' },
    },
    'model.js': `
      import { layers, sequential } from '@tensorflow/tfjs-layers';
      export const createModel = ({ units = 2 } = {}) =>
        sequential({ layers: [layers.dense({ units, inputShape: [1] }), layers.dense({ units: 1 })] });`,
    'data.js': `
      const part = (from, count) => {
        const xs = Array.from({ length: count }, (_, i) => [(from + i) / 32]);
        return { xs, ys: xs.map(([x]) => [2 * x + 1]) };
      };
      export const loadData = async () => ({ train: part(0, 32), validation: part(32, 8), test: part(40, 8) });`,
    ...files,
  });
  return root;
}

/** A config that trains, as JSON. */
export const CONFIG = {
  model: './model.js#createModel',
  data: './data.js#loadData',
  loss: 'meanSquaredError',
  optimizer: { name: 'sgd', lr: 0.1 },
  backend: 'cpu',
  seed: 1,
  hyperparameters: { units: 3 },
  fit: { epochs: 2, batchSize: 8 },
};
