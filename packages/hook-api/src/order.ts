/**
 * The built-in hooks and the packages they come from, in the order in which they run. Everything else runs
 * before them. Early stopping decides before anyone reports; checkpoint is last, so that it saves everyone's
 * final state.
 */
export const BUILT_IN_HOOKS: Readonly<Record<string, string>> = {
  activations: '@hookline/hook-activations',
  'gradient-monitor': '@hookline/hook-gradient-monitor',
  'lr-monitor': '@hookline/hook-lr-monitor',
  debug: '@hookline/hook-debug',
  'early-stopping': '@hookline/hook-early-stopping',
  'console-log': '@hookline/hook-logging',
  'json-log': '@hookline/hook-logging',
  'csv-log': '@hookline/hook-logging',
  tensorboard: '@hookline/hook-logging',
  wandb: '@hookline/hook-logging',
  mlflow: '@hookline/hook-logging',
  notify: '@hookline/hook-notify',
  progress: '@hookline/hook-progress',
  checkpoint: '@hookline/hook-checkpoint',
};

export const BUILT_IN_ORDER: readonly string[] = Object.keys(BUILT_IN_HOOKS);

/**
 * The one order of all hooks: those passed in code, in their order; then third-party plugins, in theirs; then
 * the built-ins, each in its slot however it arrived.
 */
export function orderHooks<Entry extends { name: string; source: 'code' | 'plugin' }>(
  entries: readonly Entry[],
): Entry[] {
  const rank = ({ name, source }: Entry) => {
    const slot = BUILT_IN_ORDER.indexOf(name);
    return slot >= 0 ? 2 + slot : source === 'code' ? 0 : 1;
  };
  // Array.prototype.sort is stable: entries of one rank keep their order.
  return [...entries].sort((a, b) => rank(a) - rank(b));
}
