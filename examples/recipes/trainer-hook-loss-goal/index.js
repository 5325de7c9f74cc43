/**
 * Whoever installs this package has the hook: no import, no registration. `hooks: { 'loss-goal': { goal: 0.01 } }`
 * tunes it.
 * @type {import('@hookline/hook-api').HookFactory<{ goal?: number }>}
 */
export default ({ goal = 0.1 } = {}) => ({
  name: 'loss-goal',
  onEpochEnd(ctx, { metrics }) {
    const loss = metrics['train/loss'];
    if (loss !== undefined && loss <= goal) ctx.stop(`loss ${loss.toFixed(4)} is as low as the goal ${goal}`);
  },
});
