import * as tf from '@tensorflow/tfjs-core';

/** How many calls of each kernel it computed itself. */
export const computed = new Map<string, number>();

interface Args {
  inputs: Record<string, tf.Tensor>;
  attrs: Record<string, unknown>;
  backend: tf.KernelBackend;
}

/**
 * A backend by the name of the one of tfjs-node, which computes with cpu and refuses, forgets and invents what TensorFlow does: the
 * real one is not on every machine, and takes seconds to load. `npm run native` has the real one.
 */
export function registerStrictBackend(): void {
  const Cpu = tf.findBackend('cpu').constructor as new () => tf.KernelBackend;
  tf.registerBackend('tensorflow', () => Object.assign(new Cpu(), { firstUse: false }));
  for (const { kernelName, kernelFunc } of tf.getKernelsForBackend('cpu')) {
    if (kernelName === tf.MaxPoolWithArgmax) continue; // it has none
    const strict = (args: Args) => {
      const given = STRICT[kernelName]?.(args) ?? args;
      computed.set(kernelName, (computed.get(kernelName) ?? 0) + 1);
      const made = kernelFunc(given as unknown as Parameters<tf.KernelFunc>[0]);
      // Its kernels give tensors, not only what describes one.
      const tensors = [made].flat().map((info) => tf.engine().makeTensorFromTensorInfo(info));
      return Array.isArray(made) ? tensors : tensors[0]!;
    };
    tf.registerKernel({
      kernelName,
      backendName: 'tensorflow',
      kernelFunc: strict as unknown as tf.KernelFunc,
    });
  }
}

/** Throws where TensorFlow does; returns other arguments where it goes on with others. */
type Strictness = (args: Args) => Args | undefined;

function refuse(message: string): never {
  throw new Error(message);
}

const namedPadding: Strictness = ({ attrs: { pad } }) => {
  if (pad !== 'valid' && pad !== 'same') refuse(`only 'valid' and 'same' padding, got ${pad}`);
  return undefined;
};

const depthwise: Strictness = (args) => {
  namedPadding(args);
  const [rows, columns] = [args.attrs.strides].flat() as number[];
  if (columns !== undefined && rows !== columns) refuse('equal length strides in the row and column');
  return noDilation(args);
};

const noDilation: Strictness = ({ attrs: { dilations } }) => {
  if ([dilations ?? 1].flat().some((each) => each !== 1)) refuse('dilation rates are not supported');
  return undefined;
};

const pool: Strictness = (args) => {
  namedPadding(args);
  return { ...args, attrs: { ...args.attrs, dimRoundingMode: undefined } };
};

const STRICT: Readonly<Record<string, Strictness>> = {
  ...each([tf.Conv2D, tf.FusedConv2D, tf.Conv2DBackpropInput, tf.Conv2DBackpropFilter], namedPadding),
  ...each([tf.DepthwiseConv2dNative, tf.FusedDepthwiseConv2D], depthwise),
  ...each([tf.DepthwiseConv2dNativeBackpropInput, tf.DepthwiseConv2dNativeBackpropFilter], depthwise),
  ...each([tf.AvgPool, tf.AvgPoolGrad, tf.AvgPool3D, tf.AvgPool3DGrad], pool),
  ...each([tf.MaxPool, tf.MaxPoolGrad, tf.MaxPool3D], pool),
  [tf.Conv3D]: noDilation,
  [tf.GatherV2]: ({ attrs: { axis } }) => ((axis as number) < 0 ? refuse('no such axis') : undefined),
  [tf.Einsum]: ({ attrs: { equation } }) =>
    /\s/.test(equation as string) ? refuse('a space is not an axis') : undefined,
  // The gradient of whatever, as long as it is not that of the first maximum.
  [tf.MaxPool3DGrad]: (args) => ({ ...args, inputs: { ...args.inputs, dy: tf.mul(args.inputs.dy!, 2) } }),
  // It goes on where it was.
  [tf.Multinomial]: (args) => ({
    ...args,
    attrs: { ...args.attrs, seed: 1 + (computed.get(tf.Multinomial) ?? 0) },
  }),
};

function each(names: readonly string[], strictness: Strictness): Record<string, Strictness> {
  return Object.fromEntries(names.map((name) => [name, strictness]));
}
