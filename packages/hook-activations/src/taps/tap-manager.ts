import { didYouMean } from '@hookline/hook-api';
import { isModule, type TapHandlers, type TappableModel, tap } from '@hookline/layer-taps';
import { isHostBackend } from '@hookline/numerics';
import { getBackend } from '@tensorflow/tfjs-core';
import { type CaptureEntry, capture, readState, stateOf, tensorsOf } from '../capture/capture-hook.js';
import { CaptureStore } from '../capture/capture-store.js';
import type { CapturedState, CapturedTensors, Sighting } from '../capture/captured-state.js';
import { saveStates } from '../capture/save-states.js';
import { activationsError } from '../errors.js';
import { Meter } from '../measure/meter.js';
import { DebugCheck, type DebugFinding, isDebugStop } from './debug-check.js';
import { filterOf } from './layer-choice.js';
import { ALONE, type ManagerHost } from './manager-host.js';
import {
  type CaptureHookOptions,
  DEFAULT_METRICS,
  type DebugHookOptions,
  type InterventionHookOptions,
  type LayerChoice,
  type MonitoringHookOptions,
  SCHEMAS,
  type TapManagerOptions,
} from './manager-options.js';
import { type LayerMetrics, Monitor } from './monitor.js';

export type TapHookKind = 'capture' | 'monitor' | 'debug' | 'intervention';

export interface TapHookInfo {
  readonly id: string;
  readonly kind: TapHookKind;
  /** Of the layers it is on; of a module, the points seen so far. */
  readonly paths: readonly string[];
}

interface RegisteredHook {
  readonly id: string;
  readonly kind: TapHookKind;
  readonly layer: LayerChoice;
  readonly optional: boolean | undefined;
  readonly handlers: TapHandlers;
  readonly monitor?: Monitor;
  readonly check?: DebugCheck;
}

/**
 * Hooks on the layers of a model, with or without a trainer: capture what they compute, monitor it, look for trouble,
 * or change it. Hooks come and go at any time, also while the model runs. Those that observe see what those that
 * change have made.
 */
export class TapManager {
  #model: TappableModel | undefined;
  readonly #hooks = new Map<string, RegisteredHook>();
  readonly #taps = new Map<string, ReturnType<typeof tap>>();
  readonly #store: CaptureStore<CaptureEntry>;
  readonly #meter = new Meter();
  readonly #most: number;
  readonly #cleanupInterval: number;
  readonly #enableIntervention: boolean;
  readonly #host: ManagerHost;
  #passes = 0;
  #lastPass = -1;
  #count = 0;

  constructor(model: TappableModel | undefined, options: TapManagerOptions = {}, host: ManagerHost = ALONE) {
    SCHEMAS.manager.check(options);
    this.#model = model;
    this.#most = options.maxCapturedStates ?? 100;
    this.#cleanupInterval = options.cleanupInterval ?? 0;
    this.#enableIntervention = options.enableIntervention ?? false;
    this.#store = new CaptureStore({
      maxStates: this.#most,
      maxBytes: (options.memoryLimitMb ?? 256) * 2 ** 20,
    });
    this.#host = host;
  }

  /** Keeps inputs and outputs of each call. Returns the id. */
  registerCaptureHook(layer: LayerChoice, options: CaptureHookOptions = {}): string {
    SCHEMAS.capture.check(options);
    const { layerIndex, captureInput = true, captureOutput = true, store = 'host' } = options;
    const id = this.#idFor('capture', options.id);
    const rules = { id, layerIndex, captureInput, captureOutput, store };
    const output: TapHandlers['output'] = (event) =>
      this.#observe(id, () => {
        capture(rules, event, this.#see(event), this.#store, this.#meter, this.#passes);
      });
    return this.#register({ id, kind: 'capture', layer, optional: options.optional, handlers: { output } });
  }

  /** Measures the outputs of each pass; see `getMetrics`. Returns the id. */
  registerMonitoringHook(layer: LayerChoice, options: MonitoringHookOptions = {}): string {
    SCHEMAS.monitor.check(options);
    const metrics = options.metrics ?? DEFAULT_METRICS;
    const id = this.#idFor('monitor', options.id);
    const monitor = new Monitor(metrics, this.#meter, this.#most);
    const handlers: TapHandlers = {
      output: (event) => this.#observe(id, () => monitor.after(event, this.#see(event))),
      ...(metrics.includes('time') && { input: (event) => this.#observe(id, () => monitor.before(event)) }),
      ...(metrics.includes('gradient') && {
        gradient: (event) => this.#observe(id, () => monitor.backward(event)),
      }),
    };
    return this.#register({ id, kind: 'monitor', layer, optional: options.optional, handlers, monitor });
  }

  /** Looks for trouble in outputs and gradients; see `getFindings`. Returns the id. */
  registerDebugHook(layer: LayerChoice, options: DebugHookOptions = {}): string {
    SCHEMAS.debug.check(options);
    const { conditions = { nan: true }, action = 'record', onFinding } = options;
    const id = this.#idFor('debug', options.id);
    const check = new DebugCheck({ id, conditions, action, onFinding }, this.#meter, this.#most);
    const handlers: TapHandlers = {
      output: (event) => this.#observe(id, () => check.output(event, this.#see(event))),
      ...(conditions.gradient && {
        gradient: (event) => this.#observe(id, () => check.gradient(event, this.#see(event))),
      }),
    };
    return this.#register({ id, kind: 'debug', layer, optional: options.optional, handlers, check });
  }

  /** Changes what the model computes. Returns the id. */
  registerInterventionHook(layer: LayerChoice, options: InterventionHookOptions): string {
    SCHEMAS.intervention.check(options);
    const { transform, transformInput, transformGradient } = options;
    const id = this.#idFor('intervention', options.id);
    if (!this.#enableIntervention) {
      throw activationsError(
        'INTERVENTION_DISABLED',
        `Intervention hook "${id}" would change what the model computes, which is not allowed here. Pass enableIntervention: true to allow it.`,
      );
    }
    const handlers: TapHandlers = {
      ...(transform && { output: (event) => this.#intervene(id, () => transform(event)) }),
      ...(transformInput && { input: (event) => this.#intervene(id, () => transformInput(event)) }),
      ...(transformGradient && { gradient: (event) => this.#intervene(id, () => transformGradient(event)) }),
    };
    if (Object.keys(handlers).length === 0) {
      throw activationsError(
        'HOOK_OPTIONS',
        `Intervention hook "${id}" has nothing to do: give it transform, transformInput or transformGradient.`,
      );
    }
    return this.#register({ id, kind: 'intervention', layer, optional: options.optional, handlers });
  }

  /** Removes a hook and everything it captured. */
  removeHook(id: string): void {
    this.#require(id);
    this.#taps.get(id)?.remove();
    this.#taps.delete(id);
    this.#hooks.delete(id);
    this.#store.clear(id);
  }

  /** Whether any hook changes what the model computes. */
  get hasInterventions(): boolean {
    for (const hook of this.#hooks.values()) if (changes(hook)) return true;
    return false;
  }

  listHooks(): TapHookInfo[] {
    return [...this.#hooks.values()].map(({ id, kind }) => ({
      id,
      kind,
      paths: [...(this.#taps.get(id)?.paths ?? [])],
    }));
  }

  /** What a capture hook holds, oldest first, as plain data. Waits for the device where it must: see `settle`. */
  getCapturedStates(id: string): CapturedState[] {
    this.#require(id, 'capture');
    this.#meter.readNow('getCapturedStates');
    return this.#store.get(id).map(stateOf);
  }

  /** The same as tensors, for a hook with `store: 'device'`. They belong to the manager: clone what you keep. */
  getCapturedTensors(id: string): CapturedTensors[] {
    this.#require(id, 'capture');
    return this.#store.get(id).map((entry) => {
      const tensors = tensorsOf(entry);
      if (tensors) return tensors;
      throw activationsError(
        'NOT_ON_DEVICE',
        `Capture hook "${id}" does not keep tensors. Register it with store: 'device', or use getCapturedStates.`,
      );
    });
  }

  /** Those of one hook, or of all. */
  clearCapturedStates(id?: string): void {
    if (id === undefined) {
      this.#store.clearAll();
      return;
    }
    this.#require(id, 'capture');
    this.#store.clear(id);
  }

  /** Writes the states of one hook, or of all, to a safetensors file. */
  async saveCapturedStates(file: string, id?: string): Promise<void> {
    if (id !== undefined) this.#require(id, 'capture');
    await this.settle();
    const entries = id === undefined ? this.#store.all() : this.#store.get(id);
    await saveStates(file, await Promise.all(entries.map(readState)));
  }

  /** What a monitoring hook measured, oldest first. Waits for the device where it must: see `settle`. */
  getMetrics(id: string): LayerMetrics[] {
    const { monitor } = this.#require(id, 'monitor');
    this.#meter.readNow('getMetrics');
    return monitor!.records();
  }

  /** The same for the latest pass of each layer only. */
  getLatestMetrics(id: string): LayerMetrics[] {
    const { monitor } = this.#require(id, 'monitor');
    this.#meter.readNow('getLatestMetrics');
    return monitor!.latest();
  }

  /** What a debug hook found, oldest first. Waits for the device where it must: see `settle`. */
  getFindings(id: string): DebugFinding[] {
    const { check } = this.#require(id, 'debug');
    this.#meter.readNow('getFindings');
    return [...check!.findings];
  }

  /** Forgets what monitoring and debug hooks recorded. */
  clearRecords(): void {
    this.#meter.dispose();
    for (const { monitor, check } of this.#hooks.values()) {
      monitor?.clear();
      check?.clear();
    }
  }

  /** Bytes of all captured states. */
  get capturedBytes(): number {
    return this.#store.bytes;
  }

  /**
   * Reads everything that is still on the device: all statistics in one transfer, and captured states that are to be on
   * the host. Only needed to keep the getters from waiting.
   */
  async settle(): Promise<void> {
    await this.#meter.read();
    if (isHostBackend(getBackend())) return; // states were copied at once
    const held = this.#store.all().flatMap(({ inputs, outputs }) => [...inputs, ...outputs]);
    await Promise.all(held.map((each) => each.settle()));
  }

  /** Moves all hooks to another model. What was captured stays. */
  attach(model: TappableModel): void {
    this.detach();
    this.#model = model;
    try {
      const hooks = [...this.#hooks.values()];
      for (const hook of hooks.filter(changes)) this.#tap(hook);
      for (const hook of hooks.filter((each) => !changes(each))) this.#tap(hook);
    } catch (error) {
      this.detach();
      throw error;
    }
  }

  /** Takes all hooks off the model and keeps them for the next one. */
  detach(): void {
    for (const each of this.#taps.values()) each.remove();
    this.#taps.clear();
    this.#model = undefined;
  }

  /** Removes all hooks and everything they captured. */
  dispose(): void {
    this.detach();
    this.#hooks.clear();
    this.#store.clearAll();
    this.#meter.dispose();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  #register(hook: RegisteredHook): string {
    if (this.#model) this.#tap(hook);
    this.#hooks.set(hook.id, hook);
    // Taps run in the order in which they were added: observers are added again, after the one that changes things.
    if (this.#model && changes(hook)) {
      for (const other of this.#hooks.values()) if (!changes(other)) this.#tap(other);
    }
    return hook.id;
  }

  #tap({ id, kind, layer, optional = false, handlers: { input, ...handlers }, check }: RegisteredHook): void {
    const model = this.#model!;
    check?.assertPossible();
    // A point of a module has no beginning, so a monitor cannot measure its time.
    const takesInput = input && !(kind === 'monitor' && isModule(model));
    const taken = takesInput ? { input, ...handlers } : handlers;
    const added = tap(model, filterOf(model, layer), taken, { optional });
    this.#taps.get(id)?.remove();
    this.#taps.set(id, added);
  }

  #idFor(kind: TapHookKind, id: string | undefined): string {
    if (id === undefined) {
      do this.#count++;
      while (this.#hooks.has(`${kind}_${this.#count}`));
      return `${kind}_${this.#count}`;
    }
    if (!this.#hooks.has(id)) return id;
    throw activationsError(
      'DUPLICATE_HOOK',
      `There is already a hook with the id "${id}". Remove it first, or use a different id.`,
    );
  }

  #require(id: string, kind?: TapHookKind): RegisteredHook {
    const hook = this.#hooks.get(id);
    const ids = [...this.#hooks.keys()];
    if (!hook) {
      throw activationsError(
        'UNKNOWN_HOOK',
        `There is no hook with the id "${id}".${didYouMean(id, ids)} Hooks here: ${ids.join(', ') || 'none'}.`,
      );
    }
    if (kind === undefined || hook.kind === kind) return hook;
    throw activationsError(
      'WRONG_KIND',
      `"${id}" is ${article(hook.kind)} ${hook.kind} hook, and this needs a ${kind} hook. See listHooks().`,
    );
  }

  #see({ path, callIndex, pass, training }: Omit<Sighting, 'step'>): Sighting {
    if (pass !== this.#lastPass) {
      this.#lastPass = pass;
      this.#passes++;
      const interval = this.#cleanupInterval;
      if (interval > 0 && this.#passes % interval === 0) this.#store.dropBefore(this.#passes - interval);
    }
    return { path, callIndex, pass, training, step: this.#host.step() };
  }

  #observe(id: string, look: () => void): undefined {
    // A layer call that is running still finishes with the tap of a hook that was removed.
    if (!this.#hooks.has(id) || !this.#host.isOpen('observe')) return undefined;
    try {
      this.#host.run(look);
    } catch (error) {
      if (isDebugStop(error)) throw error;
      this.#host.onFailure(error);
    }
    return undefined;
  }

  #intervene<Result>(id: string, change: () => Result): Result | undefined {
    return this.#hooks.has(id) && this.#host.isOpen('intervene') ? this.#host.run(change) : undefined;
  }
}

function changes({ kind }: RegisteredHook): boolean {
  return kind === 'intervention';
}

function article(kind: TapHookKind): 'a' | 'an' {
  return kind === 'intervention' ? 'an' : 'a';
}
