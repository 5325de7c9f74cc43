import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import type { Hook } from '@hookline/hook-api';
import { samples, tinyRun } from '@hookline/test-runs';
import { folderPerTest } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { csvLog, jsonLog, logging } from '../src/index.js';
import { MlflowServer } from './mlflow/mlflow-server.js';

const folder = folderPerTest();
let server: MlflowServer;
beforeEach(async () => {
  server = await new MlflowServer().start();
});
afterEach(() => server.stop());

/** Every backend, at every batch. */
const everything = (): Hook[] =>
  logging({
    backends: {
      'console-log': { every: 1, write: () => {} },
      'json-log': { every: 1, file: folder.in('log.jsonl') },
      'csv-log': { every: 1, file: folder.in('log.csv') },
      tensorboard: { every: 1, dir: folder.in('tensorboard') },
      wandb: { every: 1, client: { init: () => ({ log: () => {}, finish: () => {} }) } },
      mlflow: { every: 1, uri: server.uri },
    },
  });

test('logging every batch keeps no tensor, no listener and no timer', async () => {
  const { trainer } = tinyRun(everything());
  const data = samples(80);
  const listeners = () =>
    ['exit', 'SIGINT', 'SIGTERM', 'SIGHUP'].map((event) => process.listenerCount(event));
  const before = listeners();
  await trainer.fit({ train: data, epochs: 1, batchSize: 2 });
  const { numTensors } = tf.memory();
  await trainer.fit({ train: data, epochs: 3, batchSize: 2 });
  expect(tf.memory().numTensors).toBe(numTensors);
  expect(listeners()).toEqual(before);
  expect(process.getActiveResourcesInfo().filter((name) => name === 'FSReqPromise')).toEqual([]);
});

test('a disk that does not answer holds up no step, and what was logged meanwhile is not lost', async () => {
  // Opening a pipe that nobody reads waits, as a network drive that is gone does.
  const pipes = ['log.jsonl', 'log.csv'].map((name) => folder.in(name));
  execFileSync('sh', ['-c', 'mkfifo "$@"', 'sh', ...pipes]);
  let contents: Promise<string[]> | undefined;
  const steps: number[] = [];
  const reader: Hook = {
    name: 'reader',
    onStepEnd: (_ctx, { step }) => void steps.push(step),
    // Only when all steps are done does the disk answer.
    onTrainEnd: () => {
      contents = Promise.all(pipes.map((pipe) => readFile(pipe, 'utf8')));
    },
  };
  const { trainer, complaints } = tinyRun([
    reader,
    jsonLog({ every: 1, file: pipes[0]! }),
    csvLog({ every: 1, file: pipes[1]! }),
  ]);
  await trainer.fit({ train: samples(200), epochs: 1, batchSize: 2 });
  expect(complaints).toEqual([]);
  expect(steps).toHaveLength(100);
  const [json, csv] = await contents!;
  expect(json!.match(/"event":"batch"/g)).toHaveLength(100);
  expect(csv!.match(/,batch,/g)).toHaveLength(100);
});

test('a fastDevRun leaves nothing behind: no file, no request; the console still speaks', async () => {
  let said = '';
  let inits = 0;
  const client = {
    init: () => {
      inits++;
      return { log: () => {}, finish: () => {} };
    },
  };
  const { trainer, complaints } = tinyRun(
    logging({
      backends: {
        'console-log': {
          every: 1,
          write: (text) => {
            said += text;
          },
        },
        'json-log': true,
        'csv-log': { file: folder.in('log.csv') },
        tensorboard: { dir: folder.in('tensorboard') },
        wandb: { client },
        mlflow: { uri: server.uri },
      },
    }),
    { runsDir: folder.in('runs') },
  );
  const data = { train: samples(80), validation: samples(8), epochs: 3, batchSize: 2 };
  await trainer.fit({ ...data, fastDevRun: true });
  expect(await readdir(folder.path)).toEqual([]);
  expect({ inits, requests: server.requests, complaints }).toEqual({
    inits: 0,
    requests: [],
    complaints: [],
  });
  expect(said).toMatch(/^run .* 1 epoch of 1 batch\n.*batch 1\/1 .*\n.*train loss/);
  // They are on again in the next run.
  await trainer.fit(data);
  expect(existsSync(folder.in('log.csv'))).toBe(true);
  expect(server.status).toBe('FINISHED');
  expect(inits).toBe(1);
});
