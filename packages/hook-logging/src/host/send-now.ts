import { spawnSync } from 'node:child_process';
import type { Farewell } from '../mlflow/farewell.js';

/** The longest that the end of a process waits. */
const TIMEOUT_MS = 3000;
/** The same where the run has to be found first. */
const SEARCH_TIMEOUT_MS = 6000;

// The requests, whose headers hold credentials, come through a pipe: everybody can see the arguments of a process.
const SCRIPT = `
  let input = '';
  for await (const chunk of process.stdin) input += chunk;
  const { base, headers, unconfirmed, posts, searchMs } = JSON.parse(input);
  const call = async (path, content) => {
    const body = content && JSON.stringify(content);
    const response = await fetch(new URL(path, base), { method: body ? 'POST' : 'GET', headers, body, redirect: 'error' });
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString('latin1');
      if (text.length > 1e6) break;
    }
    return response.ok && text ? JSON.parse(Buffer.from(text, 'latin1').toString()) : {};
  };
  const experimentOf = async ({ id, name }) => id
    ?? (await call('experiments/get-by-name?' + new URLSearchParams({ experiment_name: name }))).experiment?.experiment_id
    ?? (await call('experiments/create', { name })).experiment_id;
  const runOf = async ({ experiment, create, filter }) => {
    const experiment_id = await experimentOf(experiment);
    const end = Date.now() + searchMs;
    while (filter && Date.now() < end) {
      const { runs } = await call('runs/search', { experiment_ids: [experiment_id], filter, max_results: 1 });
      if (runs?.[0]) return runs[0].info.run_id;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return (await call('runs/create', { experiment_id, ...create })).run.info.run_id;
  };
  const run = unconfirmed && { run_id: await runOf(unconfirmed) };
  for (const { path, body } of posts) await call(path, { ...body, ...run });
`;

/** Sends requests when nothing can be awaited any more: another process sends them, and this one waits for it. */
export function sendNow(base: string, headers: Readonly<Record<string, string>>, farewell: Farewell): void {
  const timeout = farewell.unconfirmed ? SEARCH_TIMEOUT_MS : TIMEOUT_MS;
  spawnSync(process.execPath, ['--input-type=module', '--eval', SCRIPT], {
    input: JSON.stringify({ base, headers, searchMs: SEARCH_TIMEOUT_MS / 2, ...farewell }),
    // The other process needs no loaders or inspectors of this one.
    env: { ...process.env, NODE_OPTIONS: '' },
    stdio: ['pipe', 'ignore', 'ignore'],
    timeout,
  });
}
