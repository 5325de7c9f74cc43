import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EVENTS, type EventName } from '@hookline/hook-api';
import { tempFolder } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { programWithThread } from '../test/program-with-thread.js';

// In setup the hooks after the one that hangs were not set up yet.
const SET_UP: Partial<Record<EventName, string[]>> = { setup: ['before'] };

test.each(Object.keys(EVENTS) as EventName[])(
  'a promise that never settles in %s ends the process with an error that names hook and event',
  async (event) => {
    const { code, errors, tornDown, records } = await hangIn(event);
    expect(code, errors).toBe(1);
    expect(errors).toMatch(said(event));
    // Everybody else is torn down, in reverse order, in the stage of that event.
    const names = SET_UP[event] ?? ['after', 'before'];
    const stage = /^on(Test|Predict)/.exec(event)?.[1]?.toLowerCase() ?? 'fit';
    expect(tornDown.slice(-names.length)).toEqual(names.map((name) => `${name} ${stage}`));
    // No record is left open, and the one of a training that hung holds the reason.
    const isTraining = stage === 'fit';
    for (const record of records) expect(record).toMatchObject({ finishedAt: expect.any(String) });
    const reasons = records.map(({ status, error }) => (status === 'error' ? error!.message : status));
    if (event === 'onException') expect(reasons).toEqual(['the cause']);
    else if (isTraining) expect(reasons).toContainEqual(expect.stringMatching(said(event)));
    else expect(reasons).toEqual(['completed']);
  },
);

function said(event: EventName): RegExp {
  return EVENTS[event].sync
    ? new RegExp(`Hook "stuck" returned a promise from ${event}, `)
    : new RegExp(`Hook "stuck" has not finished ${event} after 0\\.2 s`);
}

async function hangIn(event: EventName) {
  const root = tempFolder({ 'package.json': {} });
  const program = await programWithThread(new URL('./hang.ts', import.meta.url));
  const child = spawn(process.execPath, [program, root, event], { stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (text) => {
    errors += text;
  });
  const [code] = await once(child, 'close');
  const runs = readdirSync(join(root, 'runs')).map((id) => join(root, 'runs', id, 'run.json'));
  return {
    code,
    errors,
    tornDown: readFileSync(join(root, 'torn-down'), 'utf8').trim().split('\n'),
    records: runs.map((file) => JSON.parse(readFileSync(file, 'utf8')) as RunRecord),
  };
}

interface RunRecord {
  status: string;
  error?: { message: string };
}
