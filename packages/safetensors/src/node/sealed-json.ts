import { createSha256 } from '@hookline/host';

const SEAL = /,\n {2}"sha256": "([0-9a-f]{64})"\n\}\n$/;

/** JSON whose last member is the hash of everything before it: a damaged one is known as such. */
export function sealJson(members: object): string {
  const body = JSON.stringify(members, null, 2).slice(0, -2);
  return `${body},\n  "sha256": "${hashOf(body)}"\n}\n`;
}

/** Undefined when it is damaged, cut off, or not sealed. */
export function openSealedJson(text: string): Record<string, unknown> | undefined {
  const seal = SEAL.exec(text);
  if (seal === null || hashOf(text.slice(0, seal.index)) !== seal[1]) return undefined;
  return JSON.parse(text) as Record<string, unknown>;
}

function hashOf(text: string): string {
  return createSha256().update(text).digest();
}
