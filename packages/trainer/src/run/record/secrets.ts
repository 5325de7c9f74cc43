/**
 * Whether a value of a config must not be stored, by the name it has or by its text. Everything that records a config
 * (run.json, and the loggers that read it) relies on this.
 */
export function isSecret(key: string | undefined, value: unknown): boolean {
  if (typeof value === 'string' && SECRET_TEXTS.some((pattern) => pattern.test(value))) return true;
  if (key === undefined || value === null || value === undefined || typeof value === 'boolean') return false;
  const words = wordsOf(key);
  // `maxTokens: 512` and `passes: 2` count something.
  if (typeof value === 'number') return hasSecretWord(words, SURE_WORDS);
  return hasSecretWord(words, SURE_WORDS) || hasSecretWord(words, LIKELY_WORDS) || hasSecretKey(words);
}

/** Nobody counts these. */
const SURE_WORDS = new Set(['secret', 'password', 'passwd', 'passphrase', 'pwd', 'apikey', 'privatekey']);

const LIKELY_WORDS = new Set([
  ...['auth', 'authorization', 'authentication', 'bearer', 'cookie', 'credential', 'creds', 'dsn', 'header'],
  ...['csrf', 'hmac', 'jwt', 'oauth', 'otp', 'pass', 'passcode', 'pat', 'psk', 'sas', 'token', 'webhook'],
  ...['accesskey', 'accountkey', 'authtoken', 'accesstoken', 'connectionstring', 'secretkey'],
]);

/** A `key` alone is often the name of a column. */
const KINDS_OF_KEYS = new Set([
  ...['access', 'account', 'api', 'auth', 'client', 'deploy', 'encryption', 'license', 'master', 'private'],
  ...['secret', 'service', 'shared', 'signing', 'ssh', 'storage', 'subscription', 'write'],
  // Of services that people train with.
  ...['anthropic', 'aws', 'azure', 'comet', 'gcp', 'hf', 'huggingface', 'neptune', 'openai', 'wandb'],
]);

/** The name of a query parameter that signs the address, or opens it. */
const SECRET_PARAMETER = String.raw`[?&#;](sig|signature|hmac|key|code|auth|pass|pw|pwd|passwd|password|jwt|sas|token|secret|credential|[\w.-]*([-_]|api|access|auth)(key|token|sig|signature|secret|credential|password|auth))=`;

const SECRET_TEXTS: readonly RegExp[] = [
  // Addresses with credentials in them, also in the middle of a text and behind another scheme, as in jdbc:mysql://.
  /:\/\/[^\s/?#]{0,500}@/,
  new RegExp(String.raw`:\/\/\S{0,2000}${SECRET_PARAMETER}`, 'i'),
  // Addresses of a service that asks for nothing else.
  /^\s*[a-z][\w+.-]*:\/\/(hooks\.|\S*(webhook|secret|token|api[-_]?key|password))/i,
  // A bot of Telegram has its token in the path.
  /^\s*https?:\/\/\S*\/bot\d+:[\w-]+/i,
  // What an Authorization or Cookie header says.
  /\b(bearer|basic|negotiate)\s+[\w+/=.~-]{8,}/i,
  /\b(authorization|set-cookie|cookie)\s*:\s*\S/i,
  // A JSON Web Token, a private key.
  /\beyJ[\w-]+\.eyJ[\w-]+\.[\w-]*/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  // A connection string: Server=...;Password=...
  /(^|[;\s])(password|pwd|passwd|accountkey|sharedaccesskey|sharedaccesssignature|secret)\s*=\s*\S/i,
  // Keys that services mark with a prefix.
  /\b(sk|pk|rk)[-_](live|test|proj|ant|or)[-_][\w-]{8,}/,
  /\b(gh[oprsu]_|github_pat_|glpat-|hf_|npm_|xox[abeprs]-|xapp-|dop_v1_|GOCSPX-|whsec_|sk-)[\w-]{16,}/,
  /\b(ya29\.|SG\.)[\w-]{16,}/,
  /\b(AKIA|ASIA)[0-9A-Z]{16}\b/,
  /\bAIza[\w-]{35}/,
];

/** `apiKeys`, `API_KEY` and `api-key` have the words `api` and `key`. */
function wordsOf(key: string): string[] {
  const words = key
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase();
  return words.split(/[^a-z\d]+/);
}

function hasSecretWord(words: readonly string[], secret: ReadonlySet<string>): boolean {
  const isIn = (word: string) => secret.has(word) || secret.has(word.replace(/s$/, ''));
  return words.some((word, i) => isIn(word) || isIn(`${word}${words[i + 1] ?? ''}`));
}

function hasSecretKey(words: readonly string[]): boolean {
  return words.some((word, i) => KINDS_OF_KEYS.has(word) && /^keys?$/.test(words[i + 1] ?? ''));
}
