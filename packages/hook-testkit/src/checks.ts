import type { Check } from './check.js';
import { events } from './checks/events.js';
import { fit } from './checks/fit.js';
import { instances } from './checks/instances.js';
import { leaks } from './checks/leaks.js';
import { manifest } from './checks/manifest.js';
import { neighbours } from './checks/neighbours.js';
import { observer } from './checks/observer.js';
import { options } from './checks/options.js';
import { packed } from './checks/packed.js';
import { peerRange } from './checks/peer-range.js';
import { resume } from './checks/resume.js';
import { reuse } from './checks/reuse.js';
import { state } from './checks/state.js';
import { switching } from './checks/switching.js';
import { teardown } from './checks/teardown.js';

/** All promises, in the order in which they are checked: one comes after those that it needs. */
export const CHECKS: readonly Check[] = [
  events,
  manifest,
  options,
  peerRange,
  fit,
  observer,
  leaks,
  reuse,
  instances,
  state,
  resume,
  teardown,
  neighbours,
  switching,
  packed,
];
