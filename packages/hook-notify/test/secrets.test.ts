import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { scriptedLosses } from '@hookline/test-runs';
import { errorOf, tempFolder } from '@hookline/test-support';
import { expect, test, vi } from 'vitest';
import { type NotifyOptions, notify } from '../src/index.js';
import { type Answer, closedPort, receiver } from './receiver.js';

const CANARY = 'canary7f3a9d';

/** Everything that a run leaves behind: its log, its files, its hook. */
async function tracesOf(options: NotifyOptions): Promise<string> {
  const runsDir = tempFolder();
  const printed: string[] = [];
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
  }
  try {
    const everything = {
      on: ['start', 'best', 'plateau', 'end'],
      plateau: 1,
      retries: 1,
    } as const;
    const run = scriptedLosses([2, 1, 1], [[notify, { ...everything, ...options }]], { runsDir });
    await run.fit();
    const hook = run.trainer.hooks.manager.get('notify')!;
    const shown = [inspect(run.trainer.hooks, { depth: null, showHidden: true }), JSON.stringify(hook)];
    const files = (await readdir(runsDir, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => readFile(join(entry.parentPath, entry.name), 'utf8'));
    const written = await Promise.all(files);
    // The options are recorded: what is looked for below could be there.
    expect(written.join()).toMatch(/"webhook(Env)?":/);
    const state = JSON.stringify(hook.saveState!());
    return [...printed, inspect(run.logged, { depth: null }), ...shown, ...written, state].join('\n');
  } finally {
    vi.restoreAllMocks();
  }
}

const ANSWERS: [string, Answer][] = [
  ['takes messages', () => 200],
  ['fails', () => 500],
  ['refuses', () => 403],
  [
    'redirects',
    (_index, response) => {
      response.setHeader('location', `/${CANARY}`);
      return 302;
    },
  ],
  ['hangs', () => undefined],
  ['breaks off', (_index, response) => void response.destroy()],
];

test.each(ANSWERS)('the address is in no log and no file when the receiver %s', async (what, answer) => {
  const { url, received } = await receiver(answer, `/${CANARY}?key=${CANARY}`);
  // Only one that hangs has to be waited for: the others have all the time that a busy machine needs.
  const limits = { timeoutMs: what === 'hangs' ? 400 : 20_000 };
  expect(await tracesOf({ webhook: url, ...limits })).not.toContain(CANARY);
  expect(received[0]!.path).toContain(CANARY);
  vi.stubEnv('SECRET_ADDRESS', url);
  try {
    expect(await tracesOf({ webhookEnv: 'SECRET_ADDRESS', ...limits })).not.toContain(CANARY);
  } finally {
    vi.unstubAllEnvs();
  }
});

test('nor when nobody listens, or the name cannot be found, or it has credentials in it', async () => {
  const closed = await closedPort();
  expect(await tracesOf({ webhook: `${closed}${CANARY}` })).not.toContain(CANARY);
  expect(await tracesOf({ webhook: `http://${CANARY}.invalid/` })).not.toContain(CANARY);
  const { host } = new URL(closed);
  expect(await tracesOf({ webhook: `http://${CANARY}:${CANARY}@${host}/` })).not.toContain(CANARY);
  const { url, received } = await receiver();
  await tracesOf({ webhook: url.replace('//', `//user:${CANARY}@`) });
  expect(received[0]!.headers.authorization).toMatch(/^Basic /);
});

test.each([
  ['is not an address', `not an address ${CANARY}`],
  ['is a file', `file:///${CANARY}`],
  ['is a script', `javascript:${CANARY}`],
  ['is in an object', { url: `https://x.org/${CANARY}` }],
])('an address that %s is refused without being shown', async (_what, webhook) => {
  const error = await errorOf(() => notify({ webhook: webhook as string }));
  expect(error.code).toBe('HOOK_OPTIONS');
  expect(error.message).toContain('"webhook" is not an http or https address');
  expect(inspect(error, { depth: null, showHidden: true })).not.toContain(CANARY);
  const result = await notify.options['~standard'].validate({ webhook, retries: -1 });
  expect(JSON.stringify(result)).toContain('retries');
  expect(JSON.stringify(result)).not.toContain(CANARY);
});

test('a bad address in the environment ends the run before it starts, without being shown', async () => {
  vi.stubEnv('HOOKLINE_WEBHOOK_URL', `ftp://${CANARY}`);
  try {
    const run = scriptedLosses([0.5], [notify()]);
    const error = await errorOf(run.fit());
    expect(error.message).toContain(
      'Hook "notify": the environment variable HOOKLINE_WEBHOOK_URL is not an http or https address',
    );
    expect(inspect([error, run.logged], { depth: null })).not.toContain(CANARY);
  } finally {
    vi.unstubAllEnvs();
  }
});
