/**
 * What is wrong with a trace, by the published Trace Event Format (its JSON object format): the fields that every event
 * must have, units, metadata, and spans of one thread that lie within each other or apart. Empty when nothing is.
 */
export function complaintsAbout(trace: unknown): string[] {
  if (!isRecord(trace) || !Array.isArray(trace.traceEvents)) return ['there is no list traceEvents'];
  const events: unknown[] = trace.traceEvents;
  const unit = trace.displayTimeUnit;
  return [
    ...(unit === 'ms' || unit === 'ns' ? [] : [`displayTimeUnit is ${unit}, expected ms or ns`]),
    ...events.flatMap((event, at) => aboutEvent(event).map((what) => `event ${at}: ${what}`)),
    ...aboutNames(events.filter(isRecord)),
    ...aboutNesting(events.filter(isRecord)),
  ];
}

type Event = Record<string, unknown>;

const FIELDS: Readonly<Record<string, readonly string[]>> = {
  X: ['name', 'cat', 'ph', 'ts', 'dur', 'pid', 'tid', 'args'],
  M: ['name', 'ph', 'ts', 'pid', 'tid', 'args'],
};
const METADATA = ['process_name', 'process_labels', 'process_sort_index', 'thread_name', 'thread_sort_index'];

function aboutEvent(event: unknown): string[] {
  if (!isRecord(event)) return ['is not an object'];
  const { ph, name, cat, ts, dur, pid, tid, args } = event;
  const known = FIELDS[String(ph)];
  if (!known) return [`ph is ${ph}, expected X or M`];
  const wrong = (isRight: boolean, what: string) => (isRight ? [] : [what]);
  const isTime = (value: unknown) => Number.isInteger(value) && (value as number) >= 0;
  const shared = [
    ...wrong(typeof name === 'string' && name !== '', `name is ${name}`),
    ...wrong(
      Number.isInteger(pid) && Number.isInteger(tid),
      `pid ${pid} and tid ${tid} are not whole numbers`,
    ),
    ...wrong(isTime(ts), `ts is ${ts}, expected whole microseconds from 0`),
    ...wrong(args === undefined || isRecord(args), 'args is not an object'),
    ...Object.keys(event)
      .filter((field) => !known.includes(field))
      .map((field) => `${field} is not a field of ${ph}`),
  ];
  if (ph === 'M') {
    const isNamed = METADATA.includes(String(name)) && typeof (args as Event | undefined)?.name === 'string';
    return [...shared, ...wrong(isNamed, `metadata ${name} needs args.name`)];
  }
  return [
    ...shared,
    ...wrong(isTime(dur), `dur is ${dur}, expected whole microseconds from 0`),
    ...wrong(typeof cat === 'string' && !cat.includes(','), `cat is ${cat}, expected one category`),
  ];
}

/** Every thread with spans has a name, once, and so has the process. */
function aboutNames(events: readonly Event[]): string[] {
  const names = events.filter(({ ph }) => ph === 'M').map(({ name, pid, tid }) => `${name} ${pid} ${tid}`);
  const isProcessNamed = names.some((name) => name.startsWith('process_name '));
  const threads = new Set(
    events.filter(({ ph }) => ph === 'X').map(({ pid, tid }) => `thread_name ${pid} ${tid}`),
  );
  return [
    ...(isProcessNamed ? [] : ['the process has no name']),
    ...[...threads].filter((thread) => !names.includes(thread)).map((thread) => `${thread} is missing`),
    ...names.filter((name, at) => names.indexOf(name) !== at).map((name) => `${name} is there twice`),
  ];
}

/** Complete events of one thread stand for a stack of calls: one that overlaps another halfway has no place in it. */
function aboutNesting(events: readonly Event[]): string[] {
  const spans = events
    .filter(({ ph }) => ph === 'X')
    .map(({ name, tid, ts, dur }) => ({ name, tid, start: Number(ts), end: Number(ts) + Number(dur) }));
  return [...new Set(spans.map(({ tid }) => tid))].flatMap((thread) => {
    const open: typeof spans = [];
    const sorted = spans
      .filter(({ tid }) => tid === thread)
      .sort((a, b) => a.start - b.start || b.end - a.end);
    return sorted.flatMap((span) => {
      while (open.length > 0 && open.at(-1)!.end <= span.start) open.pop();
      const around = open.at(-1);
      open.push(span);
      const isWithin = around === undefined || span.end <= around.end;
      return isWithin ? [] : [`${span.name} at ${span.start} ends after ${around.name}, in which it begins`];
    });
  });
}

function isRecord(value: unknown): value is Event {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
