/** The package that each built-in hook comes from. Their order is `BUILT_IN_ORDER` of hook-api. */
export const BUILT_IN_PACKAGES: Readonly<Record<string, string>> = {
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
