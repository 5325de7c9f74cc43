// The page of trainer-page.ts in a project that has the WebGPU backend of tfjs as well.
import '@tensorflow/tfjs-backend-webgpu';
import './trainer-page.js';
