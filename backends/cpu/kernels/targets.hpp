// What Highway compiles kernels for. Included before any header of Highway's.
#pragma once

// Few, for each compiles every kernel once more: what is older than AVX2 takes the portable one.
// Vectors whose length only the processor knows cannot stand in arrays.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_SVE | HWY_SVE2 | HWY_RVV)

#include <hwy/detect_targets.h>

// The function of a kernel file's namespaces that is for these instructions. Where kernels are
// compiled for one target, that is the only one.
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
