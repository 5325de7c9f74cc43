import type { EventName } from '@hookline/hook-api';
import type { EventMessage, StartMessage, StateMessage } from '../../src/messages.js';

export function stateMessage(state: Partial<StateMessage> = {}): StateMessage {
  return {
    ...{ status: 'training', epoch: 0, completedEpochs: 0, step: 0, batchIndex: 0 },
    ...{ latestLoss: 1, avgLoss: 1, elapsedSeconds: 0, metrics: {} },
    optimizers: [{ name: 'adam', groups: [{ name: 'all', lr: 0.1, lrScale: 1 }] }],
    ...state,
  };
}

export function startMessage(start: Partial<StartMessage> = {}): StartMessage {
  const run = { id: 'run-1', seed: 5 } as StartMessage['run'];
  return { stage: 'fit', backend: 'wasm', device: 'cpu', modelParams: 12, run, ...start };
}

/** An event as the worker sends it. */
export function eventMessage(event: EventName, message: Partial<EventMessage> = {}): EventMessage {
  const start = event === 'setup' ? startMessage() : undefined;
  return { event, payload: {}, withheld: [], copies: {}, state: stateMessage(), start, ...message };
}
