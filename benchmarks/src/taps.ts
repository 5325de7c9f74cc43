import { activations } from '@hookline/hook-activations';
import type { Benchmark } from './benchmark.js';
import { hooksOnMlp } from './hooks-on-mlp.js';

/** Hooks on layers against none: one layer with an empty handler, and every layer looked at in every step. */
export const taps: Benchmark = async (settings) => {
  const row = await hooksOnMlp(settings, {
    tapped: { name: 'tapped', layers: 'dense_2', onForward: () => {} },
    monitored: activations({ every: 1 }),
    captured: activations({ every: 1, monitor: false, capture: '**', memoryLimitMb: 16 }),
  });
  return [
    row('tapped', 'one tapped layer, empty handler', 1.02),
    row('monitored', 'activations monitors every layer, every step', 1.15),
    row('captured', 'activations captures every layer, every step'),
  ];
};
