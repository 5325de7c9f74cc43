import { expect, test } from 'vitest';
import { applyOverrides } from '../../src/config/apply-overrides.js';
import { overridesInEnvironment, overridesOf } from '../../src/config/overrides.js';

const apply = (config: object, ...assignments: string[]) => applyOverrides(config, overridesOf(assignments));

test('a value is JSON where it can be, and text otherwise', () => {
  expect(overridesOf(['a=3', 'b=true', 'c=["lr"]', 'd=adam', 'e=', 'f="3"', 'g=a=b', 'h=null'])).toEqual({
    ...{ a: 3, b: true, c: ['lr'], d: 'adam', e: '', f: '3', g: 'a=b', h: null },
  });
  expect(() => overridesOf(['fit.epochs'])).toThrow('--set: "fit.epochs" has no value. Expected path=value');
});

test('HOOKLINE_SET holds assignments, separated by semicolons or line breaks', () => {
  expect(overridesInEnvironment({ HOOKLINE_SET: 'fit.epochs=3; seed=7\noptimizer=sgd;' })).toEqual({
    ...{ 'fit.epochs': 3, seed: 7, optimizer: 'sgd' },
  });
  expect(overridesInEnvironment({})).toEqual({});
  expect(() => overridesInEnvironment({ HOOKLINE_SET: 'oops' })).toThrow('HOOKLINE_SET: "oops" has no value');
});

test('a setting is replaced in a copy, and a later one of the same path wins', () => {
  const config = { seed: 1, fit: { epochs: 5, batchSize: 8 } };
  expect(apply(config, 'fit.epochs=6', 'seed=2', 'fit.epochs=7')).toEqual({
    seed: 2,
    fit: { epochs: 7, batchSize: 8 },
  });
  expect(config).toEqual({ seed: 1, fit: { epochs: 5, batchSize: 8 } });
});

test('what is given by its name gets room for settings', () => {
  expect(apply({ optimizer: 'sgd' }, 'optimizer.lr=0.5')).toEqual({ optimizer: { name: 'sgd', lr: 0.5 } });
  expect(apply({}, 'optimizer.lr=0.5')).toEqual({ optimizer: { name: 'adam', lr: 0.5 } });
  expect(apply({ backend: 'wasm' }, 'backend.threads=2')).toEqual({ backend: { name: 'wasm', threads: 2 } });
  expect(apply({ metrics: ['accuracy'] }, 'metrics[0]=f1')).toEqual({ metrics: ['f1'] });
});

test('a hook is set by its name, in a map', () => {
  expect(apply({}, 'hooks.stopper.patience=3')).toEqual({ hooks: { stopper: { patience: 3 } } });
  expect(apply({ hooks: { stopper: false } }, 'hooks.stopper.patience=3').valueOf()).toEqual({
    hooks: { stopper: { patience: 3 } },
  });
  expect(apply({ hooks: { stopper: { patience: 1, mode: 'max' } } }, 'hooks.stopper.patience=3')).toEqual({
    hooks: { stopper: { patience: 3, mode: 'max' } },
  });
  expect(apply({}, 'hooks["./hooks/mine.js#Mine"].scale=2', 'hooks.progress=false')).toEqual({
    hooks: { './hooks/mine.js#Mine': { scale: 2 }, progress: false },
  });
});

test('a hook is set by its name, in a list, which keeps its order', () => {
  const mine = { name: 'mine', onEpochEnd() {} };
  const list = { hooks: ['a', ['b', { x: 1 }], ['b', { name: 'b-two' }], mine] };
  expect(
    apply(list, 'hooks.a.x=1', 'hooks.b.x=2', 'hooks.b-two.x=3', 'hooks.mine=false', 'hooks.c.x=4'),
  ).toEqual({
    hooks: [
      ['a', { x: 1 }],
      ['b', { x: 2 }],
      ['b', { name: 'b-two', x: 3 }],
      [mine, false],
      ['c', { x: 4 }],
    ],
  });
});

test.each([
  [
    'hooks.mine.scale=1',
    { hooks: [{ name: 'mine', onInit() {} }] },
    'hooks.mine cannot be set: the config file makes this hook itself',
  ],
  [
    'hooks.mine.scale=1',
    { hooks: { mine: () => ({ name: 'mine' }) } },
    'hooks.mine cannot be set: the config file makes',
  ],
  ['hooks.b.x=1', { hooks: ['b', 'b'] }, 'the list has 2 hooks of that name'],
  ['model.units=3', { model: () => 1 }, 'model.units cannot be set: model is a function'],
  ['seed.x=1', { seed: 1 }, 'seed.x cannot be set: seed is 1.'],
  ['metrics[3]=f1', { metrics: [] }, 'metrics.3 cannot be set: metrics has 0 entries'],
  [
    'hyperparameters.unit=3',
    { hyperparameters: { units: 1 } },
    'no such hyperparameter. Did you mean "units"?',
  ],
  ['__proto__.x=1', {}, 'the key "__proto__" is refused'],
  ['fit.constructor.prototype.x=1', {}, 'the key "constructor" is refused'],
  ['a..b=1', {}, '"a..b" is not the path of a setting'],
  ['.a=1', {}, '".a" is not the path of a setting'],
  ['a[b]=1', {}, '"a[b]" is not the path of a setting'],
])('%s is refused', (assignment, config, message) => {
  expect(() => apply(config, assignment)).toThrow(message);
  expect(({} as { x?: number }).x).toBeUndefined();
});
