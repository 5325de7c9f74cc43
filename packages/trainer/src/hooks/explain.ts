import { EVENTS, type EventName, type Hook } from '@hookline/hook-api';

/** How deep each event lies in the loop, for events that are not at the top. */
const DEPTH: Partial<Record<EventName, number>> = {
  onEpochStart: 1,
  onStepStart: 2,
  onTrainBatchStart: 2,
  transformBatch: 2,
  onTrainBatchReady: 2,
  onForward: 3,
  transformActivation: 3,
  transformLoss: 3,
  onBeforeBackward: 3,
  onAfterBackward: 3,
  transformGradients: 3,
  onGradientClip: 3,
  onGradientsReady: 3,
  onBeforeOptimizerStep: 3,
  onAfterOptimizerStep: 3,
  onStepEnd: 3,
  onTrainBatchEnd: 2,
  onValidationStart: 1,
  onValidationBatchStart: 2,
  onValidationBatchEnd: 2,
  onValidationEnd: 1,
  onEpochEnd: 1,
};

/** What is written in front of the first event of a part of the loop. */
const HEADINGS: Partial<Record<EventName, string>> = {
  onEpochStart: 'for each epoch',
  onStepStart: '  for each batch',
  transformGradients: '    at an accumulation boundary',
  onLog: 'at any time',
  onTestStart: 'test()',
  onPredictStart: 'predict()',
};

/** The loop as it will run: every event, with the hooks that listen, in their order. */
export function explainLoop(hooks: readonly Hook[]): string {
  const lines: string[] = [];
  for (const event of Object.keys(EVENTS) as EventName[]) {
    const heading = HEADINGS[event];
    if (heading) lines.push(heading);
    const listeners = hooks.filter((hook) => typeof hook[event] === 'function').map(({ name }) => name);
    const order = event === 'teardown' ? listeners.toReversed() : listeners;
    const name = `${'  '.repeat(DEPTH[event] ?? (heading || isOutside(event) ? 1 : 0))}${event}`;
    lines.push(order.length > 0 ? `${name.padEnd(32)}${order.join(', ')}` : name);
  }
  return lines.join('\n');
}

function isOutside(event: EventName): boolean {
  return /^on(Log|BeforeCheckpoint|Checkpoint|Exception|Test|Predict)/.test(event);
}
