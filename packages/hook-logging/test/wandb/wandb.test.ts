import { spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Hook } from '@hookline/hook-api';
import { bundledProgram } from '@hookline/test-programs';
import { readsPerBatch, samples, tinyRun } from '@hookline/test-runs';
import { folderPerTest, itOn } from '@hookline/test-support';
import { expect, test, vi } from 'vitest';
import { type WandbClient, type WandbOptions, wandb } from '../../src/index.js';

const folder = folderPerTest();

/** Keeps what it is given, as a service would. */
class Service implements WandbClient {
  readonly inits: { readonly [name: string]: unknown }[] = [];
  readonly rows: { step: number | undefined; values: Record<string, number> }[] = [];
  readonly codes: (number | undefined)[] = [];
  opened: Promise<void> = Promise.resolve();

  async init(options: { readonly [name: string]: unknown }) {
    this.inits.push(options);
    await this.opened;
    return {
      log: (values: Record<string, number>, step?: number) => {
        this.rows.push({ step, values: { ...values } });
        values._step = step!; // as the real client does
      },
      finish: async (code?: number) => void this.codes.push(code),
    };
  }

  curve(name: string): [number | undefined, number][] {
    return this.rows.flatMap(({ step, values }) => (name in values ? [[step, values[name]!]] : []));
  }
}

const FIT = { train: samples(80), validation: samples(8), epochs: 2, batchSize: 2 };

async function run(options: WandbOptions, hooks: Hook[] = []) {
  const { trainer, complaints, weights } = tinyRun([...hooks, wandb(options)], { runsDir: folder.path });
  const result = await trainer.fit(FIT).catch(() => undefined);
  return { complaints, history: result?.history ?? [], status: result?.status, weights: await weights() };
}

test('the curves and the config of the run arrive, and the run is finished', async () => {
  const client = new Service();
  const { history, complaints } = await run({ client, project: 'digits', init: { tags: ['first'] } });
  expect(complaints).toEqual([]);
  expect(client.inits).toEqual([
    {
      project: 'digits',
      name: expect.stringMatching(/^\d{8}-/),
      tags: ['first'],
      config: expect.objectContaining({ epochs: 2, batchSize: 2, loss: 'meanSquaredError' }),
    },
  ]);
  expect(client.curve('train/loss')).toEqual([40, 80].map((step, i) => [step, history[i]!['train/loss']]));
  expect(client.curve('val/loss')).toEqual([40, 80].map((step, i) => [step, history[i]!['val/loss']]));
  expect(client.curve('batch/loss').map(([step]) => step)).toEqual([10, 20, 30, 40, 50, 60, 70, 80]);
  expect(client.curve('memory/tensors').length).toBeGreaterThan(0);
  // The service drops what goes back in steps.
  const steps = client.rows.map(({ step }) => step!);
  expect(steps).toEqual([...steps].sort((a, b) => a - b));
  expect(client.codes).toEqual([0]);
});

test('a service that is slow to open holds up no step, and gets everything in the end', async () => {
  const client = new Service();
  let open = () => {};
  client.opened = new Promise((resolve) => {
    open = resolve;
  });
  let rowsBefore = -1;
  const watcher: Hook = {
    name: 'watcher',
    onTrainEnd: () => {
      rowsBefore = client.rows.length;
      open();
    },
  };
  await run({ client, every: 1 }, [watcher]);
  expect(rowsBefore).toBe(0);
  expect(client.curve('batch/loss')).toHaveLength(80);
  expect(client.codes).toEqual([0]);
});

test('a run that fails is marked as failed', async () => {
  const client = new Service();
  const failing: Hook = {
    name: 'failing',
    onError: 'fail',
    onEpochEnd: () => {
      throw new Error('no more');
    },
  };
  await run({ client }, [failing]);
  expect(client.codes).toEqual([1]);
});

test('whatever a client does wrong is reported once, and training is not affected', async () => {
  const { trainer, weights } = tinyRun([]);
  await trainer.fit(FIT);
  const expected = await weights();
  const broken = (): never => {
    throw new Error('quota exceeded');
  };
  const finish = () => {};
  const clients: [WandbClient, RegExp][] = [
    [{ init: broken }, /^wandb cannot log: quota exceeded\. The run continues without this log\.$/],
    [{ init: async () => broken() }, /quota exceeded/],
    [{ init: () => ({ log: broken, finish }) }, /quota exceeded/],
    [{ init: () => ({ log: () => {}, finish: broken }) }, /quota exceeded/],
    [{ init: () => new Promise(() => {}) }, /did not answer within 30 ms/],
    [{ init: () => ({ log: () => {}, finish: () => new Promise(() => {}) }) }, /did not answer within 30 ms/],
  ];
  for (const [client, complaint] of clients) {
    const outcome = await run({ client, timeoutMs: 30, every: 1 });
    expect(outcome.complaints).toEqual([expect.stringMatching(complaint)]);
    expect(outcome.status).toBe('completed');
    expect(outcome.weights).toEqual(expected);
  }
});

test('a project without the client learns how to get it, and the run continues', async () => {
  const { complaints, status } = await run({});
  expect(status).toBe('completed');
  expect(complaints).toEqual([
    expect.stringMatching(
      /@wandb\/sdk is not installed\. Install it \(npm install @wandb\/sdk graphql\).*wandb sync/,
    ),
  ]);
});

// The program that it starts has loaded no other backend.
itOn('cpu')('the client that the project has installed is found, and used as it is documented', async () => {
  // The interface of the published client, laid out as its package is; nothing here speaks to the service.
  const home = folder.in('node_modules/@wandb/sdk');
  await mkdir(home, { recursive: true });
  await writeFile(
    `${home}/package.json`,
    JSON.stringify({
      name: '@wandb/sdk',
      type: 'module',
      exports: { '.': { import: './index.js', require: './index.cjs' } },
    }),
  );
  await writeFile(
    `${home}/index.cjs`,
    `const tell = (...call) => console.log(JSON.stringify(call));
     class Run {
       step = 0;
       log(data, step) { this.step = step ?? this.step + 1; data._step = this.step; tell('log', this.step, Object.keys(data)); }
       async finish(code) { await null; tell('finish', code); }
     }
     exports.__esModule = true;
     exports.default = { init: async ({ project, config }) => { tell('init', project, config.seed); return new Run(); } };`,
  );
  await writeFile(folder.in('package.json'), '{ "name": "project" }');
  const code = `
    import { wandb } from './src/index.ts';
    import { samples, tinyRun } from '@hookline/test-runs';
    const { trainer, complaints } = tinyRun([wandb({ project: 'digits', metrics: 'train/*' })]);
    await trainer.fit({ train: samples(4), epochs: 2, batchSize: 2 });
    console.log(JSON.stringify(complaints));
  `;
  const program = await bundledProgram(code, fileURLToPath(new URL('../..', import.meta.url)));
  const { stdout, stderr } = spawnSync(process.execPath, [program], {
    cwd: folder.path,
    encoding: 'utf8',
  });
  const calls = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(calls, stderr).toEqual([
    ['init', 'digits', 3],
    ['log', 2, ['train/loss', '_step']],
    ['log', 4, ['train/loss', '_step']],
    ['finish', 0],
    [],
  ]);
});

test('a client whose log fails in the background is reported once, and the run continues', async () => {
  const log = async () => {
    throw new Error('over the limit');
  };
  const { complaints, status } = await run({ every: 1, client: { init: () => ({ log, finish: () => {} }) } });
  expect(status).toBe('completed');
  expect(complaints).toEqual(['wandb cannot log: over the limit. The run continues without this log.']);
});

test('a batch without a point reads nothing from the device', async () => {
  const without = await readsPerBatch([], 40);
  const counts = await readsPerBatch([wandb({ client: new Service(), every: 15 })], 40);
  expect(counts.flatMap((count, batch) => (count === without[batch] ? [] : [batch]))).toEqual([14, 29]);
});

test('an installed client without init() is reported with what to do', async () => {
  const home = folder.in('node_modules/@wandb/sdk');
  await mkdir(home, { recursive: true });
  await writeFile(`${home}/package.json`, JSON.stringify({ name: '@wandb/sdk', main: './index.cjs' }));
  await writeFile(`${home}/index.cjs`, 'exports.login = () => {};');
  const cwd = vi.spyOn(process, 'cwd').mockReturnValue(folder.path);
  try {
    const { complaints, status } = await run({});
    expect(status).toBe('completed');
    expect(complaints).toEqual([
      'wandb cannot log: the installed @wandb/sdk has no init(). Install version 0.5, or give the hook a "client" ' +
        'with init(). The run continues without this log.',
    ]);
  } finally {
    cwd.mockRestore();
  }
});
