/**
 * The built-in hooks in the order in which they run. Everything else runs before them. Report is torn down last, when
 * the logs and the profile are complete, and dashboard after the logs; early stopping decides before anyone logs;
 * checkpoint is last, so that it saves everyone's final state. One text: a list of texts would take more bytes.
 */
export const BUILT_IN_ORDER: readonly string[] = (
  'report profiler activations gradient-monitor lr-monitor debug early-stopping dashboard ' +
  'console-log json-log csv-log tensorboard wandb mlflow notify progress checkpoint'
).split(' ');

interface Orderable {
  name: string;
  source: 'code' | 'plugin';
  /** The built-in whose place the hook takes; its name when absent. */
  slot?: string | undefined;
}

/**
 * The one order of all hooks: those passed in code, in their order; then third-party plugins, in theirs; then
 * the built-ins, each in its slot however it arrived. Several hooks of one slot keep their order.
 */
export function orderHooks<Entry extends Orderable>(entries: Iterable<Entry>): Entry[] {
  const rank = ({ name, source, slot = name }: Entry) => {
    const place = BUILT_IN_ORDER.indexOf(slot);
    // -1 is what is not built in; code comes before that.
    return place < 0 && source === 'code' ? -2 : place;
  };
  // Array.prototype.sort is stable: entries of one rank keep their order.
  return [...entries].sort((a, b) => rank(a) - rank(b));
}
