/** How to get what saves and finds checkpoints. */
export const INSTALL_CHECKPOINT: string =
  'Switch on the hook that does, hooks: { checkpoint: true }, or install it: npm install @hookline/hook-checkpoint';
