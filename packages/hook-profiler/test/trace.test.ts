import type { Hook } from '@hookline/hook-api';
import { samples } from '@hookline/test-runs';
import { folderPerTest, useBackend } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { burn, profiledRun, type TraceEvent } from './profiled-run.js';
import { complaintsAbout } from './trace-format.js';

const folder = folderPerTest();
useBackend('cpu');

test('the trace keeps to the published format, with kernels, hooks, validation and garbage in it', async () => {
  const litter: Hook = {
    name: 'litter',
    onTrainBatchEnd() {
      burn(1);
      globalThis.gc?.();
    },
  };
  const { trace } = await profiledRun(
    folder.path,
    { skip: 0, steps: 100, kernels: true },
    { hooks: [litter], fit: { validation: samples(4) } },
  );
  expect(complaintsAbout(trace)).toEqual([]);
  const categories = new Set(trace!.traceEvents.map(({ cat }) => cat));
  for (const cat of ['step', 'forward', 'hooks', 'kernel']) expect(categories).toContain(cat);
});

test('times of the trace are microseconds: a hook that burns 20 ms is a span of 20,000 and little more', async () => {
  const busy: Hook = { name: 'busy', onTrainBatchReady: () => burn(20) };
  const { trace } = await profiledRun(folder.path, { skip: 1, steps: 2 }, { hooks: [busy] });
  const spans = trace!.traceEvents.filter(({ name }) => name === 'busy.onTrainBatchReady');
  expect(spans).toHaveLength(2);
  for (const { dur } of spans) {
    expect(dur).toBeGreaterThanOrEqual(20_000);
    // In milliseconds or nanoseconds it would be off by a thousand, however busy the machine is.
    expect(dur).toBeLessThan(20_000_000);
  }
});

const span: TraceEvent = { name: 'a', cat: 'x', ph: 'X', pid: 1, tid: 1, ts: 0, dur: 10 };
const names = [
  { name: 'process_name', ph: 'M', pid: 1, tid: 1, ts: 0, args: { name: 'p' } },
  { name: 'thread_name', ph: 'M', pid: 1, tid: 1, ts: 0, args: { name: 't' } },
];

test.each<[string, object[]]>([
  ['expected whole microseconds', [{ ...span, ts: 0.5 }]],
  ['expected whole microseconds', [{ ...span, dur: undefined }]],
  ['ends after a', [span, { ...span, name: 'b', ts: 5 }]],
  ['ph is B', [{ ...span, ph: 'B' }]],
  ['thread_name 1 2 is missing', [{ ...span, tid: 2 }]],
  ['duration is not a field', [{ ...span, duration: 1 }]],
  ['needs args.name', [{ ...names[1], args: {} }]],
])('a trace that breaks the format is found out: %s', (complaint, events) => {
  const trace = (all: object[]) => ({ traceEvents: [...names, ...all], displayTimeUnit: 'ms' });
  expect(complaintsAbout(trace([span]))).toEqual([]);
  expect(complaintsAbout(trace(events)).join()).toContain(complaint);
});
