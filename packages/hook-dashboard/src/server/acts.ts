/** What somebody can ask for on the page. */
export type Act =
  | { readonly verb: 'stop' | 'validate' | 'checkpoint' }
  | { readonly verb: 'scale-lr'; readonly factor: number }
  | { readonly verb: 'switch'; readonly hook: string; readonly on: boolean };

/** A hook as the page shows it. */
export interface ShownHook {
  readonly name: string;
  readonly isOn: boolean;
  readonly calls: number;
  readonly milliseconds: number;
}

/** A run that is being trained, as far as the page may act on it. */
export interface Controls {
  hooks(): readonly ShownHook[] | Promise<readonly ShownHook[]>;
  /** Whether it was done. */
  act(act: Act): boolean | Promise<boolean>;
}

/** An act, and the run that it is for; without one it is the run of this process. */
export interface AskedAct {
  readonly act: Act;
  readonly run: string | undefined;
}

/** Undefined for anything that is not an act. */
export function parseAct(text: string): AskedAct | undefined {
  try {
    const content = Object(JSON.parse(text)) as Record<string, unknown>;
    const { run } = content;
    const act = actOf(content);
    return act && (run === undefined || typeof run === 'string') ? { act, run } : undefined;
  } catch {
    return undefined;
  }
}

function actOf({ verb, factor, hook, on }: Record<string, unknown>): Act | undefined {
  if (verb === 'stop' || verb === 'validate' || verb === 'checkpoint') return { verb };
  // A factor beyond this is a slip of the finger.
  const isFactor = typeof factor === 'number' && factor >= 0.001 && factor <= 1000;
  if (verb === 'scale-lr' && isFactor) return { verb, factor };
  if (verb === 'switch' && typeof hook === 'string' && typeof on === 'boolean') return { verb, hook, on };
  return undefined;
}
