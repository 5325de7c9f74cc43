import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bundledProgram } from '@hookline/test-programs';
import { folderPerTest, someOf } from '@hookline/test-support';
import { expect, test } from 'vitest';

const folder = folderPerTest();

/** Trains with everything that prints: the trainer, console-log, progress, and the program's own console.log. */
const PROGRAM = `
  import { consoleLog, jsonLog } from '@hookline/hook-logging';
  import { samples, tinyRun } from '@hookline/test-runs';
  import { progress } from './src/index.ts';
  const [folder] = process.argv.slice(2);
  process.stderr.isTTY = process.env.BAR === 'yes';
  const hooks = [consoleLog({ every: 1 }), jsonLog({ file: folder + '/log.jsonl' }), jsonLog({ file: '/dev/stdout' }), progress({ refreshMs: 0 })];
  hooks[2].name = 'json-to-stdout';
  // Until the test has closed what it reads from.
  const reader = { name: 'reader', onTrainStart: () => new Promise((resolve) => process.stdin.once('data', resolve)) };
  const own = { name: 'own', onTrainBatchEnd: () => { console.log('own'); console.error('own'); } };
  const { trainer } = tinyRun([...hooks, reader, own], { logger: undefined, runsDir: folder });
  await trainer.fit({ train: samples(40), validation: samples(8), epochs: 4, batchSize: 2 });
  console.log('done');
  console.error('done');
  process.stdin.destroy();
`;

/** Trains with standard streams of which those in `closed` lose their reader, as with "| head". */
async function train(
  stdio: 'pipe' | number,
  closed: readonly ('stdout' | 'stderr')[],
  env: Record<string, string> = {},
): Promise<{ code: unknown; errors: string }> {
  const file = await bundledProgram(PROGRAM, fileURLToPath(new URL('..', import.meta.url)));
  const child = spawn(process.execPath, [file, folder.path], {
    stdio: ['pipe', stdio, stdio],
    env: { ...process.env, CI: '', ...env },
  });
  const ended = once(child, 'exit');
  let errors = '';
  child.stderr?.on('data', (text) => {
    errors += text;
  });
  if (child.stderr) await once(child.stderr, 'data');
  for (const name of closed) await once(child[name]!.destroy(), 'close');
  child.stdin!.end('go');
  const [code, signal] = await ended;
  return { code: code ?? signal, errors };
}

function expectWhole(): void {
  const [run] = readdirSync(folder.path).filter((name) => /^\d{8}-/.test(name));
  const record = JSON.parse(readFileSync(folder.in(run!, 'run.json'), 'utf8'));
  expect(record).toMatchObject({ status: 'completed' });
  const lines = readFileSync(folder.in('log.jsonl'), 'utf8').trim().split('\n');
  expect(JSON.parse(lines.at(-1)!)).toMatchObject({ event: 'end', status: 'completed' });
}

const SHOWN: [string, Record<string, string>][] = [
  ['a bar', { BAR: 'yes', TERM: 'xterm' }],
  ['lines', {}],
];

test.each(someOf(SHOWN, 1))(
  'a reader that goes away costs the output, not the run: %s',
  async (_name, env) => {
    expect(await train('pipe', ['stdout', 'stderr'], env)).toMatchObject({ code: 0 });
    expectWhole();
  },
);

test('so does a disk that is full', async () => {
  expect(await train(openSync('/dev/full', 'w'), [])).toMatchObject({ code: 0 });
  expectWhole();
});

test('where one stream is left, it says once that the other is lost', async () => {
  const { code, errors } = await train('pipe', ['stdout']);
  expect(code).toBe(0);
  const said = /\[console-log\] Standard output cannot be written: .*EPIPE.* The run continues/g;
  expect(errors.match(said), errors).toHaveLength(1);
  expectWhole();
});
