// The rules of scripts/check-architecture.mjs. After a change: npm run architecture -- --write

/**
 * @typedef {object} PackageRule
 * @property {string} name The folder below packages/; `hook-*` is every hook package without its own rule.
 * @property {string} holds For the table in docs/architecture.md.
 * @property {string[]} imports The packages of this workspace that its sources may import.
 * @property {string[]} [browser] The entries, below src, that a browser loads: nothing that they reach may import a module
 *   of Node. What differs is behind `#host`, which is `host/browser.ts` there and `host/node.ts` in Node.
 */

/**
 * From the bottom up: a package may import only packages above it in this list.
 * @type {PackageRule[]}
 */
export const packageRules = [
  {
    name: 'hook-api',
    holds: 'the contract: events, `Hook`, `HookManager`, filters, manifest, options, errors',
    imports: [],
    browser: ['index', 'helpers', 'manifest'],
  },
  {
    name: 'host',
    holds: 'files, paths, hashes and processes, by the same names in Node and in a browser',
    imports: [],
    browser: ['index'],
  },
  {
    name: 'safetensors',
    holds: 'safetensors files, and folders that are either complete or absent',
    imports: ['host'],
    browser: ['index', 'node'],
  },
  {
    name: 'layer-taps',
    holds: 'paths of layers and parameters; observes or replaces what a layer computes',
    imports: ['hook-api'],
    browser: ['index'],
  },
  {
    name: 'numerics',
    holds: 'trees of tensors, copies on the host, seeds, and `Accelerator`: the seam to fast backends',
    imports: ['hook-api'],
    browser: ['index'],
  },
  {
    name: 'hook-discovery',
    holds: 'reads the manifests in the dependencies of a project; the registry and the order of hooks',
    imports: ['hook-api', 'host'],
    browser: ['index'],
  },
  {
    name: 'data',
    holds: 'loaders, CSV, shuffling, prefetching, and the feed of batches',
    imports: ['hook-api', 'numerics'],
    browser: ['index'],
  },
  {
    name: 'optimizers',
    holds: 'update rules, parameter groups, clipping, schedules, averages of weights',
    imports: ['hook-api', 'numerics', 'layer-taps'],
    browser: ['index'],
  },
  {
    name: 'tfjs-corrections',
    holds: 'corrections of what stock TensorFlow.js gets wrong in training',
    imports: ['numerics', 'layer-taps'],
    browser: ['index'],
  },
  {
    name: 'kernels-native',
    holds: 'the hot kernels in C with AVX2 and AVX-512, on the memory of the wasm backend; found at run time',
    imports: [],
  },
  {
    name: 'backend-wasm',
    holds: 'kernels and threads for the wasm backend of TensorFlow.js; implements `Accelerator`',
    imports: ['numerics'],
    browser: ['index', 'register'],
  },
  {
    name: 'run-view',
    holds: 'reads the folder of a run: curves, epochs, hooks, histograms; follows it while it is written',
    imports: ['hook-api', 'host'],
    browser: ['index'],
  },
  {
    name: 'trainer',
    holds: 'the loop, resume, the run record, the choice of backend, the `hookline` command',
    browser: ['index'],
    imports: [
      'hook-api',
      'host',
      'safetensors',
      'layer-taps',
      'numerics',
      'hook-discovery',
      'data',
      'optimizers',
      'tfjs-corrections',
      'backend-wasm',
      'run-view',
    ],
  },
  {
    name: 'worker',
    holds: 'training in a web worker or a worker thread, with hooks on either side',
    imports: ['hook-api', 'numerics', 'trainer'],
  },
  {
    name: 'accelerate-mpi',
    holds: 'the ranks of a training over MPI: Open MPI or MPICH, in a thread',
    imports: ['hook-api'],
  },
  {
    name: 'hook-testkit',
    holds: 'the tests that every hook should pass, and parts to test hooks with',
    imports: ['hook-api', 'hook-discovery', 'trainer'],
  },
  {
    name: 'create-trainer-hook',
    holds: 'writes the package of a new hook: `npm create trainer-hook`',
    imports: ['hook-api', 'host'],
  },
  {
    name: 'vite-plugin',
    holds: 'the installed hooks of a project in a bundle of Vite or esbuild',
    imports: ['hook-api', 'hook-discovery'],
  },
  {
    name: 'sweep',
    holds: 'searches for hyper-parameters: spaces, TPE, successive halving, trials in processes',
    imports: ['hook-api', 'host', 'numerics', 'hook-discovery', 'trainer'],
  },
  {
    name: 'hook-*',
    holds: 'one concern each: logging, progress, checkpoints, early stopping, monitors',
    imports: ['hook-api', 'host', 'safetensors', 'layer-taps', 'numerics', 'run-view'],
  },
];

/**
 * @typedef {object} RoomRule
 * @property {string} name A folder of packages/trainer/src, or a name for `files`.
 * @property {string[]} [files] Files in packages/trainer/src itself, without their ending.
 * @property {string} holds For the table in docs/architecture.md.
 * @property {string[]} [not] Rooms below it that it may not import all the same.
 * @property {string} [door] The only name by which other rooms may import it.
 */

/**
 * The rooms of the trainer, from the top down: a room may import only rooms below it in this list.
 * @type {RoomRule[]}
 */
export const trainerRooms = [
  { name: 'cli', holds: 'the `hookline` command' },
  { name: 'entry', files: ['index'], holds: 'what users import' },
  { name: 'config', holds: '`hookline.config.ts`: finding, reading, overriding and checking it' },
  { name: 'trainer', files: ['trainer', 'options'], holds: '`Trainer` and its options' },
  { name: 'saved', holds: 'checkpoints on the disk: finding them, models of them for use elsewhere' },
  { name: 'lr-find', holds: 'the search for a learning rate' },
  { name: 'loop', holds: 'fit, train-batch, optimizer-step, evaluate, predict: what happens, in order' },
  { name: 'run', holds: 'one run: preparation, context, wishes of hooks, log, random state, record' },
  { name: 'hooks', holds: 'the hooks of a trainer, and what `explain()` says about them' },
  { name: 'resume', holds: 'where the run was: cursor, held state, snapshot, restore' },
  { name: 'objective', holds: 'losses and metrics: what is minimised and measured' },
  { name: 'model', holds: 'what can be trained' },
  { name: 'strategies', holds: 'in how many processes a run trains' },
  { name: 'backends', holds: 'which device computes, and how the accelerator of that device is found' },
  {
    name: 'host',
    holds: 'what differs between Node and a browser: files, terminal, git, signals',
    door: '#host',
  },
  { name: 'errors', files: ['errors'], holds: 'the table of error codes' },
];

/** Hooks that make sense in a page: what their index reaches imports no module of Node. */
export const browserHooks = [
  'hook-activations',
  'hook-checkpoint',
  'hook-debug',
  'hook-early-stopping',
  'hook-gradient-monitor',
  'hook-logging',
  'hook-lr-monitor',
  'hook-progress',
  'hook-report',
];
