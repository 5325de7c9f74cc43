import { fateOf, hostName, type ProcessMark, thisProcess } from '@hookline/host';

/** Who trains a trial: a process of a machine, or a queue that has taken it. */
export type Owner = ProcessOwner | 'queue';

/** The mark alone changes when a machine is started again: its name tells that from another machine. */
export interface ProcessOwner extends ProcessMark {
  readonly machine: string;
}

/** This process, as an owner. */
export function thisOwner(): ProcessOwner {
  return { machine: hostName(), ...thisProcess() };
}

/** False when the process has ended, also by the end of its machine. A queue and other machines are believed. */
export function isAlive(owner: Owner): boolean {
  if (owner === 'queue' || !isOfThisMachine(owner)) return true;
  return fateOf(owner) === 'alive';
}

export function isOfThisMachine({ machine }: ProcessOwner): boolean {
  return machine === hostName();
}
