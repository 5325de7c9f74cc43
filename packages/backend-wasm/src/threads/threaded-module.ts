import type { ModuleExports } from '../module/exports.js';
import { Account } from './account.js';
import type { Members } from './late-team.js';
import { Paces } from './pace.js';
import type { Splitter } from './split.js';
import { SPLITTERS } from './splitters.js';

/**
 * How long an operation must take on one thread, estimated in nanoseconds, to be shared with others. A worker that is
 * looking for work gets it within some 5 microseconds, one that sleeps within 50.
 */
const WORTH = { awake: 40_000, asleep: 120_000 };

type Fn = (...args: number[]) => void;

/**
 * The module, with large operations computed by all threads of a team where that is faster. Every number of a result
 * is computed as one thread does it, to the bit.
 */
export function threadedModule(module: ModuleExports, members: Members): ModuleExports {
  const threaded = { ...module } as unknown as Record<string, Fn>;
  const account = new Account();
  for (const [name, splitter] of SPLITTERS) {
    threaded[name] = threadedFunction(threaded[name]!, splitter, members, account);
  }
  return threaded as unknown as ModuleExports;
}

function threadedFunction(whole: Fn, { cost, split }: Splitter, members: Members, account: Account): Fn {
  const { units, nanoseconds } = cost;
  const paces = new Paces();
  const large = (estimate: number, args: number[]): void => {
    const { team } = members;
    const pace = paces.of(estimate);
    const isAlone = !team || account.isResting || pace.isDue();
    const parts = isAlone ? undefined : split(args, team.threads);
    const start = performance.now();
    if (team && parts && parts.calls.length > 1) {
      team.run(parts.name, parts.calls);
      account.noteTogether(pace.alone - (performance.now() - start));
    } else {
      whole(...args);
      const elapsed = performance.now() - start;
      pace.note(elapsed);
      account.noteAlone(elapsed);
      members.noteAlone?.(elapsed);
    }
  };
  // Small operations come through here too, many in a step: no more than a few multiplications for each.
  return (...args) => {
    let estimate = typeof nanoseconds === 'number' ? nanoseconds : (nanoseconds[args[0]!] ?? 0);
    for (let i = 0; i < units.length; i++) estimate *= args[units[i]!]!;
    if (estimate < WORTH.awake || (estimate < WORTH.asleep && !members.team?.isAwake)) whole(...args);
    else large(estimate, args);
  };
}
