import { enableTraining } from '@hookline/backend-wasm';

/**
 * The wasm backend of tfjs cannot train a convolution or an embedding, and is slow where it can; with the kernels of
 * @hookline/backend-wasm it trains everything. `HOOKLINE_WASM=stock` leaves it as it is, `HOOKLINE_WASM=no-fma` gives
 * the same bits on every machine.
 */
export async function enableWasmTraining(): Promise<void> {
  const setting = process.env.HOOKLINE_WASM?.toLowerCase();
  if (setting === 'stock') return;
  await enableTraining(setting === 'no-fma' ? { fma: false } : {});
}
