import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Controls } from './acts.js';
import { answerer } from './answers.js';
import type { Address } from './remote-controls.js';

export interface ServeOptions {
  /** Default 0: a free one. */
  readonly port?: number | undefined;
  /** Default `127.0.0.1`. */
  readonly host?: string | undefined;
  /** The run that this process trains; it is shown first. */
  readonly run?: string | undefined;
  /** What the page may do to that run. */
  readonly controls?: Controls | undefined;
  /** Milliseconds between two looks at a folder. Default 500. */
  readonly everyMs?: number | undefined;
}

export interface Dashboard {
  /** With the token: who has this address may see the runs and act on them. */
  readonly url: string;
  /** How a program on this machine reaches it; undefined where it does not listen here. */
  readonly address: Address | undefined;
  close(): Promise<void>;
}

const MOST_CONNECTIONS = 100;
/** What answers at 127.0.0.1 too. */
const LOCAL: readonly string[] = ['127.0.0.1', 'localhost', '0.0.0.0', '::'];

/** Serves the runs in a folder. It does not keep the process alive on its own account: close it. */
export async function openDashboard(folder: string, options: ServeOptions = {}): Promise<Dashboard> {
  const { host = '127.0.0.1', port = 0 } = options;
  const token = randomBytes(24).toString('base64url');
  const hosts: string[] = [];
  const { answer, close } = answerer(folder, { token, hosts }, options);
  const server = createServer(
    { headersTimeout: 5_000, requestTimeout: 10_000, keepAliveTimeout: 5_000 },
    answer,
  );
  server.maxConnections = MOST_CONNECTIONS;
  server.listen(port, host);
  await once(server, 'listening');
  const { port: taken } = server.address() as AddressInfo;
  const name = host.includes(':') ? `[${host}]` : host;
  hosts.push(
    ...new Set([name, '127.0.0.1', 'localhost', '[::1]'].map((each) => `${each}:${taken}`.toLowerCase())),
  );
  return {
    address: LOCAL.includes(host) ? { port: taken, token } : undefined,
    url: `http://${name}:${taken}/?token=${token}`,
    close: async () => {
      await close();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
