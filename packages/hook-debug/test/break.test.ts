import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { bundledProgram } from '@hookline/test-programs';
import { itOn } from '@hookline/test-support';
import { expect, onTestFinished, test } from 'vitest';
import { debug } from '../src/index.js';
import { watchedRun } from './watched-run.js';

test('without a debugger break is a stop, and says so', async () => {
  const data = { xs: [[1], [Number.NaN], [2]], ys: [[1], [2], [3]] };
  const run = await watchedRun([debug({ nan: 'break' })], { data });
  expect(run.result.stopReason).toContain('batch 2');
  expect(run.said[0]!.message).toContain('No debugger is attached: start node with --inspect.');
});

// The program is another process, where nothing has registered the backend of npm run native: it ends with BACKEND_UNKNOWN, and
// the wait for the debugger never would.
itOn('cpu')('an attached debugger pauses at the finding; when it lets go, the run stops', async () => {
  const session = await pausedSession();
  session.type(
    "exec here.finding.batchIndex + ' of ' + here.event.loaderName + ' in ' + here.finding.layer.path",
  );
  await session.until("'1 of train in first'");
  session.type('cont');
  await session.until('stopped: debug: the loss is NaN at epoch 1, batch 2 of loader "train" (step 1)');
});

itOn('cpu')('in the debugger the run can be told to continue', async () => {
  const session = await pausedSession();
  session.type('exec here.goOn = true');
  await session.until('true');
  session.type('cont');
  await session.until('completed: undefined');
});

interface DebugSession {
  type(command: string): void;
  /** Waits until the text shows in what is printed from here on. */
  until(text: string): Promise<void>;
}

/** Node's own command-line debugger on a real run, paused where the hook breaks. */
async function pausedSession(): Promise<DebugSession> {
  const folder = fileURLToPath(new URL('..', import.meta.url));
  const script = await bundledProgram(new URL('./breaking-run.ts', import.meta.url), folder);
  const session = spawn(process.execPath, ['inspect', '--port=0', script]);
  onTestFinished(() => {
    // Its own way to end: killed, it would leave the process behind that it debugs.
    session.stdin.write('.exit\n');
  });
  let [text, wake] = ['', () => {}];
  for (const stream of [session.stdout, session.stderr]) {
    stream.on('data', (chunk) => {
      text += chunk;
      wake();
    });
  }
  const until = async (wanted: string): Promise<void> => {
    while (!text.includes(wanted)) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    text = text.slice(text.indexOf(wanted) + wanted.length);
  };
  const type = (command: string) => void session.stdin.write(`${command}\n`);
  await until('Break on start in');
  type('cont');
  await until('Pausing in the debugger.');
  await until('break in');
  return { type, until };
}
