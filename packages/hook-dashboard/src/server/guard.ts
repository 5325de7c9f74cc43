import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export interface Door {
  readonly token: string;
  /** `127.0.0.1:8080` and the other names under which this server may be asked. */
  readonly hosts: readonly string[];
}

/**
 * Why a request is refused, as a status; undefined when it may pass. A page elsewhere that makes the browser ask here is
 * known by its Origin, and a name that was made to point here by its Host; the token keeps out everybody else.
 */
export function refusal(request: IncomingMessage, url: URL, { token, hosts }: Door): number | undefined {
  const { host, origin, 'x-hookline-token': header, 'sec-fetch-site': site } = request.headers;
  if (host === undefined || !hosts.includes(host.toLowerCase())) return 421;
  if (origin !== undefined && origin !== `http://${host}`) return 403;
  if (site === 'cross-site' && request.method !== 'GET') return 403;
  const isRead = request.method === 'GET';
  // Addresses get into histories and logs of proxies: what changes something needs the header.
  const given = header ?? (isRead ? (url.searchParams.get('token') ?? undefined) : undefined);
  return typeof given === 'string' && isSame(given, token) ? undefined : 401;
}

function isSame(given: string, token: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}
