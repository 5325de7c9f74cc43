import type { Tensor } from '@tensorflow/tfjs-core';
import { LayerTapsError } from './errors.js';
import type { Layer } from './layer.js';
import type { PathFilter } from './path-filter.js';

/** What every event of a tap tells. Tensors belong to the running pass: clone and `tf.keep` what should outlive it. */
export interface TapUse {
  readonly path: string;
  /** Undefined at the points of a module. */
  readonly layer: Layer | undefined;
  readonly training: boolean;
  /** 0 for the first use of the layer in this forward pass, 1 for the second: shared layers, steps of an RNN. */
  readonly callIndex: number;
  /** The same number for all that happens in one forward pass, another one in the next. */
  readonly pass: number;
}

/** A tapped layer has run. */
export interface TapEvent extends TapUse {
  /** For an RNN cell the input of the step, then the states. Empty at the points of a module. */
  readonly inputs: readonly Tensor[];
  /** The first output, or what an earlier tap put in its place. */
  readonly output: Tensor;
  readonly outputs: readonly Tensor[];
}

/** A tapped layer is about to run. */
export interface TapInputEvent extends TapUse {
  /** The first input, or what an earlier tap put in its place. */
  readonly input: Tensor;
  readonly inputs: readonly Tensor[];
}

/** The backward pass comes through a tapped layer. */
export interface TapGradientEvent extends TapUse {
  /** Of the loss with respect to the output, as it left this tap. */
  readonly gradient: Tensor;
  /** Of which output; each has its own event. */
  readonly outputIndex: number;
}

/** Nothing, or what to use instead: of the same shape and dtype, a list where there are several. */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler that only looks has no return statement.
type Replacement<Value> = Value | undefined | void;

/**
 * Runs inside the forward pass, so it cannot wait for anything. What it returns replaces the output; gradients flow
 * through it. What it made belongs to the pass; a tensor that was there before stays yours.
 */
export type TapHandler = (event: TapEvent) => Replacement<Tensor | readonly Tensor[]>;

export interface TapHandlers {
  /** Before the layer runs: may return other inputs. Layers only; a point of a module has no inputs. */
  input?(event: TapInputEvent): Replacement<Tensor | readonly Tensor[]>;
  /** After the layer has run: may return other outputs. */
  output?(event: TapEvent): Replacement<Tensor | readonly Tensor[]>;
  /** When the backward pass comes through: may return another gradient. Not called without a backward pass. */
  gradient?(event: TapGradientEvent): Replacement<Tensor>;
}

/** Where to tap, and with what: an entry of `withTaps`. */
export type TapSpec = readonly [filter: PathFilter, handler: TapHandler | TapHandlers];

const TAP_EVENTS = ['input', 'output', 'gradient'] as const;

export function handlersOf(handler: TapHandler | TapHandlers): TapHandlers {
  if (typeof handler === 'function') return { output: handler };
  const given = (typeof handler === 'object' && handler) || {};
  if (TAP_EVENTS.every((event) => given[event] === undefined || typeof given[event] === 'function')) {
    if (TAP_EVENTS.some((event) => given[event] !== undefined)) return given;
  }
  throw new LayerTapsError(
    'BAD_HANDLER',
    'A tap needs a function to call with each output, or an object with any of the methods input, output and ' +
      `gradient; got ${handler === null ? 'null' : typeof handler}.`,
  );
}
