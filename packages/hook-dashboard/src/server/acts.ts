/** What somebody can ask for on the page. */
export type Act =
  | { readonly verb: 'stop' | 'validate' | 'checkpoint' }
  | { readonly verb: 'scale-lr'; readonly factor: number }
  | { readonly verb: 'switch'; readonly hook: string; readonly on: boolean };

/** The run of this process, as far as the page may act on it. */
export interface Controls {
  hooks(): readonly {
    readonly name: string;
    readonly isOn: boolean;
    readonly calls: number;
    readonly milliseconds: number;
  }[];
  /** Whether it was done. */
  act(act: Act): boolean;
}

/** Undefined for anything that is not an act. */
export function parseAct(text: string): Act | undefined {
  let content: Record<string, unknown>;
  try {
    content = Object(JSON.parse(text)) as Record<string, unknown>;
  } catch {
    return undefined;
  }
  const { verb, factor, hook, on } = content;
  if (verb === 'stop' || verb === 'validate' || verb === 'checkpoint') return { verb };
  // A factor beyond this is a slip of the finger.
  const isFactor = typeof factor === 'number' && factor >= 0.001 && factor <= 1000;
  if (verb === 'scale-lr' && isFactor) return { verb, factor };
  if (verb === 'switch' && typeof hook === 'string' && typeof on === 'boolean') return { verb, hook, on };
  return undefined;
}
