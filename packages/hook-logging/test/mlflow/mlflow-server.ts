import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

type Item = Record<string, unknown>;

export interface ReceivedRequest {
  method: string;
  path: string;
  authorization: string | undefined;
  body: Record<string, unknown>;
}

/** How to answer a request; undefined: as a tracking server does. */
export type Answer = { status: number; body?: unknown; headers?: Record<string, string> } | undefined;

/**
 * A tracking server as its REST interface is documented. A request beyond the documented limits is refused, and
 * kept in `violations`.
 */
export class MlflowServer {
  readonly requests: ReceivedRequest[] = [];
  readonly violations: string[] = [];
  readonly metrics: Item[] = [];
  readonly params: Record<string, string> = {};
  readonly tags: Record<string, string> = {};
  readonly experiments: Record<string, string> = { Default: '0' };
  status = 'RUNNING';
  runs = 0;
  /** May answer otherwise, or wait. */
  onRequest: (request: ReceivedRequest) => Answer | Promise<Answer> = () => undefined;
  #server: Server | undefined;

  get uri(): string {
    return `http://127.0.0.1:${(this.#server!.address() as AddressInfo).port}`;
  }

  async start(): Promise<this> {
    this.#server = createServer(async (request, response) => {
      const text = await textOf(request);
      const received = this.#receive(request, text);
      this.requests.push(received);
      const { status, body, headers = {} } = (await this.onRequest(received)) ?? this.#answer(received, text);
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(body === undefined ? '' : JSON.stringify(body));
    });
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  async stop(): Promise<void> {
    this.#server?.closeAllConnections();
    this.#server?.close();
  }

  /** The values of a metric by step. */
  curve(key: string): Record<number, unknown> {
    return Object.fromEntries(
      this.metrics.filter((item) => item.key === key).map(({ step, value }) => [step, value]),
    );
  }

  #receive({ method = '', url = '', headers }: IncomingMessage, text: string): ReceivedRequest {
    const path = url.replace(/^\/api\/2\.0\/mlflow\//, '');
    return { method, path, authorization: headers.authorization, body: text === '' ? {} : JSON.parse(text) };
  }

  #answer({ path, body }: ReceivedRequest, text: string): NonNullable<Answer> {
    const before = this.violations.length;
    this.#check(path, body, text);
    if (this.violations.length > before) {
      const message = this.violations.at(-1);
      return { status: 400, body: { error_code: 'INVALID_PARAMETER_VALUE', message } };
    }
    if (path.startsWith('experiments/get-by-name?')) {
      const name = new URLSearchParams(path.split('?')[1]).get('experiment_name')!;
      const id = this.experiments[name];
      if (id !== undefined) return { status: 200, body: { experiment: { experiment_id: id } } };
      return { status: 404, body: { error_code: 'RESOURCE_DOES_NOT_EXIST', message: `no ${name}` } };
    }
    switch (path) {
      case 'experiments/create': {
        const id = String(Object.keys(this.experiments).length);
        this.experiments[body.name as string] = id;
        return { status: 200, body: { experiment_id: id } };
      }
      case 'runs/create':
        this.#take(body);
        return { status: 200, body: { run: { info: { run_id: `run-${++this.runs}` } } } };
      case 'runs/search': {
        const [, key, value] = /^tags\.`([\w.-]+)` = '([^']*)'$/.exec(body.filter as string)!;
        const isFound = this.runs > 0 && this.tags[key!] === value;
        return { status: 200, body: isFound ? { runs: [{ info: { run_id: `run-${this.runs}` } }] } : {} };
      }
      case 'runs/log-batch':
        this.#take(body);
        return { status: 200, body: {} };
      case 'runs/update':
        this.status = body.status as string;
        return { status: 200, body: {} };
      default:
        return { status: 404, body: { error_code: 'ENDPOINT_NOT_FOUND' } };
    }
  }

  #take({
    metrics = [],
    params = [],
    tags = [],
  }: {
    metrics?: Item[];
    params?: Item[];
    tags?: Item[];
  }): void {
    this.metrics.push(...metrics);
    for (const { key, value } of params) this.params[key as string] = value as string;
    for (const { key, value } of tags) this.tags[key as string] = value as string;
  }

  #check(path: string, body: Record<string, unknown>, text: string): void {
    const { metrics = [], params = [], tags = [] } = body as Record<string, Item[]>;
    const refuse = (reason: string) => this.violations.push(`${path}: ${reason}`);
    if (Buffer.byteLength(text) > 1_000_000) refuse('more than 1 MB');
    if (metrics.length > 1000) refuse(`${metrics.length} metrics`);
    if (params.length > 100) refuse(`${params.length} params`);
    if (tags.length > 100) refuse(`${tags.length} tags`);
    if (metrics.length + params.length + tags.length > 1000) refuse('more than 1000 items');
    for (const item of [...metrics, ...params, ...tags]) {
      const key = item.key as string;
      if (key.length === 0 || key.length > 250) refuse(`a key of ${key.length} characters`);
      if (!/^[\w\-. :/]+$/.test(key) || key !== normalized(key)) refuse(`the key ${JSON.stringify(key)}`);
    }
    for (const { value, timestamp, step } of metrics) {
      if (!Number.isFinite(value)) refuse(`the value ${value}`);
      if (!Number.isSafeInteger(timestamp) || !Number.isSafeInteger(step))
        refuse('a time or step that is not whole');
    }
    for (const { value } of params) if ((value as string).length > 500) refuse('a long param');
    for (const { value } of tags) if ((value as string).length > 5000) refuse('a long tag');
    if (
      path.startsWith('runs/') &&
      !['runs/create', 'runs/search'].includes(path) &&
      body.run_id !== `run-${this.runs}`
    )
      refuse('no such run');
  }
}

/** What is left of a key when it is read as a path. */
function normalized(key: string): string {
  return key
    .split('/')
    .filter((part) => part !== '' && part !== '.' && part !== '..')
    .join('/');
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}
