import { type IncomingHttpHeaders, request } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: IncomingHttpHeaders;
}

export interface Asked {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  /** Enough of an answer that has no end. */
  readonly until?: string;
}

/** A request as anybody could send it, with any Host and any path: `fetch` would put them right. */
export function ask(
  base: string,
  path: string,
  { method = 'GET', headers = {}, body, until }: Asked = {},
): Promise<Answer> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers, agent: false }, (response) => {
      let text = '';
      const done = () => resolve({ status: response.statusCode!, text, headers: response.headers });
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        if (until === undefined || !text.includes(until)) return;
        done();
        sent.destroy();
      });
      response.on('end', done);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
