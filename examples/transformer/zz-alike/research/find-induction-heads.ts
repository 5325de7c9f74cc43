import { headsOf } from '../head.js';
import type { Transformer } from '../model/transformer.js';
import { randomFrom } from '../random.js';
import { type Sequence, sequenceOf, sequencesOf } from '../task.js';
import { type Ablations, ablateHeads } from './ablate-heads.js';
import { type PatchedPositions, patchPositions } from './patch-positions.js';
import { type ScoredHead, scoreHeads } from './score-heads.js';

/** The turn of the sequence that is drawn: neither half of it stands where a fixed distance would find it. */
const EXAMPLE_TURN = 7;

export interface Findings {
  example: Sequence;
  heads: ScoredHead[];
  /** The head that tells each letter what came before it. */
  previous: ScoredHead;
  /** The head that looks for what followed the same letter. */
  induction: ScoredHead;
  ablations: Ablations;
  patched: PatchedPositions;
}

/**
 * Looks into a trained model of two blocks, on sequences that it has not seen: where its heads look, what it can do
 * without each of them, and which activations carry the answer.
 */
export async function findInductionHeads(
  model: Transformer,
  sizes: { blocks: number; slopes: readonly number[] },
  seed: number,
  /** How many to measure on; an eighth of them is patched, which takes a run for each tap point and position. */
  count = 256,
): Promise<Findings> {
  const random = randomFrom(seed, 'research');
  const heads = headsOf(sizes);
  const example = sequenceOf(random, EXAMPLE_TURN);
  const scored = scoreHeads(model, heads, [example, ...sequencesOf(random, count - 1)]);
  return {
    example,
    heads: scored,
    // What the induction head looks for must have been written before, in an earlier block.
    previous: highest(
      scored.filter(({ block }) => block === 0),
      'previous',
    ),
    induction: highest(scored, 'induction'),
    ablations: await ablateHeads(model, heads, sequencesOf(random, count)),
    patched: await patchPositions(model, [example, ...sequencesOf(random, count / 8 - 1, EXAMPLE_TURN)]),
  };
}

function highest(heads: readonly ScoredHead[], score: 'previous' | 'induction'): ScoredHead {
  return heads.reduce((best, head) => (head[score] > best[score] ? head : best));
}
