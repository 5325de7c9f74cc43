import { CLOSED, FIRST_PART, PART_NUMBERS, WORDS } from './board.js';

/**
 * How long a worker looks for the next operation before it sleeps: the operations of one step follow within this time,
 * and waking it takes some 50 microseconds.
 */
const SPIN_MILLISECONDS = 0.3;

/**
 * The program of a worker, as text: it is started without a file, so that it survives bundling. Everything it needs
 * comes with `workerData`. It never returns to its event loop: it takes parts, or sleeps.
 */
export const WORKER_SOURCE: string = `'use strict';
const { parentPort, workerData } = require('node:worker_threads');
const { board, compiled, memory, workspace, names, addon } = workerData;
const words = new Int32Array(board);
const numbers = new Float64Array(board);
const { exports } = new WebAssembly.Instance(compiled, { env: { memory } });
const native = addon ? require(addon) : {};
const functions = names.map((name) => nativeOr(name, exports[name]));
exports.useWorkspace(workspace);

let buffer;
function nativeOr(name, stock) {
  const run = native.functions && native.functions[name];
  if (!run) return stock;
  const numbers = native.arguments;
  return (...args) => {
    if (memory.buffer !== buffer) {
      buffer = memory.buffer;
      native.attach(new Uint8Array(buffer));
    }
    numbers.set(args);
    run();
    const outcome = numbers[numbers.length - 1];
    if (outcome < 0) stock(...args);
    if (outcome > 0) throw new RangeError(name + ': argument ' + outcome);
  };
}

function run(part) {
  const at = ${FIRST_PART} + part * ${PART_NUMBERS};
  while (memory.buffer.byteLength < Atomics.load(words, ${WORDS.pages}) * 65536);
  try {
    functions[numbers[at]](...numbers.subarray(at + 2, at + 2 + numbers[at + 1]));
  } catch {
    Atomics.store(words, ${WORDS.failed}, 1);
  }
  Atomics.add(words, ${WORDS.byWorkers}, 1);
  Atomics.add(words, ${WORDS.finished}, 1);
  if (Atomics.load(words, ${WORDS.callerSleeps})) Atomics.notify(words, ${WORDS.finished});
}

function changed(ticket) {
  const end = performance.now() + ${SPIN_MILLISECONDS};
  do {
    for (let i = 0; i < 100; i++) if (Atomics.load(words, ${WORDS.ticket}) !== ticket) return;
  } while (performance.now() < end);
  Atomics.add(words, ${WORDS.sleepers}, 1);
  Atomics.wait(words, ${WORDS.ticket}, ticket);
  Atomics.sub(words, ${WORDS.sleepers}, 1);
}

parentPort.postMessage('ready');
for (;;) {
  const ticket = Atomics.load(words, ${WORDS.ticket});
  if (ticket === ${CLOSED}) break;
  const part = ticket & 255;
  if (part >= ticket >> 8) changed(ticket);
  else if (Atomics.compareExchange(words, ${WORDS.ticket}, ticket, ticket + 1) === ticket) run(part);
}
`;
