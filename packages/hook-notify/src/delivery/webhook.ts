import { notifyError } from '../errors.js';
import type { Format } from '../options.js';

/** Where messages go. The whole of it is secret: some services keep the secret in the host name. */
export interface Webhook {
  readonly href: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly format: Format;
}

/** `from` is the subject of an error: it says where the address came from. The address itself is in no error. */
export function webhookOf(address: unknown, from: string, format: Format | undefined): Webhook {
  const url = parse(address);
  if (!url) {
    // Without a cause: an error of URL holds what it was given.
    throw notifyError(
      'HOOK_OPTIONS',
      `${from} is not an http or https address. It is not shown here, because it is a secret.`,
    );
  }
  const { username, password, hostname } = url;
  // fetch refuses addresses with credentials, with an error that holds the address.
  url.username = url.password = '';
  return {
    href: url.href,
    format: format ?? formatOf(hostname),
    headers: {
      'content-type': 'application/json',
      ...((username || password) && { authorization: `Basic ${basic(username, password)}` }),
    },
  };
}

function parse(address: unknown): URL | undefined {
  if (typeof address !== 'string' || !URL.canParse(address.trim())) return undefined;
  const url = new URL(address.trim());
  return url.protocol === 'http:' || url.protocol === 'https:' ? url : undefined;
}

function formatOf(host: string): Format {
  if (/(^|\.)slack(-gov)?\.com$/.test(host)) return 'slack';
  return /(^|\.)discord(app)?\.com$/.test(host) ? 'discord' : 'json';
}

function basic(username: string, password: string): string {
  const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return Buffer.from(text).toString('base64');
}
