import type { Hook } from '@hookline/hook-api';
import { encodeJson, messageOf } from '@hookline/hook-api/helpers';
import type { Check } from '../check.js';
import { trial } from '../trial/trial.js';

export const state: Check = {
  name: 'state',
  promise: 'its state survives JSON',
  needs: ['fit'],
  async run(subject) {
    const hooks = subject.make();
    const problems: string[] = [];
    const look: Hook = {
      name: 'looks-at-state',
      onTrainBatchEnd: (_ctx, { batchIndex }) => {
        if (batchIndex === 2) problems.push(...hooks.flatMap((hook) => stateProblems(hook)));
      },
    };
    await trial([...hooks, look], { fit: { epochs: 1 } });
    return problems;
  },
};

function stateProblems(hook: Hook): string[] {
  const who = `Hook "${hook.name}"`;
  if (!hook.saveState !== !hook.loadState) {
    const [has, lacks] = hook.saveState ? ['saveState', 'loadState'] : ['loadState', 'saveState'];
    return [
      `${who} has ${has} and no ${lacks}, so that what it saves is never used. Write both, or neither.`,
    ];
  }
  if (!hook.saveState) return [];
  try {
    const saved: unknown = hook.saveState();
    const { tensors, json } = Object(saved) as { tensors?: unknown; json?: unknown };
    encodeJson(tensors === undefined ? saved : json, refuse);
    return [];
  } catch (error) {
    return [`${who} cannot save its state in the middle of an epoch: ${messageOf(error)}`];
  }
}

function refuse(path: string, what: string): never {
  throw new TypeError(
    `${path === '' ? 'it' : `"${path}"`} is ${what}, which JSON cannot hold. Return numbers, text, true, false, null, lists and plain objects; tensors go beside them: { json, tensors }.`,
  );
}
