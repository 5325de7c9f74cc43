// The page of the worker check: it trains in a worker and notes how long it was kept from drawing meanwhile.
import type { Hook } from '@hookline/hook-api';
import { trainInWorker } from '@hookline/worker';
import type { WorkerSettings } from './worker-training.js';

let worker: Worker;
const start = () => {
  worker = new Worker(new URL('./worker-training.ts', import.meta.url), { type: 'module' });
  return worker;
};

/** Trains so many steps, with a hook that draws every one of them into the page. */
async function train(steps: number): Promise<object> {
  const [shown, tasks] = [document.createElement('p'), [] as number[]];
  document.body.append(shown);
  let [events, frames, longestFrame, lastFrame, began] = [0, 0, 0, 0, 0];
  const observer = new PerformanceObserver((list) => {
    tasks.push(
      ...list
        .getEntries()
        .filter(({ startTime }) => began > 0 && startTime >= began)
        .map(({ duration }) => duration),
    );
  });
  observer.observe({ entryTypes: ['longtask'] });
  const onFrame = (now: number) => {
    frames++;
    if (lastFrame > 0) longestFrame = Math.max(longestFrame, now - lastFrame);
    lastFrame = now;
    if (began >= 0) requestAnimationFrame(onFrame);
  };
  const drawing: Hook = {
    name: 'drawing',
    onTrainStart() {
      began = performance.now();
      requestAnimationFrame(onFrame);
    },
    onTrainBatchEnd(ctx, { loss }) {
      events++;
      shown.textContent = `step ${ctx.state.step}: ${loss}`;
    },
  };
  const training = trainInWorker(start, { settings: { steps } satisfies WorkerSettings, hooks: [drawing] });
  const { status, metrics, steps: done } = await training;
  const milliseconds = performance.now() - began;
  // Long tasks are reported later.
  await new Promise((resolve) => setTimeout(resolve, 300));
  began = -1;
  observer.disconnect();
  const longest = Math.max(0, ...tasks);
  return {
    status,
    done,
    metrics,
    events,
    leftOut: training.leftOut,
    longest,
    longestFrame,
    frames,
    milliseconds,
    shown: shown.textContent,
  };
}

/** Trains until the worker dies in this way; returns the error. */
async function die(how: 'terminate' | NonNullable<WorkerSettings['how']>, steps: number): Promise<object> {
  const settings: WorkerSettings = {
    steps,
    dieAtStep: 50,
    saveIn: `/${how}`,
    ...(how !== 'terminate' && { how }),
  };
  const heard: string[] = [];
  const listening: Hook = {
    name: 'listening',
    onStepEnd: (_ctx, { step }) => {
      if (how === 'terminate' && step >= 50) worker.terminate();
    },
    onException: () => void heard.push('onException'),
    teardown: () => void heard.push('teardown'),
  };
  try {
    await trainInWorker(start, { settings, hooks: [listening] });
    return { code: 'it ended well' };
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return { code, message, heard };
  }
}

/** Goes on where the worker that died in this way had saved. */
async function goOn(how: string, steps: number): Promise<object> {
  const {
    status,
    metrics,
    steps: done,
  } = await trainInWorker(start, {
    settings: { steps, saveIn: `/${how}` } satisfies WorkerSettings,
  });
  return { status, metrics, done };
}

Object.assign(globalThis, { train, die, goOn });
