import { Worker } from 'node:worker_threads';

/** What a thread does: calls of kernels, each with its arguments, as often as it is told. */
export interface ThreadWork {
  readonly file: string;
  readonly memory: Uint8Array;
  readonly limit?: string;
  readonly repeat: number;
  readonly calls: readonly { readonly name: string; readonly args: readonly number[] }[];
}

export interface ThreadAnswer {
  /** The outcome of each call: 0 where it was computed. */
  readonly outcomes: readonly number[];
  readonly instructions: string;
  /** Whether the thread computed with numbers of its own, and not with those of another. */
  readonly kept: boolean;
}

/** In JavaScript, and without this package: the workers of a team load the addon by its file. */
const SOURCE = `
const { parentPort, workerData } = require('node:worker_threads');
const { file, memory, limit, repeat, calls } = workerData;
const addon = require(file);
const instructions = limit ? addon.use(limit) : addon.instructions;
addon.attach(memory);
const numbers = addon.arguments;
const outcomes = [];
let kept = require(file) === addon;
for (let round = 0; round < repeat; round++) {
  for (const { name, args } of calls) {
    numbers.set(args);
    addon.functions[name]();
    outcomes.push(numbers[numbers.length - 1]);
    kept &&= args.every((each, i) => Object.is(numbers[i], each));
  }
}
parentPort.postMessage({ outcomes, instructions, kept });
`;

/** Ends when the thread has ended. */
export async function inThread(work: ThreadWork): Promise<ThreadAnswer> {
  const worker = new Worker(SOURCE, { eval: true, workerData: work });
  return new Promise((resolve, reject) => {
    let answer: ThreadAnswer;
    worker.on('message', (message: ThreadAnswer) => {
      answer = message;
    });
    worker.on('error', reject);
    worker.on('exit', () => resolve(answer));
  });
}
