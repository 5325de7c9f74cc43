import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HooklineError } from '@hookline/hook-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readGitState } from '../../../src/host/node/git-state.js';
import { createLogger } from '../../../src/host/node/logger.js';
import { createRunId, makeRunFolder } from '../../../src/host/node/run-folder.js';
import { type CreateRunOptions, createRun } from '../../../src/run/record/create-run.js';
import type { RunRecordFile } from '../../../src/run/record/run-record-file.js';

let root: string;
let log: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'hookline-runs-'));
  log = '';
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

function options(changes: Partial<CreateRunOptions> = {}): CreateRunOptions {
  const stream = {
    write: (text: string) => {
      log += text;
    },
  };
  return {
    root,
    stage: 'fit',
    config: { epochs: 3, optimizer: 'adam' },
    seed: 42,
    backend: {
      name: 'wasm',
      package: '@tensorflow/tfjs-backend-wasm',
      device: 'cpu',
      reason: 'best',
      tried: [],
    },
    hooks: [
      {
        name: 'early-stopping',
        source: 'plugin',
        package: '@hookline/hook-early-stopping',
        version: '1.0.0',
        enabled: true,
        status: 'loaded',
        options: { patience: 3 },
      },
      {
        name: 'notify',
        source: 'plugin',
        enabled: false,
        status: 'disabled',
        reason: 'hooks: { notify: false }',
        options: { webhook: 'https://hush.example' },
      },
    ],
    versions: { 'tfjs-core': '4.22.0' },
    model: { params: 1234, seeded: true, layers: [] },
    weights: { 'dense_1/kernel': [3, 4] },
    logger: createLogger({ stream, level: 'info' }),
    ...changes,
  };
}

function circular(): object {
  const value: { self?: object } = {};
  value.self = value;
  return value;
}

function read(dir: string): RunRecordFile {
  return JSON.parse(readFileSync(join(dir, 'run.json'), 'utf8'));
}

describe('a run', () => {
  it('is recorded when it starts: id, commit, config and hash, seed, backend, versions, hooks on and off', async () => {
    const { info } = await createRun(options());
    const { commit } = readGitState(root);
    expect(info).toEqual({
      id: expect.stringMatching(/^\d{8}-\d{6}-[0-9a-f]{6}$/),
      dir: join(root, 'runs', info.id),
      runsDir: join(root, 'runs'),
      configHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      experiment: expect.stringMatching(/^[0-9a-f]{64}$/),
      gitCommit: commit,
      seed: 42,
    });
    expect(read(info.dir!)).toEqual({
      schema: 1,
      id: info.id,
      stage: 'fit',
      status: 'running',
      startedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      // Not every machine says who it is and since when it runs.
      process: expect.objectContaining({
        host: expect.any(String),
        pid: process.pid,
        start: expect.any(Number),
      }),
      git: { commit, dirty: null, diff: null },
      argv: expect.any(Array),
      seed: 42,
      configHash: info.configHash,
      experiment: info.experiment,
      config: { epochs: 3, hooks: [{ name: 'early-stopping', options: { patience: 3 } }], optimizer: 'adam' },
      backend: options().backend,
      versions: { node: process.versions.node, 'tfjs-core': '4.22.0' },
      platform: `${process.platform} ${process.arch}`,
      model: { params: 1234, seeded: true, layers: [] },
      hooks: [
        options().hooks[0],
        {
          name: 'notify',
          source: 'plugin',
          enabled: false,
          status: 'disabled',
          reason: 'hooks: { notify: false }',
          options: { webhook: '[redacted]' },
        },
      ],
    });
  });

  it('is logged when it starts: its folder, commit, config hash and which hooks are on', async () => {
    const { info } = await createRun(options());
    expect(log).toMatch(/^hookline fit starts [^\n]*\n$/);
    expect(log).toMatch(new RegExp(`dir=\\S*runs/${info.id} `));
    expect(log).not.toContain('id=');
    expect(log).toContain(`commit="${info.gitCommit}"`);
    expect(log).toContain(`config=${info.configHash.slice(0, 12)} `);
    expect(log).toContain('hooks="early-stopping"\n');
    expect(log).not.toContain('hush');
  });

  it('is completed when it ends, and leaves no other file behind', async () => {
    const { info, finish } = await createRun(options());
    const outcome = {
      status: 'stopped',
      stopReason: 'no improvement',
      metrics: { 'val/loss': 0.5, 'train/loss': Number.NaN },
      best: { metric: 'val/loss', value: 0.5, epoch: 1 },
      durationMs: 1500,
      hookCosts: [{ name: 'early-stopping', calls: 3, milliseconds: 0.1 }],
    } as const;
    finish(outcome);
    expect(read(info.dir!)).toMatchObject({
      ...outcome,
      metrics: { 'val/loss': 0.5, 'train/loss': 'NaN' },
      id: info.id,
      config: { epochs: 3 },
      finishedAt: expect.stringMatching(/Z$/),
    });
    expect(readdirSync(info.dir!)).toEqual(['run.json']);
  });

  it('that failed says with what error', async () => {
    const { info, finish } = await createRun(options());
    finish({
      status: 'error',
      durationMs: 1,
      error: new HooklineError('NON_FINITE_LOSS', 'The loss is NaN.'),
    });
    expect(read(info.dir!)).toMatchObject({
      status: 'error',
      error: {
        name: 'HooklineError',
        code: 'NON_FINITE_LOSS',
        message: 'The loss is NaN.',
        stack: expect.stringContaining('create-run.test.ts'),
      },
    });
    finish({ status: 'error', durationMs: 1, error: 'just text' });
    expect(read(info.dir!).error).toEqual({ name: 'Error', message: 'just text' });
  });

  it.each<[string, unknown, object]>([
    ['a code that is a bigint', Object.assign(new Error('no'), { code: 7n }), { message: 'no', code: '7' }],
    ['a code that holds itself', { message: 'no', code: circular() }, { message: 'no' }],
    ['a message that is no text', { message: circular() }, { message: '[object Object]' }],
    ['a stack that is no text', Object.assign(new Error('no'), { stack: 3n }), { message: 'no', stack: '3' }],
    ['a symbol', Symbol('no'), { message: 'Symbol(no)' }],
  ])('has its end, too, where what was thrown is or has %s', async (_what, error, stored) => {
    const { info, finish } = await createRun(options());
    finish({ status: 'error', durationMs: 1, error });
    expect(read(info.dir!)).toMatchObject({ status: 'error', finishedAt: expect.any(String), error: stored });
    expect(log).not.toContain('cannot be written');
  });

  it('has another hash when a hook that is on has other options, not when one that is off has', async () => {
    const [on, off] = options().hooks as [
      CreateRunOptions['hooks'][number],
      CreateRunOptions['hooks'][number],
    ];
    const hash = async (...hooks: CreateRunOptions['hooks']) =>
      (await createRun(options({ hooks, dir: false }))).info.configHash;
    expect(await hash({ ...on, options: { patience: 4 } }, off)).not.toBe(await hash(on, off));
    expect(await hash(on, { ...off, options: {} })).toBe(await hash(on, off));
  });

  it('is the same experiment with more epochs or other hooks, another one with other settings or weights', async () => {
    const experiment = async (config: object, changes: Partial<CreateRunOptions> = {}) =>
      (await createRun(options({ config, dir: false, ...changes }))).info.experiment;
    const first = await experiment({ epochs: 3, optimizer: 'adam', seed: 1 });
    expect(await experiment({ epochs: 9, optimizer: 'adam', seed: 1, resume: 'auto' }, { hooks: [] })).toBe(
      first,
    );
    expect(await experiment({ epochs: 3, optimizer: 'sgd', seed: 1 })).not.toBe(first);
    expect(await experiment({ epochs: 3, optimizer: 'adam', seed: 2 })).not.toBe(first);
    const weights = { 'dense_1/kernel': [3, 5] };
    expect(await experiment({ epochs: 3, optimizer: 'adam', seed: 1 }, { weights })).not.toBe(first);
  });
});

describe('the run folder', () => {
  it('can be anywhere, from the project root', async () => {
    const { info } = await createRun(options({ dir: 'out/experiments' }));
    expect(info.dir).toBe(join(root, 'out/experiments', info.id));
    expect(read(info.dir!).id).toBe(info.id);
  });

  it('is not made when nothing shall be written; the run has its id all the same', async () => {
    const { info, finish } = await createRun(options({ dir: false }));
    finish({ status: 'completed', durationMs: 1 });
    expect(info.id).toMatch(/^\d{8}-\d{6}-[0-9a-f]{6}$/);
    expect(readdirSync(root)).toEqual([]);
    // No message may name a folder that does not exist.
    expect(info).toMatchObject({ dir: undefined, runsDir: join(root, 'runs') });
    expect(log).toContain(`fit starts id=${info.id} `);
    expect(log).not.toContain('dir=');
  });

  it('that cannot be written is an error before a fit begins, with what to do', async () => {
    writeFileSync(join(root, 'runs'), 'a file where the folder should be');
    await expect(createRun(options())).rejects.toThrow(
      expect.objectContaining({
        code: 'RUNS_FOLDER',
        message: expect.stringMatching(
          /runs .*EEXIST.*writable.*with runsDir, or write nothing with runsDir: false/,
        ),
      }),
    );
  });

  it('that cannot be written costs a prediction one warning, no more', async () => {
    writeFileSync(join(root, 'runs'), 'a file where the folder should be');
    const { info, finish } = await createRun(options({ stage: 'predict' }));
    finish({ status: 'completed', durationMs: 1 });
    expect(info.id).not.toBe('');
    expect(info.dir).toBeUndefined();
    expect(log.match(/warn The record of this run cannot be written/g)).toHaveLength(1);
    expect(log).toContain('EEXIST');
  });

  it('that vanishes during the run costs one warning, not the run', async () => {
    const { info, finish } = await createRun(options());
    rmSync(info.dir!, { recursive: true });
    finish({ status: 'completed', durationMs: 1 });
    finish({ status: 'completed', durationMs: 1 });
    expect(log.match(/warn The record of this run cannot be written/g)).toHaveLength(1);
  });

  it('keeps the record it has when the new one cannot be put in its place', async () => {
    const { info, finish } = await createRun(options());
    const before = read(info.dir!);
    mkdirSync(join(info.dir!, `run.json.${process.pid}.tmp`));
    expect(() => finish({ status: 'completed', durationMs: 1 })).not.toThrow();
    expect(read(info.dir!)).toEqual(before);
  });

  it('belongs to one run: an id that is taken is not given twice', () => {
    const ids = ['a', 'a', 'b'];
    const nextId = () => ids.shift()!;
    expect(makeRunFolder(root, nextId)).toBe('a');
    expect(makeRunFolder(root, nextId)).toBe('b');
  });
});

it('run ids sort by their time, in UTC', () => {
  const id = createRunId(new Date('2026-11-16T07:45:00.999Z'));
  expect(id).toMatch(/^20261116-074500-[0-9a-f]{6}$/);
  expect(id < createRunId(new Date('2026-11-16T07:45:01Z'))).toBe(true);
});
