import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { enableTraining, type TrainingOptions } from '@hookline/backend-wasm';
import { activeAccelerator } from '@hookline/numerics';
import '@tensorflow/tfjs-backend-cpu';
import '@tensorflow/tfjs-backend-wasm';
import * as tf from '@tensorflow/tfjs-core';
import { type Benchmark, type Row, roundsFor, type Settings } from './benchmark.js';
import { ratioOf, type Times } from './paired.js';
import { processorTime } from './processor-time.js';
import { type Duration, type Framework, PythonSide } from './python-side.js';
import { TRAINING_MODELS, type TrainingModel } from './training-models.js';
import { LARGE_MODELS } from './training-models-large.js';

/** By name, for this benchmark and others. */
export const MODELS: Readonly<Record<string, () => TrainingModel>> = { ...TRAINING_MODELS, ...LARGE_MODELS };

/** One step of training (forward, backward, Adam) of twelve models: the backends as tfjs has them, ours, and Python's. */
export const trainingSteps: Benchmark = async (settings) => {
  if (isSide()) return beSide();
  const rows: Row[] = [];
  for (const model of Object.keys(MODELS)) rows.push(...(await raceSides(model, settings)));
  return rows;
};

/** What each side switches on. From `kernels` to `hookline` it is more and more; `native` is that with native kernels. */
const SIDES = {
  'tfjs cpu': undefined,
  stock: undefined,
  kernels: { layers: false, engine: false, native: false, threads: 1 },
  layers: { layers: true, engine: false, native: false, threads: 1 },
  engine: { layers: true, engine: true, native: false, threads: 1 },
  hookline: { layers: true, engine: true, native: false, threads: 1 },
  'hookline without fma': { layers: true, engine: true, fma: false, threads: 1 },
  'hookline, two threads': { layers: true, engine: true, native: false, threads: 2 },
  native: { layers: true, engine: true, native: true, threads: 1 },
  'native, two threads': { layers: true, engine: true, native: true, threads: 2 },
} as const satisfies Record<string, TrainingOptions | undefined>;

/** Sides of other benchmarks, which are not in this one. */
const OTHER_SIDES = {
  'native, auto': { layers: true, engine: true, native: true },
} as const satisfies Record<string, TrainingOptions>;

type SideName = keyof typeof SIDES | keyof typeof OTHER_SIDES;

const PYTHON_SIDES: readonly (readonly [name: string, framework: Framework, threads?: number])[] = [
  ['torch', 'torch'],
  ['torch, one thread', 'torch', 1],
  ['Keras fit', 'keras'],
  ['Lightning', 'lightning'],
];

/** Of steps that take seconds, a few tell enough, without any to warm up. */
const SLOW = { milliseconds: 1000, rounds: 3 };

/** Set in the process of a side: which one it is. */
const SIDE = 'HOOKLINE_TRAINING_STEPS_SIDE';

/** A process that trains. */
export interface Side {
  time(model: string, steps: number): Promise<Duration>;
  close(): void;
}

/** A process for each side, which take turns: what slows the machine down slows all of them. */
async function raceSides(model: string, settings: Settings): Promise<Row[]> {
  const names: string[] = settings.quick ? ['stock', 'hookline', 'native'] : Object.keys(SIDES);
  const sides = new Map<string, Side>(names.map((name) => [name, new NodeSide(name)]));
  for (const [name, framework, threads] of PYTHON_SIDES) {
    const side = await PythonSide.start(framework, threads);
    if (side) sides.set(name, side);
  }
  const wall: Times<string> = {};
  const processor: Times<string> = {};
  const broken = new Map<string, string>();
  const steps = new Map<string, number>();
  const rounds = roundsFor(settings);
  for (let round = -6; round < rounds; round++) {
    for (const [name, side] of sides) {
      if (broken.has(name) || isSlow(wall[name])) continue;
      try {
        const count = steps.get(name) ?? 1;
        const duration = await side.time(model, count);
        const milliseconds = duration.wall / count;
        // Some 30 ms at a time, as many steps as that is.
        steps.set(name, Math.max(1, Math.min(300, Math.round(30 / milliseconds))));
        if (round < 0 && milliseconds < SLOW.milliseconds) continue;
        wall[name] = [...(wall[name] ?? []), milliseconds];
        processor[name] = [...(processor[name] ?? []), duration.processor / count];
      } catch (error) {
        broken.set(name, (error as Error).message);
      }
    }
  }
  for (const side of sides.values()) side.close();
  const note = [...sides.keys()]
    .map((name) => `${name} ${fastest(wall[name])} (${fastest(processor[name])})`)
    .join(', ');
  const against = (other: string): Row[] => {
    if (!wall[other]) return [];
    return [
      { what: `${model}: a step / ${other}`, ratio: ratioOf(wall, 'hookline', other), note },
      // What others do on the machine shows in it less; threads of one side add up.
      {
        what: `${model}: processor time of a step / ${other}`,
        ratio: ratioOf(processor, 'hookline', other),
        note,
      },
    ];
  };
  const withThreads = (other: string): Row[] => {
    const own = 'hookline, two threads';
    if (!wall[own] || !wall[other]) return [];
    return [{ what: `${model}: a step with two threads / ${other}`, ratio: ratioOf(wall, own, other), note }];
  };
  const natively = (own: 'native' | 'native, two threads', other: string): Row[] => {
    if (!wall[own] || !wall[other]) return [];
    return [
      { what: `${model}: a step, ${own} / ${other}`, ratio: ratioOf(wall, own, other), note },
      {
        what: `${model}: processor time of a step, ${own} / ${other}`,
        ratio: ratioOf(processor, own, other),
        note,
      },
    ];
  };
  const rows = [
    ...against('stock'),
    ...against('torch'),
    ...against('torch, one thread'),
    ...against('Keras fit'),
    ...against('Lightning'),
    ...withThreads('hookline'),
    ...withThreads('torch'),
    ...natively('native', 'hookline'),
    ...natively('native', 'torch, one thread'),
    ...natively('native, two threads', 'native'),
    ...natively('native, two threads', 'torch'),
  ];
  return rows.length > 0 ? rows : [{ what: `${model}: a step`, count: 0, note }];
}

function isSlow(times: readonly number[] = []): boolean {
  return times.length >= SLOW.rounds && Math.min(...times) > SLOW.milliseconds;
}

function fastest(times: readonly number[] | undefined): string {
  return times ? `${Math.min(...times).toPrecision(3)} ms` : 'fails';
}

export class NodeSide implements Side {
  readonly #child: ChildProcess;

  constructor(name: string) {
    const [file, benchmark] = process.argv.slice(1) as [string, string];
    this.#child = fork(file, [benchmark, 'full'], { env: { ...process.env, [SIDE]: name } });
  }

  async time(model: string, steps: number): Promise<Duration> {
    this.#child.send({ model, steps });
    const [answer] = (await once(this.#child, 'message')) as [Duration | { error: string }];
    if ('error' in answer) throw new Error(answer.error);
    return answer;
  }

  close(): void {
    this.#child.kill();
  }
}

export function isSide(): boolean {
  return process.env[SIDE] !== undefined;
}

/** In the process of a side: answers until it is killed. */
export async function beSide(): Promise<never> {
  const name = process.env[SIDE] as SideName;
  const options: TrainingOptions | undefined = { ...SIDES, ...OTHER_SIDES }[name];
  // It starts the backend, with a memory that threads can share where they are asked for.
  const training = options && (await enableTraining(options));
  // Without them its times would be those of another side.
  const missing = options?.native && !training?.native ? training?.whyNotNative : undefined;
  await tf.setBackend(name === 'tfjs cpu' ? 'cpu' : 'wasm');
  const isFused = /^(hookline|native)/.test(name);
  const known = new Map<string, () => void>();
  process.on('message', ({ model, steps }: { model: string; steps: number }) => {
    try {
      if (missing) throw new Error(`no native kernels: ${missing}`);
      const step = known.get(model) ?? stepOf(MODELS[model]!(), isFused);
      known.set(model, step);
      const [wall, processor] = [performance.now(), processorTime()];
      for (let i = 0; i < steps; i++) step();
      process.send!({ wall: performance.now() - wall, processor: processorTime() - processor });
    } catch (error) {
      process.send!({ error: (error as Error).message });
    }
  });
  return new Promise<never>(() => {});
}

/** One step as a program writes it: with the fused loss and optimizer, or with what tfjs has. */
export function stepOf(model: TrainingModel, isFused: boolean): () => void {
  const { variables, targets, loss, forward } = model;
  const stock = tf.train.adam(0.001);
  const slots = new Map(
    isFused ? variables.map((variable) => [variable, [zeros(variable), zeros(variable)]]) : [],
  );
  let count = 0;
  return () => {
    const { value, grads } = tf.variableGrads(() => {
      const outputs = forward();
      return (
        (isFused ? activeAccelerator()?.loss(loss, targets, outputs) : undefined) ??
        composed(loss, targets, outputs)
      );
    }, variables);
    count++;
    if (!isFused) stock.applyGradients(variables.map(({ name }) => ({ name, tensor: grads[name]! })));
    for (const variable of isFused ? variables : []) {
      const gradient = grads[variable.name]!;
      const done = activeAccelerator()?.update(ADAM, {
        variable,
        gradient,
        slots: slots.get(variable)!,
        step: count,
        hyper: { lr: 0.001 },
      });
      if (!done) throw new Error(`${variable.name} could not be updated in place`);
    }
    value.dispose();
    tf.dispose(grads);
  };
}

const ADAM = { kind: 'adam', beta1: 0.9, beta2: 0.999, epsilon: 1e-7, decoupled: false } as const;

function zeros(variable: tf.Variable): tf.Tensor {
  return tf.keep(tf.zerosLike(variable));
}

function composed(loss: TrainingModel['loss'], targets: tf.Tensor, outputs: tf.Tensor): tf.Scalar {
  if (loss === 'meanSquaredError') return tf.mean(tf.square(tf.sub(outputs, targets)));
  const logs =
    loss === 'softmaxCrossentropy' ? tf.logSoftmax(outputs) : tf.log(tf.clipByValue(outputs, 1e-7, 1 - 1e-7));
  return tf.mean(tf.neg(tf.sum(tf.mul(targets, logs), -1)));
}
