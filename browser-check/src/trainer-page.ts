// A page that trains with the trainer. The check calls what it puts on `globalThis.check`.
import './wasm-paths.js';
import '@tensorflow/tfjs-backend-webgl';
import { listFolder, readFile, rm, stat } from '@hookline/host';
import { verifyFolder } from '@hookline/safetensors/node';
import { createLogger, packFolder, selectBackend, unpackFolder } from '@hookline/trainer';
import * as tf from '@tensorflow/tfjs-core';
import { type Name, type Outcome, type Settings, train } from './models.js';

type PageSettings = Omit<Settings, 'logger' | 'runsDir'> & { runsDir?: string | false };

const lines: string[] = [];
const logger = createLogger({
  stream: {
    write: (line) => {
      lines.push(line);
    },
  },
});

const check = {
  lines,
  outcome: undefined as Outcome | { error: string; code: unknown } | undefined,

  train: (name: Name, settings: PageSettings = {}): Promise<Outcome> =>
    train(name, { runsDir: '/runs', logger, ...settings }),

  /** Does not wait: the page may be ended meanwhile. */
  start(name: Name, settings: PageSettings): void {
    check.outcome = undefined;
    check.train(name, settings).then(
      (outcome) => {
        check.outcome = outcome;
      },
      (error) => {
        check.outcome = { error: error.message, code: error.code };
      },
    );
  },

  /** Every checkpoint of every run, and what is wrong with it; names that begin with a dot are being written. */
  async torn(): Promise<{ good: number; problems: string[] }> {
    const found = { good: 0, problems: [] as string[] };
    // A page that was killed at once has not even this folder.
    for (const { name } of await listFolder('/runs').catch(whenMissing([]))) {
      const record = await readFile(`/runs/${name}/run.json`, 'utf8').catch(whenMissing(undefined));
      // One that was killed before it had a record has nothing else, either.
      if (record === undefined) {
        const files = (await listFolder(`/runs/${name}`)).filter((each) => !each.name.startsWith('.'));
        if (files.length > 0) found.problems.push(`${name} has files, and no record`);
        continue;
      }
      JSON.parse(record);
      const folders = await listFolder(`/runs/${name}/checkpoints`).catch(whenMissing([]));
      for (const folder of folders.filter((each) => each.isDirectory() && !each.name.startsWith('.'))) {
        const verdict = await verifyFolder(`/runs/${name}/checkpoints/${folder.name}`);
        if (verdict.ok) found.good++;
        else found.problems.push(verdict.reason);
      }
    }
    return found;
  },

  async latestRun(): Promise<{ name: string; files: string[]; log: number; record: { status: string } }> {
    const name = (await listFolder('/runs'))
      .map((each) => each.name)
      .sort()
      .at(-1)!;
    const files = (await listFolder(`/runs/${name}`)).map((each) => each.name).sort();
    const { size: log } = await stat(`/runs/${name}/log.jsonl`);
    return { name, files, log, record: JSON.parse(await readFile(`/runs/${name}/run.json`, 'utf8')) };
  },

  /** A run as one file, in base64. */
  async pack(folder: string): Promise<string> {
    const bytes = await packFolder(folder);
    let text = '';
    for (const byte of bytes) text += String.fromCharCode(byte);
    return btoa(text);
  },

  unpack: (text: string, folder: string): Promise<void> =>
    unpackFolder(
      Uint8Array.from(atob(text), (character) => character.charCodeAt(0)),
      folder,
    ),

  clear: (folder: string): Promise<void> => rm(folder, { recursive: true, force: true }),
  select: (backend?: string) => selectBackend({ ...(backend && { backend }), root: '/' }),
  tensors: () => tf.memory().numTensors,
};

Object.assign(globalThis, { check });

/** The value for what is not there; any other failure is one. */
function whenMissing<Value>(value: Value): (error: { code?: string }) => Value {
  return (error) => {
    if (error.code !== 'ENOENT') throw error;
    return value;
  };
}
