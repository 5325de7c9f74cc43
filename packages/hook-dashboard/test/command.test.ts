import { mkdirSync, writeFileSync } from 'node:fs';
import { errorOf, folderPerTest } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { command } from '../src/command.js';
import { RunList } from '../src/server/run-list.js';
import { ask } from './open-socket.js';

const folder = folderPerTest();

function run(id: string, record: object): void {
  mkdirSync(folder.in(id), { recursive: true });
  writeFileSync(folder.in(id, 'run.json'), JSON.stringify(record));
}

test('hookline dashboard shows the runs of a folder until Ctrl-C', async () => {
  run('a', { id: 'a', status: 'completed' });
  const before = process.listeners('SIGINT');
  let said = '';
  const ended = new Promise<number>((resolve, reject) => {
    const write = (text: string) => {
      said += text;
    };
    Promise.resolve(command.run([folder.path], write)).then(resolve, reject);
  });
  while (said === '') await new Promise(setImmediate);
  const [, url] = /shown at (http:\/\/127\.0\.0\.1:\d+\/\?token=\S+)\nCtrl-C ends it\.\n$/.exec(said)!;
  const { text } = await ask(url!, `/runs${new URL(url!).search}`);
  expect(JSON.parse(text)).toMatchObject({ runs: [{ id: 'a', status: 'completed' }], folder: folder.path });
  // As Ctrl-C does, without ending the tests.
  const [onSignal] = process.listeners('SIGINT').filter((listener) => !before.includes(listener));
  process.removeListener('SIGINT', onSignal!);
  onSignal!('SIGINT');
  expect(await ended).toBe(0);
  await expect(ask(url!, '/')).rejects.toThrow('ECONNREFUSED');
});

test.each([
  ['two folders', ['a', 'b']],
  ['a port that is not a number', ['--port', 'x']],
  ['a port that does not exist', ['--port', '65536']],
  ['a negative port', ['--port=-1']],
  ['an unknown option', ['--open']],
])('%s: the usage is wrong', async (_what, args) => {
  expect(await errorOf(() => command.run(args, () => {}))).toMatchObject({ code: 'CLI_USAGE' });
});

test('the newest run is listed first, at most 200, and a record that cannot be read breaks nothing', async () => {
  for (let at = 0; at < 205; at++) run(`run-${String(at).padStart(3, '0')}`, { status: 'stopped' });
  writeFileSync(folder.in('run-204', 'run.json'), 'nonsense');
  const listed = await new RunList(folder.path).read();
  expect(listed).toHaveLength(200);
  expect(listed[0]).toMatchObject({ id: 'run-204', status: 'unknown' });
  expect(listed.at(-1)).toMatchObject({ id: 'run-005', status: 'stopped' });
});

test('pages that ask at once share one look at the folder', async () => {
  run('a', { status: 'completed' });
  const list = new RunList(folder.path);
  const [first, second] = [list.read(), list.read()];
  expect(first).toBe(second);
  await first;
  run('b', { status: 'completed' });
  expect(await list.read()).toHaveLength(1);
  expect(await new RunList(folder.path).read()).toHaveLength(2);
});
