import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The TensorFlow library and its headers. */
export interface Libtensorflow {
  readonly include: string;
  readonly library: string;
  readonly framework: string;
}

/** What a folder holds: that of a Python wheel (`site-packages/tensorflow`), or of an unpacked libtensorflow. */
export function libtensorflowIn(folder: string): Libtensorflow | undefined {
  const include = join(folder, 'include');
  if (!existsSync(join(include, 'tensorflow', 'c', 'eager', 'c_api.h'))) return undefined;
  for (const [within, name] of [
    ['', 'libtensorflow_cc.so.2'],
    ['lib', 'libtensorflow.so.2'],
  ] as const) {
    const library = join(folder, within, name);
    const framework = join(folder, within, 'libtensorflow_framework.so.2');
    if (existsSync(library) && existsSync(framework)) return { include, library, framework };
  }
  return undefined;
}
