import * as tf from '@tensorflow/tfjs-core';
import { testHook } from '../../src/index.js';

const leaky = () => ({ name: 'leaky', onStepEnd: () => void tf.keep(tf.scalar(1)) });

testHook(leaky, { package: new URL('package.json', import.meta.url) });
