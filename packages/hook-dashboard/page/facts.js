import { durationText, numberText } from './dom.js';

/** @typedef {import('../src/server/run-message.js').RunMessage} RunMessage */

/**
 * What the card of a run says in its list; what is not known is left out.
 * @param {RunMessage} run
 * @returns {[name: string, value: string][]}
 */
export function factsOf({ epochs, plannedEpochs, best, durationMs, parameters, backend, resumes }) {
  /** @type {[string, string | undefined][]} */
  const facts = [
    ['epoch', `${epochs}${plannedEpochs ? ` of ${plannedEpochs}` : ''}`],
    ['best', best && `${best.metric} ${numberText(best.value)} in epoch ${best.epoch}`],
    ['took', durationText(durationMs)],
    ['parameters', parameters?.toLocaleString('en')],
    ['backend', backend],
    ['resumed', resumes.map((step) => `at step ${step}`).join(', ')],
  ];
  return facts.flatMap(([name, value]) => (value ? [[name, value]] : []));
}

/**
 * Why it ended, and what the profiler says of it.
 * @param {RunMessage} run
 */
export function reasonOf({ stopReason, failure, verdict }) {
  return [stopReason ?? failure, verdict].filter(Boolean).join(' · ');
}

/**
 * The warnings of the shown runs, the latest of each first. Of several runs, each says whose it is.
 * @param {readonly RunMessage[]} runs
 */
export function logOf(runs) {
  const entries = runs.flatMap(({ id, warnings }) =>
    warnings.map(({ step, hook, message }) => ({
      where: `${runs.length > 1 ? `${id} ` : ''}step ${step}${hook ? ` [${hook}]` : ''}`,
      message,
    })),
  );
  return entries.reverse();
}
