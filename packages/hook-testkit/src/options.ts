export interface TestHookOptions<Options = object> {
  /** What the factory is given; best with everything switched on. A function is called for each instance. */
  options?: Options | (() => Options);
  /** Whether the hook leaves training as it is. Default: true, unless it has a `transform*` method. */
  observer?: boolean;
  /** The package.json that names the hook. Default: the nearest one above the test file. */
  package?: string | URL;
  /** Also packs the package, installs it into an empty project and looks for it there. It must be built; takes seconds. */
  packed?: boolean;
}
