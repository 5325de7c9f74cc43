import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { activations } from '@hookline/hook-activations';
import { BUILT_IN_ORDER, every, type Hook, type HookLogger } from '@hookline/hook-api';
import { checkpoint } from '@hookline/hook-checkpoint';
import { dashboard } from '@hookline/hook-dashboard';
import { debug } from '@hookline/hook-debug';
import { earlyStopping } from '@hookline/hook-early-stopping';
import { gradientMonitor } from '@hookline/hook-gradient-monitor';
import { logging } from '@hookline/hook-logging';
import { lrMonitor } from '@hookline/hook-lr-monitor';
import { notify } from '@hookline/hook-notify';
import { profiler } from '@hookline/hook-profiler';
import { progress } from '@hookline/hook-progress';
import { report } from '@hookline/hook-report';
import { TEST_BACKEND } from '@hookline/test-support';
import { type FitOptions, Trainer } from '@hookline/trainer';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { afterEach, beforeEach, expect, test } from 'vitest';

let folder: string;
let server: Server;
let requests: string[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hookline-all-hooks-'));
  requests = [];
  // A tracking server and a webhook in one, which take everything.
  server = createServer((request, response) => {
    requests.push(request.url!);
    request.resume().on('end', () => response.end('{"run":{"info":{"run_id":"1"}}}'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true, force: true });
});

/** Every hook that there is, doing all it can at every step. */
function allHooks(): Hook[] {
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return [
    profiler({ steps: 5, skip: 0, kernels: true }),
    activations({ every: 1, capture: '**', debug: '**' }),
    gradientMonitor({
      every: 1,
      gradients: 'both',
      stats: ['min', 'max', 'mean', 'std', 'zeros', 'nonfinite', 'update-ratio'],
    }),
    lrMonitor(),
    debug({ activations: true, shapes: 'every' }),
    earlyStopping({ patience: 100, verbose: true }),
    ...logging({
      backends: {
        'console-log': { every: 1, write: () => {} },
        'json-log': { every: 1, file: join(folder, 'log.jsonl') },
        'csv-log': { every: 1, file: join(folder, 'log.csv') },
        tensorboard: { every: 1, dir: join(folder, 'tensorboard') },
        wandb: { every: 1, client: { init: () => ({ log: () => {}, finish: () => {} }) } },
        mlflow: { every: 1, uri: address },
      },
    }),
    notify({ webhook: address, on: ['start', 'end', 'failure', 'best', 'plateau'], plateau: 1 }),
    report({ print: false }),
    dashboard(),
    progress({ stream: { write: () => true, isTTY: true, columns: 80 }, refreshMs: 0 }),
    // On this thread: the sources cannot be run on another one without a build.
    checkpoint({ dir: join(folder, 'checkpoints'), every: { steps: 3, epochs: 1 }, async: false }),
  ];
}

interface Outcome {
  history: unknown;
  weights: number[];
  warnings: string[];
  trainer: Trainer;
  fit(options?: Partial<FitOptions>): Promise<unknown>;
}

/** Trains a model that is random in all its ways. */
async function train(hooks: Hook[], options: Partial<FitOptions> = {}): Promise<Outcome> {
  const warnings: string[] = [];
  const trainer = new Trainer({
    model: () =>
      tfl.sequential({
        layers: [
          tfl.layers.dense({ name: 'in', units: 8, inputShape: [3], activation: 'tanh' }),
          tfl.layers.batchNormalization({ name: 'norm' }),
          tfl.layers.dropout({ name: 'drop', rate: 0.3 }),
          tfl.layers.dense({ name: 'out', units: 1 }),
        ],
      }),
    loss: 'meanSquaredError',
    optimizer: { name: 'adam', lr: 0.01 },
    metrics: ['meanAbsoluteError'],
    clip: { globalNorm: 1 },
    hooks,
    discover: false,
    backend: TEST_BACKEND,
    runsDir: join(folder, 'runs'),
    seed: 5,
    logger: complainingLogger(warnings),
  });
  const fit = (more: Partial<FitOptions> = {}) =>
    trainer.fit({ ...DATA, epochs: 3, batchSize: 4, ...options, ...more });
  const { history } = await fit();
  const model = (await trainer.model()) as tfl.LayersModel;
  const weights = model.getWeights().flatMap((weight) => [...weight.dataSync()]);
  return { history, weights, warnings, trainer, fit };
}

const rows = (count: number, shift: number) =>
  Array.from({ length: count }, (_, i) => [1, 2, 3].map((k) => Math.sin(i * k + shift)));
const DATA = {
  train: { xs: rows(28, 0), ys: rows(28, 0).map(([a, b]) => [a! * 0.5 - b!]) },
  validation: { xs: rows(8, 1), ys: rows(8, 1).map(([a, b]) => [a! * 0.5 - b!]) },
};

function complainingLogger(warnings: string[]): HookLogger {
  const ignore = () => {};
  const complain = (fields: object | string, message?: string) => {
    warnings.push(typeof fields === 'string' ? fields : (message ?? ''));
  };
  const logger: HookLogger = {
    debug: ignore,
    info: ignore,
    warn: complain,
    error: complain,
    child: () => logger,
  };
  return logger;
}

test('every built-in hook is here', () => {
  expect(
    allHooks()
      .map(({ name }) => name)
      .sort(),
  ).toEqual([...BUILT_IN_ORDER].sort());
});

test('all hooks at once leave training as it is, to the bit, say nothing is wrong, and keep no tensor', async () => {
  const plain = await train([]);
  const hooked = await train(allHooks());
  expect(hooked.warnings).toEqual([]);
  expect(hooked.history).toEqual(plain.history);
  expect(hooked.weights).toEqual(plain.weights);
  expect(requests.filter((url) => url === '/').length).toBeGreaterThan(2);
  expect(requests).toContain('/api/2.0/mlflow/runs/update');
  const { numTensors } = tf.memory();
  await hooked.fit({ epochs: 2 });
  expect(tf.memory().numTensors).toBe(numTensors);
  expect(hooked.warnings).toEqual([]);
});

test('so it is when every hook is called at every other step only', async () => {
  const plain = await train([]);
  const filtered = await train(allHooks().map(everyOtherStep));
  expect(filtered.warnings).toEqual([]);
  expect(filtered.history).toEqual(plain.history);
  expect(filtered.weights).toEqual(plain.weights);
  const { numTensors } = tf.memory();
  await filtered.fit();
  expect(tf.memory().numTensors).toBe(numTensors);
});

/** The hook with a filter on each of its methods that observe a batch or a step. */
function everyOtherStep(hook: Hook): Hook {
  const filtered: Record<string, unknown> = { ...hook };
  for (const [name, method] of Object.entries(hook)) {
    if (
      /^on(TrainBatch|Step|Forward|BeforeBackward|AfterBackward|BeforeOptimizerStep|AfterOptimizerStep)/.test(
        name,
      )
    ) {
      filtered[name] = every({ steps: 2 }, method);
    }
  }
  return filtered as unknown as Hook;
}

test('a run that is cut off in the middle of an epoch resumes with the state of every hook', async () => {
  const states: Record<string, unknown>[] = [];
  const recorder: Hook = {
    name: 'recorder',
    async onTrainEnd(ctx) {
      const { hooks } = (await ctx.snapshot()).state as unknown as { hooks: Record<string, unknown> };
      states.push(hooks);
    },
  };
  const whole = await train([recorder, ...allHooks()]);
  await rm(join(folder, 'checkpoints'), { recursive: true });
  await train(allHooks(), { maxSteps: 10 });
  const resumed = await train([recorder, ...allHooks()], { resume: 'auto' });
  expect(resumed.warnings).toEqual([]);
  expect(resumed.weights).toEqual(whole.weights);
  expect((resumed.history as unknown[]).at(-1)).toEqual((whole.history as unknown[]).at(-1));
  const [expected, found] = states.map(({ checkpoint: _checkpoint, ...others }) => others);
  expect(Object.keys(expected!)).toEqual(
    expect.arrayContaining(['early-stopping', 'gradient-monitor', 'notify']),
  );
  expect(found).toEqual(expected);
});

test('early stopping restores the best weights from what the checkpoint hook saved', async () => {
  const losses: number[] = [];
  const seen: number[][] = [];
  const recorder: Hook = {
    name: 'recorder',
    onValidationEnd({ state }, { metrics }) {
      losses.push(metrics['val/loss']!);
      seen.push(Object.values(state.parameters).flatMap((weight) => [...weight.dataSync()]));
    },
  };
  const hooks = [
    recorder,
    earlyStopping({ restoreBest: 'checkpoint', patience: 2 }),
    checkpoint({ dir: join(folder, 'checkpoints'), async: false }),
  ];
  const { weights, warnings } = await train(hooks, { epochs: 30 });
  expect(warnings).toEqual([]);
  const best = losses.indexOf(Math.min(...losses));
  expect(best).toBeLessThan(losses.length - 1);
  expect([...weights].sort()).toEqual([...seen[best]!].sort());
});
