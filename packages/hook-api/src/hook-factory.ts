import type { Hook } from './hook.js';
import type { OptionsSchema } from './options.js';

/**
 * The factory that a hook package exports: it checks the options against the schema and hands them to `create`, `{}`
 * when there are none. The schema is its `options`, where the trainer finds it.
 *
 * @example export const ema = hookFactory(schema, ({ decay = 0.99 }) => ({ name: 'ema', ... }));
 */
export function hookFactory<Options extends object, Made extends Hook | Hook[] = Hook>(
  schema: OptionsSchema<Options>,
  create: (options: Options) => Made,
): ((options?: Options) => Made) & { readonly options: OptionsSchema<Options> } {
  const factory = (options: Options = {} as Options): Made => {
    schema.check(options);
    return create(options);
  };
  return Object.assign(factory, { options: schema });
}
