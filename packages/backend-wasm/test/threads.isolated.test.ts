import { once } from 'node:events';
import { loadKernels } from '@hookline/kernels-native';
import { bundledProgram } from '@hookline/test-programs';
import * as tf from '@tensorflow/tfjs-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startedBackend } from '../src/backend/wasm-backend.js';
import { enableTraining } from '../src/index.js';
import type { ModuleExports } from '../src/module/exports.js';
import { loadModule } from '../src/module/load-module.js';
import { type CompiledModule, type Memory, WebAssembly } from '../src/module/web-assembly.js';
import { BOARD_BYTES, WORDS } from '../src/threads/board.js';
import { startWorker } from '../src/threads/node-worker.js';
import { SPLITTERS } from '../src/threads/splitters.js';
import { type StartedTeam, startTeam } from '../src/threads/start-team.js';
import { type ExportName, Team } from '../src/threads/team.js';
import { threadedModule } from '../src/threads/threaded-module.js';
import { numbers, on } from './backends.js';
import { ARENA_FLOATS, SPLIT_CASES, type SplitCase } from './cases/split.js';
import { packageRoot, runIsolated } from './isolated.js';

const THREADS = 3;
const native = loadKernels();

let backend: Awaited<ReturnType<typeof startedBackend>>;
let compiled: CompiledModule;
let module: ModuleExports;
let started: StartedTeam;
let arena: number;

beforeAll(async () => {
  // First of all: only a backend that is not running yet can get a memory that threads share.
  (await enableTraining({ threads: THREADS })).disable();
  backend = await startedBackend(true);
  const { memory } = backend.wasm.asm;
  compiled = (await loadModule(true, memory)).compiledFor(memory);
  module = new WebAssembly.Instance(compiled, { env: { memory } }).exports as ModuleExports;
  module.useWorkspace(backend.wasm._malloc(module.workspaceBytes()) >>> 0);
  started = await startTeam(backend, compiled, module, THREADS);
  arena = Math.ceil(backend.wasm._malloc(ARENA_FLOATS * 4 + 64) / 64) * 64;
});

afterAll(() => {
  started.end();
});

/** The numbers a case works on; what is in them depends on nothing else. */
const contents = Float32Array.from(
  { length: ARENA_FLOATS },
  (
    (next) => () =>
      next() * 2 - 1
  )(numbers(7)),
);

function fillArena(): void {
  new Float32Array(backend.wasm.asm.memory.buffer, arena, ARENA_FLOATS).set(contents);
}

/** What is there now, without what a case leaves in the room it computes in. */
function arenaBytes({ scratch }: Pick<SplitCase, 'scratch'> = {}): Buffer {
  const bytes = Buffer.from(new Uint8Array(backend.wasm.asm.memory.buffer, arena, ARENA_FLOATS * 4).slice());
  for (const [address, floats] of scratch?.(arena) ?? [])
    bytes.fill(0, address - arena, address - arena + floats * 4);
  return bytes;
}

/** A team whose caller computes its part only when the workers have taken all others. */
function politeTeam({ board } = started): Team {
  const words = new Int32Array(board);
  const polite = Object.fromEntries(
    Object.entries(module).map(([name, whole]) => [
      name,
      (...args: never[]) => {
        for (let ticket = 0, part = -1; part < ticket >> 8; part = ticket & 255) {
          ticket = Atomics.load(words, WORDS.ticket);
        }
        return (whole as (...all: never[]) => unknown)(...args);
      },
    ]),
  ) as unknown as ModuleExports;
  const names = Object.keys(module) as ExportName[];
  const { memory } = backend.wasm.asm;
  return new Team({ board, memory, module: polite, names, threads: THREADS });
}

function byWorkers(): number {
  return Atomics.load(new Int32Array(started.board), WORDS.byWorkers);
}

describe('threads', () => {
  it.each(SPLIT_CASES.map((each) => [each.title, each] as const))(
    'give the bits of one thread: %s',
    (_, splitCase: SplitCase) => {
      const { name } = splitCase;
      const call = splitCase.args(arena);
      fillArena();
      (module[name] as (...all: number[]) => void)(...call);
      const expected = arenaBytes(splitCase);
      fillArena();
      const { name: part, calls } = SPLITTERS.get(name)!.split(call, THREADS);
      const before = byWorkers();
      politeTeam().run(part, calls);
      expect(calls.length).toBeGreaterThan(1);
      expect(byWorkers() - before).toBeGreaterThanOrEqual(calls.length - 1);
      // Also that nothing but the result was written to.
      expect(arenaBytes(splitCase).equals(expected)).toBe(true);
    },
  );

  it.skipIf(!native)('give the same bits with native kernels, which the workers load too', async () => {
    const team = await startTeam(backend, compiled, module, THREADS, native!.file);
    const results = SPLIT_CASES.map((splitCase) => {
      const { title, name } = splitCase;
      const call = splitCase.args(arena);
      fillArena();
      (module[name] as (...all: number[]) => void)(...call);
      const expected = arenaBytes(splitCase);
      fillArena();
      const { name: part, calls } = SPLITTERS.get(name)!.split(call, THREADS);
      politeTeam(team).run(part, calls);
      return { title, same: arenaBytes(splitCase).equals(expected) };
    });
    team.end();
    expect(results.filter(({ same }) => !same)).toEqual([]);
    await expect(startTeam(backend, compiled, module, 2, '/no/such/kernels.node')).rejects.toMatchObject({
      code: 'NO_THREADS',
    });
  });

  it('have a case for every operation that is shared out', () => {
    expect(new Set(SPLIT_CASES.map(({ name }) => name))).toEqual(new Set(SPLITTERS.keys()));
  });

  it('see memory that was added a moment ago', () => {
    const { memory } = backend.wasm.asm;
    const pages = memory.buffer.byteLength / 65_536;
    const x = backend.wasm._malloc(2 ** 26) >>> 0;
    expect(memory.buffer.byteLength / 65_536).toBeGreaterThan(pages);
    // padImages begins with memory.fill, which asks the engine how large the memory is.
    const call = [x, x + 2 ** 25, 64, 30, 30, 1, 32, 32, 1, 1, 1, 1];
    new Float32Array(memory.buffer, x, 64 * 900).fill(3);
    const { name, calls } = SPLITTERS.get('padImages')!.split(call, THREADS);
    politeTeam().run(name, calls);
    const padded = new Float32Array(memory.buffer, x + 2 ** 25, 64 * 1024);
    expect(padded.reduce((sum, value) => sum + value)).toBe(64 * 900 * 3);
    backend.wasm._free(x);
  });

  it('are called in for large operations only', () => {
    const threaded = threadedModule(module, started);
    const words = new Int32Array(started.board);
    const times = (count: number, size: number) => {
      Atomics.store(words, WORDS.ticket, 0);
      const [a, b, out] = [arena, arena, arena + 300_000];
      for (let i = 0; i < count; i++) {
        threaded.matMul(a, false, b, false, out, size, size, size, 0, false, 1, 0, 0);
      }
      return Atomics.load(words, WORDS.ticket) >> 8;
    };
    expect(times(50, 32)).toBe(0);
    // Twice alone, to know how long it takes.
    expect(times(2, 200)).toBe(0);
    expect(times(1, 200)).toBe(THREADS);
  });

  it('leave a restarted backend without threads a separate module', async () => {
    const loaded = await loadModule(true, backend.wasm.asm.memory);
    const memory = await plainMemory();
    const fresh = new WebAssembly.Instance(loaded.compiledFor(memory), { env: { memory } });
    expect((fresh.exports as ModuleExports).workspaceBytes()).toBe(module.workspaceBytes());
  });

  it('do without a worker that was killed', async () => {
    const team = await startTeam(backend, compiled, module, 2);
    await Promise.all(team.workers.map((worker) => worker.terminate()));
    const { name, args } = SPLIT_CASES[0]!;
    fillArena();
    (module[name] as (...all: number[]) => void)(...args(arena));
    const expected = arenaBytes();
    fillArena();
    const { name: part, calls } = SPLITTERS.get(name)!.split(args(arena), 2);
    team.team.run(part, calls);
    expect(arenaBytes().equals(expected)).toBe(true);
    team.end();
  });

  it('end with an error, not never, when a worker is killed in the middle of its part', () => {
    const board = new SharedArrayBuffer(BOARD_BYTES);
    const words = new Int32Array(board);
    const { memory } = backend.wasm.asm;
    // Nobody else is there. While the caller computes its part, somebody seems to take the next one.
    const fill = (): void => void Atomics.add(words, WORDS.ticket, 1);
    const lonely = { ...module, fill } as ModuleExports;
    const patience = { milliseconds: 1, naps: 3 };
    const team = new Team({ board, memory, module: lonely, names: ['fill'], threads: 2, patience });
    const run = () => team.run('fill', [[], []]);
    expect(run).toThrow(expect.objectContaining({ code: 'THREAD_LOST' }));
    // From then on the caller computes alone.
    expect(run).not.toThrow();
  });

  it('throw when a part fails, once all parts have ended', () => {
    const call = [0, 0xffff_0000, 0xffff_0000, 65_536, 0, 0];
    const { name, calls } = SPLITTERS.get('unary')!.split(call, THREADS);
    const run = () => started.team.run(name, calls);
    expect(run).toThrow(expect.objectContaining({ code: 'THREAD_LOST' }));
  });

  it('are named when they cannot start', async () => {
    await expect(startWorker({})).rejects.toMatchObject({ code: 'NO_THREADS' });
  });

  it('end when they are told to', async () => {
    const { workers, end } = await startTeam(backend, compiled, module, 2);
    const ended = workers.map((worker) => once(worker as never, 'exit'));
    end();
    expect(await Promise.all(ended)).toHaveLength(1);
  });
});

/** A memory that is not shared, as tfjs starts its backend with. */
async function plainMemory(): Promise<Memory> {
  const instance = (await tf.findBackendFactory('wasm')()) as unknown as typeof backend;
  return instance.wasm.asm.memory;
}

describe('enableTraining({ threads })', () => {
  it.each([0, 1.5, Number.NaN, 17])('does not take %s', async (threads) => {
    await expect(enableTraining({ threads })).rejects.toMatchObject({ code: 'NO_THREADS' });
  });

  it('trains to the same bits as without, on the same backend', async () => {
    const step = () =>
      on('wasm', () => {
        const x = tf.randomUniform([64, 300], -1, 1, 'float32', 1) as tf.Tensor2D;
        const w = tf.randomUniform([300, 500], -1, 1, 'float32', 2) as tf.Tensor2D;
        const bits: number[] = [];
        for (let i = 0; i < 8; i++) {
          const gradient = tf.grad((v) => tf.sum(tf.relu(tf.matMul(x, v as tf.Tensor2D))))(w);
          bits.push(...new Int32Array(gradient.dataSync().buffer).subarray(0, 5000));
        }
        return bits;
      });
    const one = await enableTraining({ threads: 1 });
    expect(one.threads).toBe(1);
    const expected = await step();
    const three = await enableTraining({ threads: THREADS });
    expect(three.threads).toBe(THREADS);
    // Whoever asks for nothing in particular gets what is there.
    expect(await enableTraining()).toBe(three);
    expect(await step()).toEqual(expected);
    three.disable();
    (await enableTraining()).disable();
  });

  it('lets the process end by itself, and takes no processor time when there is nothing to do', async () => {
    const { value } = await runIsolated<{ threads: number; milliseconds: number }>(`
      import '@tensorflow/tfjs-backend-wasm';
      import * as tf from '@tensorflow/tfjs-core';
      import { setTimeout as sleep } from 'node:timers/promises';
      import { enableTraining } from './src/index.ts';
      const { threads } = await enableTraining({ threads: 2 });
      await tf.setBackend('wasm');
      const x = tf.ones([400, 400]);
      for (let i = 0; i < 10; i++) tf.matMul(x, x).dispose();
      // On a busy machine the threads may not have come to their rest yet: the quietest of some moments counts.
      let milliseconds = Infinity;
      for (let moment = 0; moment < 20 && milliseconds >= 50; moment++) {
        const before = process.cpuUsage();
        await sleep(500);
        const { user, system } = process.cpuUsage(before);
        milliseconds = Math.min(milliseconds, (user + system) / 1000);
      }
      report({ threads, milliseconds });
    `);
    expect(value.threads).toBe(2);
    expect(value.milliseconds).toBeLessThan(50);
  });

  it('works in a worker thread', async () => {
    const program = await bundledProgram(
      `
      import '@tensorflow/tfjs-backend-wasm';
      import * as tf from '@tensorflow/tfjs-core';
      import { parentPort } from 'node:worker_threads';
      import { enableTraining } from './src/index.ts';
      const { disable } = await enableTraining({ threads: 2 });
      await tf.setBackend('wasm');
      const x = tf.ones([200, 200]);
      let sum = 0;
      for (let i = 0; i < 10; i++) sum += tf.sum(tf.matMul(x, x)).dataSync()[0];
      disable();
      parentPort.postMessage(sum);
      `,
      packageRoot,
    );
    const { value, output } = await runIsolated<{ sum: number }>(
      `
      import { once } from 'node:events';
      import { Worker } from 'node:worker_threads';
      const [sum] = await once(new Worker(args[0]), 'message');
      report({ sum });
      `,
      program,
    );
    expect(value.sum, output).toBe(10 * 200 ** 3);
  });

  it('says what is wrong when the backend runs already, and where there are no workers', async () => {
    const { value } = await runIsolated<[string, string, number]>(`
      import '@tensorflow/tfjs-backend-wasm';
      import * as tf from '@tensorflow/tfjs-core';
      import { enableTraining } from './src/index.ts';
      await tf.setBackend('wasm');
      const outcome = () => enableTraining({ threads: 2 }).then(() => 'enabled', ({ code, message }) => code + message);
      const first = await outcome();
      process.getBuiltinModule = undefined;
      report([first, await outcome(), (await enableTraining()).threads]);
    `);
    expect(value[0]).toMatch(/^NO_THREADS.*before tf.setBackend/);
    expect(value[1]).toMatch(/^NO_THREADS.*Node only/);
    expect(value[2]).toBe(1);
  });

  it('auto takes as many as the machine has', async () => {
    const { value } = await runIsolated<{ threads: number; whyOneThread?: string; available: number }>(`
      import '@tensorflow/tfjs-backend-wasm';
      import { availableParallelism } from 'node:os';
      import { enableTraining } from './src/index.ts';
      const { threads, whyOneThread, disable } = await enableTraining({ threads: 'auto' });
      disable();
      report({ threads, whyOneThread, available: Math.min(16, availableParallelism()) });
    `);
    expect(value.threads).toBe(value.available);
    expect(value.whyOneThread).toBeUndefined();
  });

  it('auto trains with one thread, and says why, where there can be no others', async () => {
    const { value } = await runIsolated<{ threads: number; why: string; again: boolean; sum: number }>(`
      import '@tensorflow/tfjs-backend-wasm';
      import * as tf from '@tensorflow/tfjs-core';
      import { availableParallelism } from 'node:os';
      import { enableTraining } from './src/index.ts';
      process.getBuiltinModule = ((stock) => (name) =>
        name === 'os' ? { availableParallelism: () => 4 } : stock.call(process, name))(process.getBuiltinModule);
      await tf.setBackend('wasm');
      const { threads, whyOneThread: why } = await enableTraining({ threads: 'auto' });
      const kernel = tf.getKernel('Conv2DBackpropFilter', 'wasm');
      await enableTraining({ threads: 'auto' });
      const again = kernel !== undefined && tf.getKernel('Conv2DBackpropFilter', 'wasm') === kernel;
      report({ threads, why, again, sum: tf.sum(tf.ones([9])).dataSync()[0] });
    `);
    expect(value).toMatchObject({ threads: 1, again: true, sum: 9 });
    expect(value.why).toMatch(/started before threads were asked for/);
  });

  it('leaves what was enabled as it was when the threads cannot be had', async () => {
    const { value } = await runIsolated<{ code: string; kept: boolean; fma: boolean }>(`
      import '@tensorflow/tfjs-backend-wasm';
      import * as tf from '@tensorflow/tfjs-core';
      import { enableTraining } from './src/index.ts';
      await tf.setBackend('wasm');
      const before = await enableTraining({ fma: false });
      const kernel = tf.getKernel(tf.BatchMatMul, 'wasm');
      const { code } = await enableTraining({ threads: 2 }).catch((error) => error);
      const after = await enableTraining();
      report({ code, kept: after === before && tf.getKernel(tf.BatchMatMul, 'wasm') === kernel, fma: after.fma });
    `);
    expect(value).toEqual({ code: 'NO_THREADS', kept: true, fma: false });
  });
});
