import type { GradientMonitorRules } from '../options.js';
import type { LayerGradient } from './layers.js';

export const TROUBLES = ['vanishing', 'exploding', 'nonfinite'] as const;

export type Trouble = (typeof TROUBLES)[number];

/** The layers that are in trouble, each with the step at which it was first seen. */
export type Episodes = Readonly<Record<Trouble, ReadonlyMap<string, number>>>;

export const NO_EPISODES: Episodes = { vanishing: new Map(), exploding: new Map(), nonfinite: new Map() };

/** Layers whose trouble of one kind began, or ended, at the same time. */
export interface Turn {
  readonly trouble: Trouble;
  readonly layers: readonly LayerGradient[];
}

export interface Verdict {
  readonly episodes: Episodes;
  readonly began: readonly Turn[];
  readonly ended: readonly Turn[];
}

type Limits = Pick<GradientMonitorRules, 'vanishing' | 'exploding'>;

/** Which episodes begin, continue and end with these gradients. A layer without a gradient stays as it was. Pure. */
export function judge(
  episodes: Episodes,
  layers: readonly LayerGradient[],
  limits: Limits,
  step: number,
): Verdict {
  const now: Record<Trouble, ReadonlyMap<string, number>> = { ...episodes };
  const began: Turn[] = [];
  const ended: Turn[] = [];
  for (const trouble of TROUBLES) {
    const wasIn = episodes[trouble];
    const changed = layers.filter((each) => wasIn.has(each.layer) !== isIn(trouble, each, wasIn, limits));
    if (changed.length === 0) continue;
    const beginning = changed.filter(({ layer }) => !wasIn.has(layer));
    const ending = changed.filter(({ layer }) => wasIn.has(layer));
    const next = new Map(wasIn);
    for (const { layer } of beginning) next.set(layer, step);
    for (const { layer } of ending) next.delete(layer);
    now[trouble] = next;
    if (beginning.length > 0) began.push({ trouble, layers: beginning });
    if (ending.length > 0) ended.push({ trouble, layers: ending });
  }
  return { episodes: now, began, ended };
}

/** A norm near the limit crosses it back and forth, so an episode ends only when the norm is back by this factor. */
const MARGIN = 2;

function isIn(
  trouble: Trouble,
  { layer, norm, nonFinite }: LayerGradient,
  wasIn: ReadonlyMap<string, number>,
  { vanishing, exploding }: Limits,
): boolean {
  if (trouble === 'nonfinite') return nonFinite > 0;
  const was = wasIn.has(layer);
  // A norm that is not a number says neither that the trouble continues nor that it has ended.
  if (norm === undefined || nonFinite > 0) return was;
  if (trouble === 'vanishing') return vanishing !== false && norm < (was ? vanishing * MARGIN : vanishing);
  return exploding !== false && norm > (was ? exploding / MARGIN : exploding);
}
