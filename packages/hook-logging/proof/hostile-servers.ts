import type { ServerResponse } from 'node:http';

/** What a server may do with a request, by name. `elsewhere` is the address of another server. */
export const HOSTILE: Readonly<Record<string, (response: ServerResponse, elsewhere: string) => void>> = {
  'never answers': () => {},
  'sends headers slowly': (response) => {
    response.socket!.write('HTTP/1.1 200 OK\r\n');
    repeat(response, () => response.socket?.write('x: y\r\n'));
  },
  'sends endless headers': (response) => {
    response.socket!.write('HTTP/1.1 200 OK\r\n');
    repeat(response, () => response.socket?.write(`x: ${'y'.repeat(8000)}\r\n`));
  },
  'lets its answer trickle': (response) => {
    response.writeHead(200);
    repeat(response, () => response.write(' '));
  },
  'answers without an end': (response) => endless(response.writeHead(200), ' '.repeat(2 ** 16)),
  'refuses without an end': (response) => endless(response.writeHead(400), 'no'.repeat(2 ** 15)),
  'fails without an end': (response) => endless(response.writeHead(503), 'no'.repeat(2 ** 15)),
  'closes the connection': (response) => void response.socket!.destroy(),
  'closes in the middle of its answer': (response) => {
    response.writeHead(200, { 'content-length': 1000 }).write('{"run":');
    setTimeout(() => response.socket?.destroy(), 20);
  },
  'redirects to itself': (response) => void response.writeHead(307, { location: '/' }).end(),
  'redirects elsewhere': (response, elsewhere) => void response.writeHead(307, { location: elsewhere }).end(),
  'refuses at length': (response) =>
    void response.writeHead(400).end(JSON.stringify({ message: 'no\n'.repeat(200_000) })),
  'asks to wait for an hour': (response) => void response.writeHead(429, { 'retry-after': '3600' }).end(),
  'answers with something else': (response) => void response.end('<html>'),
  'answers with other JSON': (response) => void response.end('[1]'),
  'speaks another language': (response) => void response.socket!.end('220 mail.example ESMTP\r\n'),
};

function repeat(response: ServerResponse, act: () => void): void {
  const timer = setInterval(act, 20);
  response.socket!.once('close', () => clearInterval(timer));
}

/** Ends after all where nobody cuts it off, before the memory of the machine does. */
function endless(response: ServerResponse, piece: string): void {
  let left = 2 ** 28;
  const write = () => {
    do left -= piece.length;
    while (left > 0 && !response.destroyed && response.write(piece));
    if (left > 0) response.once('drain', write);
    else response.end();
  };
  write();
}
