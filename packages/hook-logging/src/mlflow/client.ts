import { type BoundedAnswer, boundedFetch, messageOf } from '@hookline/hook-api/helpers';
import { sleep } from '@hookline/host';
import { sendNow } from '#host';
import { loggingError } from '../errors.js';
import { shortText } from '../service/short-text.js';
import type { Farewell } from './farewell.js';

type Environment = Readonly<Record<string, string | undefined>>;

export interface MlflowServer {
  /** Of the tracking server; may hold a user name and a password. */
  uri: string;
  timeoutMs: number;
  /** Further attempts after the first. */
  retries: number;
}

/** The wait before the second attempt; it doubles before each one after that. */
const FIRST_DELAY_MS = 500;
/** No answer that is of use is longer. */
const LONGEST_ANSWER = 1_000_000;

export class MlflowError extends Error {
  constructor(
    message: string,
    readonly status: number,
    readonly code: string | undefined,
  ) {
    super(message);
  }
}

/** Calls the REST interface of a tracking server. */
export class MlflowClient {
  readonly #base: URL;
  readonly #headers: Record<string, string>;
  readonly #server: MlflowServer;
  readonly #signal: AbortSignal;

  /** Nothing is sent, or tried again, once `signal` is aborted. */
  constructor(server: MlflowServer, env: Environment, signal: AbortSignal) {
    this.#server = server;
    this.#signal = signal;
    this.#base = parse(server.uri);
    const authorization = authorizationOf(this.#base, env);
    this.#headers = { 'content-type': 'application/json', ...(authorization && { authorization }) };
    // They are in the header now; fetch refuses a URL with credentials, and messages would show them.
    this.#base.username = this.#base.password = '';
  }

  get<Answer>(path: string, query: Record<string, string>): Promise<Answer> {
    return this.#call(`${path}?${new URLSearchParams(query)}`, { method: 'GET' });
  }

  post<Answer>(path: string, body: object): Promise<Answer> {
    return this.#call(path, { method: 'POST', body: JSON.stringify(body) });
  }

  /** For the end of the process, when nothing can be awaited: returns when all is sent, or after a few seconds. */
  sendNow(farewell: Farewell): void {
    sendNow(this.#urlOf('').href, this.#headers, farewell);
  }

  #urlOf(path: string): URL {
    return new URL(`api/2.0/mlflow/${path}`, this.#base);
  }

  async #call<Answer>(path: string, request: RequestInit): Promise<Answer> {
    const url = this.#urlOf(path);
    const { retries, timeoutMs } = this.#server;
    for (let attempt = 0; ; attempt++) {
      const outcome = await this.#attempt(url, request);
      if ('answer' in outcome) return outcome.answer as Answer;
      if (attempt >= retries || !outcome.isWorthRetrying || this.#signal.aborted) throw outcome.error;
      const delay = outcome.waitMs ?? FIRST_DELAY_MS * 2 ** attempt * (0.5 + Math.random());
      await sleep(Math.min(delay, timeoutMs), this.#signal);
    }
  }

  async #attempt(url: URL, request: RequestInit): Promise<Outcome> {
    const bounds = { timeoutMs: this.#server.timeoutMs, maxBytes: LONGEST_ANSWER, signal: this.#signal };
    try {
      const answer = await boundedFetch(url, { ...request, headers: this.#headers }, bounds);
      return answer.ok ? accept(url, answer) : refusal(url, answer);
    } catch (error) {
      const reason = messageOf((error as Error).cause ?? error);
      return {
        error: new MlflowError(`${url.origin} cannot be reached: ${shortText(reason)}`, 0, undefined),
        isWorthRetrying: true,
      };
    }
  }
}

type Outcome = { answer: unknown } | { error: MlflowError; isWorthRetrying: boolean; waitMs?: number };

function accept(url: URL, { status, text, isCut }: BoundedAnswer): Outcome {
  try {
    if (!isCut) return { answer: text === '' ? {} : JSON.parse(text) };
  } catch {
    // Not JSON: reported below.
  }
  const found = isCut ? `more than ${LONGEST_ANSWER} bytes` : shortText(text);
  const message = `${url.origin}${url.pathname} did not answer as a tracking server does: ${found}`;
  return { error: new MlflowError(message, status, undefined), isWorthRetrying: false };
}

function refusal(url: URL, { status, headers, text }: BoundedAnswer): Outcome {
  let answer: { error_code?: unknown; message?: unknown } = {};
  try {
    answer = Object(JSON.parse(text));
  } catch {
    // Not an answer of the tracking server itself: all that is known is the status.
  }
  const isRedirect = status >= 300 && status < 400;
  const said = isRedirect ? 'a redirect, which is not followed' : shortText(answer.message ?? text);
  const message = `${url.origin}${url.pathname} answered ${status}${said === '' ? '' : `: ${said}`}`;
  const seconds = Number(headers.get('retry-after') || Number.NaN);
  return {
    error: new MlflowError(message, status, shortText(answer.error_code ?? '')),
    isWorthRetrying: status === 429 || status === 408 || status >= 500,
    ...(seconds >= 0 && { waitMs: seconds * 1000 }),
  };
}

function parse(uri: string): URL {
  let url: URL | undefined;
  try {
    url = new URL(uri.endsWith('/') ? uri : `${uri}/`);
  } catch {
    // reported below
  }
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw loggingError(
      'LOG_SERVICE',
      'the address of the tracking server is not an http or https address, such as http://localhost:5000',
    );
  }
  return url;
}

/** Found where the clients of MLflow find it: in the environment, or in the address. */
function authorizationOf({ username, password }: URL, env: Environment): string | undefined {
  const basic = (user: string, secret: string) => `Basic ${base64Of(`${user}:${secret}`)}`;
  if (env.MLFLOW_TRACKING_USERNAME && env.MLFLOW_TRACKING_PASSWORD) {
    return basic(env.MLFLOW_TRACKING_USERNAME, env.MLFLOW_TRACKING_PASSWORD);
  }
  if (env.MLFLOW_TRACKING_TOKEN) return `Bearer ${env.MLFLOW_TRACKING_TOKEN}`;
  return username ? basic(decodeURIComponent(username), decodeURIComponent(password)) : undefined;
}

function base64Of(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}
