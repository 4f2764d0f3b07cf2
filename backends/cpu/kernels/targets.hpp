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

// Returns `kernels`, an expression, from the namespace of the target for these instructions. If
// kernels are compiled for one target, that is the only one.
#if HWY_TARGETS & HWY_AVX3
#define MITHRIL_IF_AVX512(instructions, kernels) \
  if ((instructions) >= Instructions::avx512) return N_AVX3::kernels;
#else
#define MITHRIL_IF_AVX512(instructions, kernels)
#endif
#if HWY_TARGETS & HWY_AVX2
#define MITHRIL_IF_AVX2(instructions, kernels) \
  if ((instructions) == Instructions::avx2) return N_AVX2::kernels;
#else
#define MITHRIL_IF_AVX2(instructions, kernels)
#endif
#define MITHRIL_RETURN_KERNELS(instructions, kernels) \
  MITHRIL_IF_AVX512(instructions, kernels)            \
  MITHRIL_IF_AVX2(instructions, kernels)              \
  return HWY_STATIC_DISPATCH(kernels)

// Defines function<T>(instructions) for T float and double.
#define MITHRIL_DEFINE_KERNELS(Type, function, kernels)      \
  template <typename T>                                      \
  const Type<T>& function(Instructions instructions) {       \
    MITHRIL_RETURN_KERNELS(instructions, kernels);           \
  }                                                          \
  template const Type<float>& function<float>(Instructions); \
  template const Type<double>& function<double>(Instructions);

// Kernels for AMX, which Linux lets programs use, are compiled beside those for AVX-512.
#if (HWY_TARGETS & HWY_AVX3) && defined(__linux__)
#define MITHRIL_HAS_AMX_KERNELS
#endif
