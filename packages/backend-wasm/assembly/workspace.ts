// Scratch memory of the module. The host allocates it once, in the memory of the backend, and says where it is: the
// module has no static data, because that would lie on top of the backend's.
import { CONSTANT_BYTES, useConstants } from './constants';

/** The most rows of A, and depth and columns of B, that are packed at a time: a block of B fits the second cache. */
export const BLOCK_M: i32 = 132;
export const BLOCK_K: i32 = 256;
export const BLOCK_N: i32 = 1024;

/** Floats between packed rows of A: rows a power of two apart would fall on the same places of the cache. */
export const SPARE: i32 = 16;

/** Output pixels of a convolution whose addresses are computed at a time. */
export const PIXELS: i32 = 64;

/** A table of places: 4,096 pairs of addresses. */
const PLACES: i32 = 4096;

const TILE_BYTES: i32 = 256;

export let tile: usize = 0;
export let pixelTable: usize = 0;
export let places: usize = 0;
export let packedA: usize = 0;
export let packedB: usize = 0;

export function workspaceBytes(): i32 {
  return CONSTANT_BYTES + TILE_BYTES + PIXELS * 4 + PLACES * 8 + (BLOCK_M * (BLOCK_K + SPARE) + BLOCK_K * BLOCK_N) * 4 + 256;
}

export function useWorkspace(at: usize): void {
  at = (at + 63) & ~63;
  useConstants(at);
  tile = at + CONSTANT_BYTES;
  pixelTable = tile + TILE_BYTES;
  places = pixelTable + PIXELS * 4;
  packedA = places + PLACES * 8;
  packedB = packedA + <usize>(BLOCK_M * (BLOCK_K + SPARE) * 4);
}
