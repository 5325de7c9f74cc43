import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { launch, project } from '../test/support/launch.js';
import { launchers } from '../test/support/launchers.js';

const HOSTS = ['10.77.0.1', '10.77.0.2'];

/** Two namespaces with a cable between them: to what runs in them, two machines. Undefined where that is not allowed. */
function machines(): readonly string[] | undefined {
  const names = HOSTS.map((_, index) => `hookline-${process.pid}-${index}`);
  const cables = HOSTS.map((_, index) => `hl${process.pid}-${index}`);
  const ip = (...args: string[]) => spawnSync('ip', args, { encoding: 'utf8' }).status === 0;
  onTestFinished(() => {
    for (const name of names) ip('netns', 'del', name);
  });
  if (!names.every((name) => ip('netns', 'add', name))) return undefined;
  if (!ip('link', 'add', cables[0]!, 'type', 'veth', 'peer', 'name', cables[1]!)) return undefined;
  const isUp = names.every(
    (name, index) =>
      ip('link', 'set', cables[index]!, 'netns', name) &&
      ip('-n', name, 'addr', 'add', `${HOSTS[index]}/24`, 'dev', cables[index]!) &&
      ip('-n', name, 'link', 'set', 'lo', 'up') &&
      ip('-n', name, 'link', 'set', cables[index]!, 'up'),
  );
  return isUp ? names : undefined;
}

/** Bytes that have left a machine through its cable. */
function sent(name: string): number {
  const text = spawnSync('ip', ['netns', 'exec', name, 'cat', '/proc/net/dev'], { encoding: 'utf8' }).stdout;
  const line = text.split('\n').find((each) => each.trim().startsWith('hl'));
  return Number(line!.split(':')[1]!.trim().split(/\s+/)[8]);
}

test('two machines train over a network what one process trains', async () => {
  const mpi = launchers().find(({ name }) => name === 'Open MPI');
  if (!mpi) return console.log('skipped: there is no Open MPI on this machine');
  const names = machines();
  if (!names) return console.log('skipped: network namespaces cannot be made here');
  const training = project({ strategy: { name: 'accelerate', timeout: 60 }, units: 64 });
  // In the place of ssh: mpirun starts its part on the other machine with it.
  const agent = join(training.root, 'agent.sh');
  const cases = HOSTS.map((host, index) => `${host}) exec ip netns exec ${names[index]} sh -c "$*";;`);
  writeFileSync(agent, `#!/bin/sh\nhost=$1; shift\ncase $host in\n${cases.join('\n')}\nesac\n`);
  chmodSync(agent, 0o755);
  const [program, ...rest] = mpi.command(2);
  const run = await launch(training, [
    ...['ip', 'netns', 'exec', names[0]!, program!, ...rest],
    ...['--host', HOSTS.map((host) => `${host}:1`).join(','), '--mca', 'plm_rsh_agent', agent],
    // No shared memory, which two machines do not have.
    ...['--mca', 'btl', 'tcp,self', '--mca', 'btl_tcp_if_include', '10.77.0.0/24'],
    ...['--mca', 'oob_tcp_if_include', '10.77.0.0/24'],
  ]);
  expect(run.code, run.errors).toBe(0);
  expect(run.ranks).toHaveLength(2);
  expect(run.ranks[1]!.weights).toBe(run.ranks[0]!.weights);
  const alone = await launch(project({ units: 64 }));
  run.ranks[0]!.history.forEach((metrics, epoch) => {
    expect(metrics['train/loss']).toBeCloseTo(alone.ranks[0]!.history[epoch]!['train/loss']!, 6);
  });
  // The gradients of 4,801 parameters in 9 steps, at least.
  const bytes = sent(names[1]!);
  console.log(`${bytes} bytes went from one machine to the other`);
  expect(bytes).toBeGreaterThan(4801 * 4 * 9);
});
