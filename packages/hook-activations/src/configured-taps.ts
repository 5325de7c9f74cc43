import type { ActivationsOptions } from './options.js';
import { TapManager } from './taps/tap-manager.js';
import type { TrainingWindow } from './taps/training-window.js';

/** A manager with the hooks that the options ask for: `monitor`, `capture`, `debug`, and one for each intervention. */
export function configuredTaps(options: ActivationsOptions, window: TrainingWindow): TapManager {
  const { maxCapturedStates, memoryLimitMb, cleanupInterval, enableIntervention } = options;
  const limits = { maxCapturedStates, memoryLimitMb, cleanupInterval, enableIntervention };
  const given = Object.entries(limits).filter(([, value]) => value !== undefined);
  const taps = new TapManager(undefined, Object.fromEntries(given), window);
  intervene(taps, options);
  monitor(taps, options);
  capture(taps, options);
  debug(taps, options);
  return taps;
}

function intervene(taps: TapManager, { interventions = [] }: ActivationsOptions): void {
  for (const [layer, handler] of interventions) {
    const { input, output, gradient } = typeof handler === 'function' ? { output: handler } : handler;
    taps.registerInterventionHook(layer, {
      ...(output && { transform: (event) => output(event) ?? undefined }),
      ...(input && { transformInput: (event) => input(event) ?? undefined }),
      ...(gradient && { transformGradient: (event) => gradient(event) ?? undefined }),
    });
  }
}

function monitor(taps: TapManager, { monitor: layers, metrics }: ActivationsOptions): void {
  if (layers === false) return;
  // Nobody asked for the default, so a module that names no points is not a mistake.
  const optional = layers === undefined;
  taps.registerMonitoringHook(layers ?? outsideOfCells, {
    id: 'monitor',
    optional,
    ...(metrics && { metrics }),
  });
}

function capture(taps: TapManager, options: ActivationsOptions): void {
  if (options.capture === undefined) return;
  const { captureInput = false, captureOutput = true, store = 'host' } = options;
  taps.registerCaptureHook(options.capture, { id: 'capture', captureInput, captureOutput, store });
}

function debug(taps: TapManager, { debug: layers, conditions, action }: ActivationsOptions): void {
  if (layers === undefined) return;
  taps.registerDebugHook(layers, {
    id: 'debug',
    ...(conditions && { conditions }),
    ...(action && { action }),
  });
}

/**
 * What a cell computes shows in its RNN. A tap on the cell makes backends that compute the whole sequence at once go
 * step by step, which is slow and rounds differently, so it is not done unasked.
 */
function outsideOfCells(path: string): boolean {
  return !path.split('/').includes('cell');
}
