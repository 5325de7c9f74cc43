// Before `register`, whose import starts the backend: that is why this is a module of its own.
import { setWasmPaths } from '@tensorflow/tfjs-backend-wasm';

setWasmPaths('/tfjs/');
