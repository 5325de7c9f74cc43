import { enableTraining, type TrainingOptions } from '@hookline/backend-wasm';

/**
 * The wasm backend of tfjs cannot train a convolution or an embedding, and is slow where it can; with the kernels of
 * @hookline/backend-wasm it trains everything. `HOOKLINE_WASM=stock` leaves it as it is, `HOOKLINE_WASM=no-fma` gives
 * the same bits on every machine, `HOOKLINE_WASM_THREADS=2` computes large operations with two threads.
 */
export async function enableWasmTraining(): Promise<void> {
  const setting = process.env.HOOKLINE_WASM?.toLowerCase();
  if (setting === 'stock') return;
  const options: TrainingOptions = setting === 'no-fma' ? { fma: false } : {};
  const threads = threadsAskedFor();
  if (threads === undefined) return void (await enableTraining(options));
  try {
    await enableTraining({ ...options, threads });
  } catch (error) {
    if ((error as { code?: string }).code !== 'NO_THREADS') throw error;
    // Asked for from outside of the program, and only faster: no reason not to train.
    process.emitWarning(`HOOKLINE_WASM_THREADS has no effect. ${(error as Error).message}`);
    await enableTraining({ ...options, threads: false });
  }
}

function threadsAskedFor(): number | boolean | undefined {
  const text = process.env.HOOKLINE_WASM_THREADS?.trim().toLowerCase();
  if (!text) return undefined;
  return text === 'true' || text === 'false' ? text === 'true' : Number(text);
}
