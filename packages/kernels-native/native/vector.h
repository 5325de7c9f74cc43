// The vectors of one instruction set. The file that is compiled for it defines ISA_AVX2 or ISA_AVX512, and is compiled
// with its flags. Plain operators (+, -, *, /) round once each, because contraction is off: only FMA is fused.
#ifndef VECTOR_H
#define VECTOR_H
#include <immintrin.h>
#include <stdint.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

#if defined(ISA_AVX512)
#define ISA(name) name##_avx512
enum { LANES = 16, TILE_ROWS = 12, PATCHES = 8 };
typedef __m512 V;
typedef __m512i VI;
typedef __mmask16 MASK;
INLINE V splat(float x) { return _mm512_set1_ps(x); }
INLINE V load(const float *p) { return _mm512_loadu_ps(p); }
INLINE void store(float *p, V v) { _mm512_storeu_ps(p, v); }
INLINE V fma_of(V a, V b, V c) { return _mm512_fmadd_ps(a, b, c); }
INLINE V sqrt_of(V x) { return _mm512_sqrt_ps(x); }
INLINE MASK first_lanes(int n) { return (MASK)((1u << n) - 1); }
INLINE V load_some(const float *p, MASK m) { return _mm512_maskz_loadu_ps(m, p); }
INLINE void store_some(float *p, MASK m, V v) { _mm512_mask_storeu_ps(p, m, v); }
INLINE MASK less(V a, V b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
INLINE MASK greater_or_equal(V a, V b) { return _mm512_cmp_ps_mask(a, b, _CMP_GE_OQ); }
INLINE MASK equal(V a, V b) { return _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ); }
INLINE MASK unordered(V a, V b) { return _mm512_cmp_ps_mask(a, b, _CMP_UNORD_Q); }
INLINE MASK both(MASK a, MASK b) { return a & b; }
INLINE MASK either(MASK a, MASK b) { return a | b; }
/** a where the mask is set, b elsewhere. */
INLINE V choose(MASK m, V a, V b) { return _mm512_mask_blend_ps(m, b, a); }
INLINE V keep_where(MASK m, V v) { return _mm512_maskz_mov_ps(m, v); }
INLINE VI bits_of(V v) { return _mm512_castps_si512(v); }
INLINE V floats_of(VI v) { return _mm512_castsi512_ps(v); }
INLINE VI splat_int(int x) { return _mm512_set1_epi32(x); }
INLINE VI add_int(VI a, VI b) { return _mm512_add_epi32(a, b); }
INLINE VI sub_int(VI a, VI b) { return _mm512_sub_epi32(a, b); }
INLINE VI and_int(VI a, VI b) { return _mm512_and_si512(a, b); }
INLINE VI or_int(VI a, VI b) { return _mm512_or_si512(a, b); }
INLINE VI xor_int(VI a, VI b) { return _mm512_xor_si512(a, b); }
INLINE V convert(VI v) { return _mm512_cvtepi32_ps(v); }
#define SHIFT_LEFT(v, n) _mm512_slli_epi32(v, n)
#define SHIFT_RIGHT(v, n) _mm512_srli_epi32(v, n)
#define SHIFT_RIGHT_SIGNED(v, n) _mm512_srai_epi32(v, n)
/** The second operand where either is NaN or both are zero, as the instruction has it. */
INLINE V raw_max(V a, V b) { return _mm512_max_ps(a, b); }
INLINE V raw_min(V a, V b) { return _mm512_min_ps(a, b); }
#elif defined(ISA_AVX2)
#define ISA(name) name##_avx2
enum { LANES = 8, TILE_ROWS = 6, PATCHES = 6 };
typedef __m256 V;
typedef __m256i VI;
typedef __m256 MASK;
INLINE V splat(float x) { return _mm256_set1_ps(x); }
INLINE V load(const float *p) { return _mm256_loadu_ps(p); }
INLINE void store(float *p, V v) { _mm256_storeu_ps(p, v); }
INLINE V fma_of(V a, V b, V c) { return _mm256_fmadd_ps(a, b, c); }
INLINE V sqrt_of(V x) { return _mm256_sqrt_ps(x); }
static const int32_t SLIDING_MASK[16] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};
INLINE MASK first_lanes(int n) { return _mm256_loadu_ps((const float *)(SLIDING_MASK + 8 - n)); }
INLINE V load_some(const float *p, MASK m) { return _mm256_maskload_ps(p, _mm256_castps_si256(m)); }
INLINE void store_some(float *p, MASK m, V v) { _mm256_maskstore_ps(p, _mm256_castps_si256(m), v); }
INLINE MASK less(V a, V b) { return _mm256_cmp_ps(a, b, _CMP_LT_OQ); }
INLINE MASK greater_or_equal(V a, V b) { return _mm256_cmp_ps(a, b, _CMP_GE_OQ); }
INLINE MASK equal(V a, V b) { return _mm256_cmp_ps(a, b, _CMP_EQ_OQ); }
INLINE MASK unordered(V a, V b) { return _mm256_cmp_ps(a, b, _CMP_UNORD_Q); }
INLINE MASK both(MASK a, MASK b) { return _mm256_and_ps(a, b); }
INLINE MASK either(MASK a, MASK b) { return _mm256_or_ps(a, b); }
/** a where the mask is set, b elsewhere. */
INLINE V choose(MASK m, V a, V b) { return _mm256_blendv_ps(b, a, m); }
INLINE V keep_where(MASK m, V v) { return _mm256_and_ps(m, v); }
INLINE VI bits_of(V v) { return _mm256_castps_si256(v); }
INLINE V floats_of(VI v) { return _mm256_castsi256_ps(v); }
INLINE VI splat_int(int x) { return _mm256_set1_epi32(x); }
INLINE VI add_int(VI a, VI b) { return _mm256_add_epi32(a, b); }
INLINE VI sub_int(VI a, VI b) { return _mm256_sub_epi32(a, b); }
INLINE VI and_int(VI a, VI b) { return _mm256_and_si256(a, b); }
INLINE VI or_int(VI a, VI b) { return _mm256_or_si256(a, b); }
INLINE VI xor_int(VI a, VI b) { return _mm256_xor_si256(a, b); }
INLINE V convert(VI v) { return _mm256_cvtepi32_ps(v); }
#define SHIFT_LEFT(v, n) _mm256_slli_epi32(v, n)
#define SHIFT_RIGHT(v, n) _mm256_srli_epi32(v, n)
#define SHIFT_RIGHT_SIGNED(v, n) _mm256_srai_epi32(v, n)
/** The second operand where either is NaN or both are zero, as the instruction has it. */
INLINE V raw_max(V a, V b) { return _mm256_max_ps(a, b); }
INLINE V raw_min(V a, V b) { return _mm256_min_ps(a, b); }
#endif

enum { TILE_COLUMNS = 2 * LANES };

INLINE int smaller(int a, int b) { return a < b ? a : b; }
INLINE int larger(int a, int b) { return a > b ? a : b; }
INLINE V zero(void) { return splat(0); }
INLINE V negated(V x) { return floats_of(xor_int(bits_of(x), splat_int(INT32_MIN))); }
INLINE V size_of(V x) { return floats_of(and_int(bits_of(x), splat_int(INT32_MAX))); }
INLINE V sign_of(V x) { return floats_of(and_int(bits_of(x), splat_int(INT32_MIN))); }
/** NaN stays NaN, as in f32x4.max and f32x4.min of WebAssembly; of two zeros the positive, or the negative. */
INLINE V max_of(V a, V b) {
  const V m = floats_of(and_int(bits_of(raw_max(a, b)), bits_of(raw_max(b, a))));
  return choose(unordered(a, b), a + b, m);
}
INLINE V min_of(V a, V b) {
  const V m = floats_of(or_int(bits_of(raw_min(a, b)), bits_of(raw_min(b, a))));
  return choose(unordered(a, b), a + b, m);
}
/** Zero where x is negative. NaN stays NaN. */
INLINE V relu_of(V x) { return choose(less(x, zero()), zero(), x); }
/** The first of a row, or all of them. */
INLINE V load_up_to(const float *p, int n) { return n >= LANES ? load(p) : load_some(p, first_lanes(n)); }
INLINE void store_up_to(float *p, V v, int n) {
  if (n >= LANES) store(p, v);
  else store_some(p, first_lanes(n), v);
}
/** Four lanes are added up as WebAssembly's are: whatever is summed across a row keeps four sums. */
INLINE float sum_of_four(__m128 v) {
  float f[4];
  _mm_storeu_ps(f, v);
  return f[0] + f[1] + (f[2] + f[3]);
}
#endif
