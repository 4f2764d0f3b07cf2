// The Highway targets of the kernels. Include it before any Highway header.
#pragma once

// Each target compiles every kernel again, so there are few: x86 processors without AVX2 use the
// portable target. Vectors of a size unknown at compile time cannot be in arrays, so SVE and RVV
// are disabled.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_SVE | HWY_SVE2 | HWY_RVV)

// With sanitizers, Highway checks indices with functions of its library. The kernels use only its
// headers.
#define HWY_IS_DEBUG_BUILD 0

#include <hwy/detect_targets.h>

// Returns the result of `function` from the namespace of the target for these instructions. If
// kernels are compiled for one target, that is the only one.
#if HWY_TARGETS & HWY_AVX3
#define MITHRIL_IF_AVX512(instructions, function) \
  if ((instructions) >= Instructions::avx512) return N_AVX3::function();
#else
#define MITHRIL_IF_AVX512(instructions, function)
#endif
#if HWY_TARGETS & HWY_AVX2
#define MITHRIL_IF_AVX2(instructions, function) \
  if ((instructions) == Instructions::avx2) return N_AVX2::function();
#else
#define MITHRIL_IF_AVX2(instructions, function)
#endif
#define MITHRIL_RETURN_KERNELS(instructions, function) \
  MITHRIL_IF_AVX512(instructions, function)            \
  MITHRIL_IF_AVX2(instructions, function)              \
  return HWY_STATIC_DISPATCH(function)()
