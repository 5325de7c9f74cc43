import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { readRecord } from '@hookline/run-view';
import type { Act, Controls, ShownHook } from './acts.js';

/** In the folder of a run that has a page: where its server is, and the token. For the user's eyes only. */
const FILE = 'dashboard.json';
const PATIENCE_MS = 3_000;
const LARGEST_ANSWER = 2 ** 20;

export interface Address {
  readonly port: number;
  readonly token: string;
}

/** Lets other pages of the same user act on the run; returns how to take that back. */
export async function announce(folder: string, address: Address): Promise<() => Promise<void>> {
  const file = join(folder, FILE);
  await writeFile(file, `${JSON.stringify(address)}\n`, { mode: 0o600 });
  return () => rm(file, { force: true });
}

/**
 * The controls of a run that another process of this user trains, through that process's own server: it decides, records
 * the act and answers. Undefined for a run without one, and for one that is over.
 */
export async function remoteControls(folder: string): Promise<Controls | undefined> {
  const address = await addressIn(folder);
  // A process that was killed leaves its file, and its port may be somebody else's by now.
  if (!address || (await readRecord(folder)).status !== 'running') return undefined;
  return {
    hooks: async () => {
      const { status, text } = await ask(address, 'GET', '/hooks');
      return status === 200 ? (JSON.parse(text) as ShownHook[]) : [];
    },
    act: async (act: Act) => (await ask(address, 'POST', '/act', JSON.stringify(act))).status === 204,
  };
}

/** Only from a file that nobody else could have written or read; the folder of a run may come from anywhere. */
async function addressIn(folder: string): Promise<Address | undefined> {
  try {
    const file = join(folder, FILE);
    const { uid, mode, size } = await stat(file);
    const isOwn = process.getuid === undefined || (uid === process.getuid() && (mode & 0o077) === 0);
    if (!isOwn || size > 1_000) return undefined;
    const { port, token } = JSON.parse(await readFile(file, 'utf8')) as Partial<Address>;
    const isPort = Number.isInteger(port) && port! > 0 && port! < 65_536;
    const isToken = typeof token === 'string' && /^[\w-]{16,100}$/.test(token);
    return isPort && isToken ? { port: port!, token: token! } : undefined;
  } catch {
    return undefined;
  }
}

/** On this machine only, whatever the file says. A server that does not answer counts as one that refuses. */
function ask(
  { port, token }: Address,
  method: string,
  path: string,
  body?: string,
): Promise<{ status: number; text: string }> {
  const refused = { status: 502, text: '' };
  return new Promise((resolve) => {
    const sent = request(
      { hostname: '127.0.0.1', port, path, method, agent: false, headers: { 'x-hookline-token': token } },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
          if (text.length > LARGEST_ANSWER) response.destroy();
        });
        response.on('end', () => resolve({ status: response.statusCode!, text }));
        response.on('close', () => resolve(refused));
      },
    );
    sent.setTimeout(PATIENCE_MS, () => sent.destroy());
    sent.on('error', () => resolve(refused));
    sent.end(body);
  });
}
