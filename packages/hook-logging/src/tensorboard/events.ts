import type { Histogram } from '@hookline/hook-api/helpers';
import type { FlatConfig } from '../service/run-config.js';
import { Message } from './message.js';

/** When and where an event belongs. */
export interface EventPlace {
  /** Milliseconds since 1970. */
  time: number;
  step: number;
}

/** The event that every file begins with. */
export function versionEvent(time: number): Uint8Array {
  return event({ time, step: 0 })
    .text(3, 'brain.Event:2')
    .message(10, new Message().text(1, '@hookline/hook-logging'))
    .finish();
}

/** Training starts: whatever an earlier run left at this step or later is void. */
export function startEvent(place: EventPlace): Uint8Array {
  const START = 1;
  return event(place).message(7, new Message().uint(1, START)).finish();
}

/** All numbers of one moment. Old-style values: every reader knows them, and they are the smallest. */
export function scalarsEvent(place: EventPlace, scalars: readonly (readonly [string, number])[]): Uint8Array {
  const summary = new Message();
  for (const [tag, value] of scalars) summary.message(1, new Message().text(1, tag).float(2, value));
  return event(place).message(5, summary).finish();
}

export function histogramEvent(time: number, histogram: Histogram): Uint8Array {
  const { name, step, min, max, num, sum, sumSquares, edges, counts } = histogram;
  const histo = new Message()
    .double(1, min)
    .double(2, max)
    .double(3, num)
    .double(4, sum)
    .double(5, sumSquares)
    // The format has right edges only; the left one of the first bucket is the minimum.
    .doubles(6, edges.slice(1))
    .doubles(7, counts);
  return summaryEvent({ time, step }, new Message().text(1, name).message(5, histo));
}

/** Shown as Markdown. */
export function textEvent(place: EventPlace, tag: string, text: string): Uint8Array {
  const STRING = 7;
  const shape = new Message().message(2, new Message().uint(1, 1));
  const tensor = new Message().uint(1, STRING).message(2, shape).text(8, text);
  const value = new Message().text(1, tag).message(9, metadata('text')).message(8, tensor);
  return summaryEvent(place, value);
}

/** The settings of the run, for TensorBoard's table of hyper-parameters. */
export function settingsEvent({ time, step }: EventPlace, run: string, settings: FlatConfig): Uint8Array {
  const info = new Message();
  for (const [name, setting] of Object.entries(settings)) {
    info.message(1, new Message().text(1, name).message(2, jsonValue(setting)));
  }
  info.text(4, run).double(5, time / 1000);
  return sessionEvent({ time, step }, '_hparams_/session_start_info', new Message().message(3, info));
}

/** How the run ended, for the same table. */
export function outcomeEvent({ time, step }: EventPlace, succeeded: boolean): Uint8Array {
  const [SUCCESS, FAILURE] = [1, 2];
  const info = new Message().uint(1, succeeded ? SUCCESS : FAILURE).double(2, time / 1000);
  return sessionEvent({ time, step }, '_hparams_/session_end_info', new Message().message(4, info));
}

function event({ time, step }: EventPlace): Message {
  return new Message().double(1, time / 1000).uint(2, step);
}

function summaryEvent(place: EventPlace, value: Message): Uint8Array {
  return event(place).message(5, new Message().message(1, value)).finish();
}

/** The content of the table is in the metadata; the value itself is an empty tensor. */
function sessionEvent(place: EventPlace, tag: string, content: Message): Uint8Array {
  const FLOAT = 1;
  const noElements = new Message().message(2, new Message().uint(1, 0));
  const value = new Message()
    .text(1, tag)
    .message(9, metadata('hparams', content))
    .message(8, new Message().uint(1, FLOAT).message(2, noElements));
  return summaryEvent(place, value);
}

function metadata(plugin: string, content: Message = new Message()): Message {
  const TENSOR = 2;
  const data = new Message().text(1, plugin).message(2, content);
  return new Message().message(1, data).uint(4, TENSOR);
}

/** A google.protobuf.Value. */
function jsonValue(value: FlatConfig[string]): Message {
  if (typeof value === 'number') return new Message().double(2, value);
  return typeof value === 'boolean' ? new Message().bool(4, value) : new Message().text(3, value);
}
