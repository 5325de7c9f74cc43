const SECRET_KEY = /secret|password|api[-_]?key|webhook|token(?!i[sz])/i;

// Addresses that are secrets themselves: with credentials in them, or of a service that asks for nothing else.
const SECRET_URL = /^[a-z][\w+.-]*:\/\/(\S+@|hooks\.|\S*(webhook|secret|token|api[-_]?key|password))/i;

/** Whether a config value must not be stored, by the name it has or by its text. */
export function isSecret(key: string | undefined, value: unknown): boolean {
  if (typeof value === 'string' && SECRET_URL.test(value)) return true;
  if (key === undefined || !SECRET_KEY.test(key)) return false;
  if (value === null || value === undefined || typeof value === 'boolean') return false;
  // `maxTokens: 512` counts something.
  return !(typeof value === 'number' && /token/i.test(key));
}
