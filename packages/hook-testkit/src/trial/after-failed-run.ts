import type { Hook } from '@hookline/hook-api';
import { messageOf } from '@hookline/hook-api/helpers';
import type { Subject } from '../subject.js';
import { difference } from './compare.js';
import { trial } from './trial.js';
import { withoutHook } from './without-hook.js';

/**
 * What is wrong with a hook in a run that another hook ends by an error, and in the next run of the same instance: it
 * must not fail as well, nor keep tensors, nor be of no use afterwards.
 */
export async function afterFailedRun(subject: Subject, neighbour: Hook): Promise<string[]> {
  const hooks = subject.make();
  // Without the tested hook: what the trainer itself leaves after such a run is not for the hook to answer for.
  const alone = await withoutHook([neighbour]);
  const failed = await trial([...hooks, neighbour]);
  const left = failed.leftTensors - alone.leftTensors;
  const when = `When ${messageOf(alone.error)}:`;
  const problems = subject
    .failures(failed)
    .map((failure) => `${when} ${failure}. teardown and onException must not rely on what was never set up.`);
  if (messageOf(failed.error) !== messageOf(alone.error))
    problems.push(
      `${when} the run ends with another error, ${messageOf(failed.error)}, which hides the first.`,
    );
  if (left > 0) problems.push(`${when} ${left} tensors of the hook are left. Dispose them in teardown.`);
  if (problems.length > 0) return problems;

  const next = await trial(hooks);
  const different = subject.failures(next)[0] ?? difference(next, await subject.expected());
  return different === undefined
    ? []
    : [`${when} In the next run of the same hook, ${different}. Reset everything in setup.`];
}
