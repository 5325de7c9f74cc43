import type { JsonValue } from '@hookline/hook-api';
import { canonicalConfig } from './canonical-config.js';
import { sha256 } from './canonical-leaf.js';

/** The same for equal configs, in every process. A secret counts, but only through its hash. */
export function configHash(config: unknown): string {
  const hashed = canonicalConfig(config, (secret) => ({ $secret: sha256(JSON.stringify(secret)) }));
  return sha256(JSON.stringify(hashed));
}

/** The config as it is stored beside its hash: JSON in the order of its keys, without its secrets. */
export function readableConfig(config: unknown): JsonValue {
  return canonicalConfig(config, () => '[redacted]');
}
