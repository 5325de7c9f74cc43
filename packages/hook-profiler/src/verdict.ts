import type { Finding, Profile, Share } from './profile.js';

/** What a phase is called in a sentence, and what to do when it takes long. */
interface Culprit {
  readonly text: string;
  readonly advice: string;
  /** What it is a part of; `run` for what is not done in every step. */
  readonly of?: 'run';
  readonly isWork?: true;
}

const CULPRITS: Readonly<Record<string, Culprit>> = {
  data: { text: 'waiting for data', advice: 'raise prefetch or read in a worker' },
  transform: {
    text: 'changing batches',
    advice: 'do it once, before training, or in the loader with prefetch',
  },
  forward: { text: 'the forward pass', advice: 'this is the model itself', isWork: true },
  backward: { text: 'the backward pass', advice: 'this is the model itself', isWork: true },
  update: {
    text: 'the update of the weights',
    advice: 'larger batches or accumulate need fewer updates',
    isWork: true,
  },
  metrics: { text: 'metrics', advice: 'use fewer of them, or cheaper ones' },
  read: { text: 'reading numbers for hooks', advice: 'let hooks that log or decide run less often (every)' },
  validation: { text: 'validation', advice: 'set validateEvery or limitValBatches', of: 'run' },
  checkpoint: {
    text: 'saving checkpoints',
    advice: 'save less often (every of the checkpoint hook)',
    of: 'run',
  },
  'event-loop': {
    text: 'other work of the process (its event loop)',
    advice: 'servers, timers and callbacks of your program run between steps: move them to another process',
  },
  other: { text: "the trainer's own work", advice: 'steps are very short: use larger batches' },
};

/** What takes less is not worth a sentence. */
const LEAST_SHARE = 0.05;
/** Overhead that takes more is named first, even if the model takes longer: it can be avoided. */
const CONSIDERABLE_SHARE = 0.2;

type Parts = Pick<Profile, 'phases' | 'hooks' | 'garbageCollection' | 'kernels'>;

/** What takes a considerable part of the time, the longest first; hooks by their names. */
export function findingsOf({ phases, hooks, garbageCollection, kernels }: Parts): Finding[] {
  const stepShare = phases
    .filter(({ name }) => name !== 'setup' && CULPRITS[name]?.of !== 'run')
    .reduce((sum, { share }) => sum + share, 0);
  const ofPhases = phases
    // Hooks are named one by one.
    .filter(({ name }) => name in CULPRITS && !(name === 'transform' && hooks.some(hasTransforms)))
    .map((phase) => {
      const { text, advice, of, isWork } = CULPRITS[phase.name]!;
      const share = of === 'run' ? phase.share : phase.share / (stepShare || 1);
      return found(phase, `${percent(share)} of ${of === 'run' ? 'the run' : 'a step'} is ${text}`, {
        advice: isWork ? `${advice}${kernelText(kernels)}` : advice,
        isOverhead: !isWork,
      });
    });
  const ofHooks = hooks.map((hook) => {
    const [event] = Object.entries(hook.events).sort(([, a], [, b]) => b - a)[0]!;
    return found(hook, `${percent(hook.share)} of the run is hook "${hook.name}", mostly in ${event}`, {
      advice: 'call it less often (every), make it faster or switch it off',
      isOverhead: true,
    });
  });
  const ofGarbage = found(
    garbageCollection,
    `${percent(garbageCollection.share)} of the run is garbage collection`,
    {
      advice: 'create fewer objects in loaders and hooks: reuse typed arrays',
      isOverhead: true,
    },
  );
  return [...ofPhases, ...ofHooks, ofGarbage]
    .filter(({ share }) => share >= LEAST_SHARE)
    .sort((a, b) => b.seconds - a.seconds);
}

/** One sentence: the largest overhead if it is considerable, otherwise whatever takes longest. */
export function verdictOf(findings: readonly Finding[], steps: number): string {
  if (steps === 0) return 'No step was trained, so there is nothing to say about its time.';
  const culprit =
    findings.find(({ isOverhead, share }) => isOverhead && share >= CONSIDERABLE_SHARE) ?? findings[0];
  return culprit ? `${culprit.text}: ${culprit.advice}.` : 'No part of a step stands out.';
}

function hasTransforms({ events }: Parts['hooks'][number]): boolean {
  return Object.keys(events).some((event) => event.startsWith('transform'));
}

function found(
  { name, seconds, share }: Share,
  text: string,
  { advice, isOverhead }: Pick<Finding, 'advice' | 'isOverhead'>,
): Finding {
  return { name, seconds, share, isOverhead, text, advice };
}

function kernelText(kernels: Parts['kernels']): string {
  const [first] = kernels ?? [];
  return first ? `; the longest kernel is ${first.name}` : '; kernels: true names its kernels';
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
