/** The package that each built-in hook comes from. Their order is `BUILT_IN_ORDER` of hook-api. */
export const BUILT_IN_PACKAGES = {
  report: '@hookline/hook-report',
  profiler: '@hookline/hook-profiler',
  activations: '@hookline/hook-activations',
  'gradient-monitor': '@hookline/hook-gradient-monitor',
  'lr-monitor': '@hookline/hook-lr-monitor',
  debug: '@hookline/hook-debug',
  'early-stopping': '@hookline/hook-early-stopping',
  dashboard: '@hookline/hook-dashboard',
  'console-log': '@hookline/hook-logging',
  'json-log': '@hookline/hook-logging',
  'csv-log': '@hookline/hook-logging',
  tensorboard: '@hookline/hook-logging',
  wandb: '@hookline/hook-logging',
  mlflow: '@hookline/hook-logging',
  notify: '@hookline/hook-notify',
  progress: '@hookline/hook-progress',
  checkpoint: '@hookline/hook-checkpoint',
} as const;

export type BuiltInHook = keyof typeof BUILT_IN_PACKAGES;

/** The package that a built-in hook comes from; undefined for every other name. */
export function builtInOwner(hook: string): string | undefined {
  return Object.hasOwn(BUILT_IN_PACKAGES, hook) ? BUILT_IN_PACKAGES[hook as BuiltInHook] : undefined;
}

/** The package that each command of Hookline comes from which is not a part of the trainer. */
const COMMAND_PACKAGES: Readonly<Record<string, string>> = {
  report: '@hookline/hook-report',
  dashboard: '@hookline/hook-dashboard',
  sweep: '@hookline/sweep',
};

/** The package of ours that a command comes from; undefined for every other name. */
export function commandOwner(command: string): string | undefined {
  return Object.hasOwn(COMMAND_PACKAGES, command) ? COMMAND_PACKAGES[command] : undefined;
}

export const COMMANDS_OF_PACKAGES: readonly string[] = Object.keys(COMMAND_PACKAGES);
