import { defineHook } from '@hookline/hook-api';

/** Tells a Slack channel about new best models and the end. A message that fails is logged and harms nothing. */
export function slackNotification({ url = process.env.SLACK_WEBHOOK_URL, timeoutMs = 10_000 } = {}) {
  let best = Infinity;

  const send = async (text: string) => {
    if (!url) return;
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (!response.ok) throw new Error(`Slack answered ${response.status}`);
  };

  return defineHook({
    name: 'slack-notification',
    setup() {
      best = Infinity;
    },
    onTrainStart(ctx) {
      if (!url) ctx.logger.warn('Set SLACK_WEBHOOK_URL to be told how training goes');
    },
    async onEpochEnd(_ctx, { epoch, metrics }) {
      const loss = metrics['val/loss'] ?? Infinity;
      if (loss >= best) return;
      best = loss;
      await send(`New best model: epoch ${epoch + 1}, loss ${loss.toFixed(4)}`);
    },
    onTrainEnd: (_ctx, { status }) => send(`Training ${status}, best loss ${best.toFixed(4)}`),
    onException: (_ctx, { error }) => send(`Training failed: ${error}`),
  });
}
