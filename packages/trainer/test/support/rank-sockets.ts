import { createServer, connect as dial, type Socket } from 'node:net';
import { join } from 'node:path';
import { tempFolder } from '@hookline/test-support';
import { onTestFinished } from 'vitest';
import { type Frame, readFrames } from '../../src/host/ranks/frames.js';
import { Hub } from '../../src/host/ranks/hub.js';
import { Spoke } from '../../src/host/ranks/spoke.js';

export interface Meetings {
  hub: Hub;
  /** The other ranks; the first is rank 1. */
  spokes: Spoke[];
  /** The main rank's ends of their connections. */
  sockets: Socket[];
}

/** Ranks that meet as processes do, but in this one; with how many seconds the main one and the others wait. */
export async function meetings(
  world: number,
  { main = 60, others = 60 }: { main?: number; others?: number } = {},
): Promise<Meetings> {
  const hub = new Hub(world, main);
  const sockets: Socket[] = [];
  const spokes: Spoke[] = [];
  for (let rank = 1; rank < world; rank++) {
    const [near, far] = await socketPair();
    const hello = new Promise<void>((resolve) => {
      let take: ((frame: Frame) => void) | undefined;
      readFrames(near, (frame) => {
        if (take) return take(frame);
        take = hub.add(Number(frame[1].toString()), near);
        resolve();
      });
    });
    spokes.push(new Spoke(rank, world, others, far));
    sockets.push(near);
    await hello;
  }
  return { hub, spokes, sockets };
}

/** The two ends of a connection, as ranks on one machine have it. */
async function socketPair(): Promise<[Socket, Socket]> {
  const path = join(tempFolder(), 'socket');
  const server = createServer();
  const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve));
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const far = dial(path);
  const near = await accepted;
  server.close();
  onTestFinished(() => {
    near.destroy();
    far.destroy();
  });
  return [near, far];
}
