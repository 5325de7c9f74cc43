/** @typedef {import('../src/server/acts.js').Act} Act */
/** @typedef {import('../src/server/run-list.js').ListedRun} ListedRun */

const token = () => new URLSearchParams(location.search).get('token') ?? '';

/** @returns {Promise<{ runs: ListedRun[], run?: string, folder: string }>} */
export async function listedRuns() {
  const response = await fetch('runs', { headers: { 'x-hookline-token': token() } });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

/**
 * What to tell the user about it.
 * @param {string} run
 * @param {Act} act
 * @param {string} words
 */
export async function ask(run, act, words) {
  try {
    const response = await fetch('act', {
      method: 'POST',
      headers: { 'x-hookline-token': token() },
      body: JSON.stringify({ ...act, run }),
    });
    return `${words}: ${response.ok ? 'asked for' : await response.text()}`;
  } catch {
    return 'The server of the page is gone.';
  }
}

/** @param {readonly string[]} runs */
export function eventsOf(runs) {
  const query = new URLSearchParams([['token', token()], ...runs.map((run) => ['run', run])]);
  return new EventSource(`events?${query}`);
}
