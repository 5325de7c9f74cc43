import type { Mistake } from './mistake.js';
/** Hooks and models. */
export const ofHooks: readonly Mistake[] = [
  ["trainer({ hooks: [Promise.resolve({ name: 'a' })] })", 'NOT_A_HOOK', 'await'],
  ['trainer({ hooks: Promise.resolve([]) })', 'NOT_A_HOOK', 'await'],
  ["trainer({ hooks: 'early-stopping' })", 'HOOKS_OPTION', '[hook]'],
  ["trainer({ hooks: { name: 'mine', onEpochEnd() {} } })", 'HOOKS_OPTION', '[hook]'],
  ['trainer({ hooks: [3] })', 'NOT_A_HOOK', 'a hook'],
  ['trainer({ hooks: [{ onEpochEnd() {} }] })', 'NOT_A_HOOK', 'name'],
  ["trainer({ hooks: [{ name: 'a', onEpochEnds() {} }] })", 'UNKNOWN_EVENT', 'onEpochEnd'],
  ["trainer({ hooks: [{ name: 'a', onEpochEnd: 3 }] })", 'NOT_A_HOOK', 'a method'],
  ["trainer({ hooks: [{ name: 'a', on_epoch_end() {} }] })", 'UNKNOWN_EVENT', 'onEpochEnd'],
  ["trainer({ hooks: [{ name: 'a', onError: 'ignore' }] })", 'NOT_A_HOOK', '"isolate"'],
  ["trainer({ hooks: [{ name: 'a' }, { name: 'a' }] })", 'DUPLICATE_HOOK', 'another name'],
  ["trainer({ hooks: ['erly-stopping'] })", 'UNKNOWN_HOOK', '"early-stopping"'],
  ["trainer({ hooks: ['no-such-hook'] })", 'UNKNOWN_HOOK', 'dependencies of'],
  ["trainer({ hooks: { 'erly-stopping': {} } })", 'UNKNOWN_HOOK', '"early-stopping"'],
  ["trainer({ hooks: { mine: { name: 'other', onEpochEnd() {} } } })", 'HOOK_NAME', 'equal'],
  ["trainer({ hooks: [[{ name: 'a', onEpochEnd() {} }, { x: 1 }]] })", 'HOOK_OPTIONS', 'already made'],
  ["fit({ train: data, epochs: 1 }, { hooks: ['./nowhere.js'] })", 'PLUGINS_FAILED', 'no such file'],
  ['fit({ train: data, epochs: 1 }, { hooks: [async () => 3] })', 'PLUGINS_FAILED', 'a hook'],
  ['fit({ train: data, epochs: 1 }, { model: Promise.resolve(model()) })', 'BAD_MODEL', 'Await'],
  ['fit({ train: data, epochs: 1 }, { model: { predict() {} } })', 'BAD_MODEL', 'LayersModel'],
];
