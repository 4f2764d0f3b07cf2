// The products of a convolution, tile by tile.
#pragma once

#include <cstdint>

#include "backends/cpu/conv/implicit_gemm_form.hpp"
#include "backends/cpu/kernels/implicit_gemm_kernels.hpp"
#include "backends/cpu/runtime/step.hpp"

namespace mithril::cpu_backend {

// How the tiles of a form are cut: it follows from the sizes alone, so that sums never depend on
// the number of threads.
struct ImplicitGemmTiles {
  int64_t mr = 1, nr = 1, count = 0;  // count: in each column of them

  ImplicitGemmTiles(const ImplicitGemmForm& form, int most_rows, int columns);
  int64_t panels(const ImplicitGemmForm& form, const TapGemm& product) const;
  // Elements of the packed weight of a group, and of all.
  int64_t packed_group(const ImplicitGemmForm& form) const;
  int64_t packed_count(const ImplicitGemmForm& form) const {
    return packed_group(form) * form.groups;
  }
  // Elements of the planes of one group of one image.
  int64_t planes_count(const ImplicitGemmForm& form) const;
};

// Rows of tiles are packed one by one: the tiles [first, last) of all groups, one after the other.
template <typename T>
void pack_weight(const ImplicitGemmForm& form, const ImplicitGemmTiles& tiles, const T* weight,
                 int64_t first, int64_t last, T* packed);

// The planes of the channels [first, last) of a group of an image, whose first channel `source` is.
template <typename T>
void pad_planes(const ImplicitGemmForm& form, const T* source, int64_t first, int64_t last,
                T* planes);

// One group of one image.
template <typename T>
struct ImplicitGemmOperands {
  const ImplicitGemmForm& form;
  const ImplicitGemmTiles& tiles;
  const ImplicitGemmKernels<T>& kernels;
  const T* planes;
  const T* weight;  // packed
  const T* start;   // of each row's sums; null: 0
  T* made;
  Epilogue epilogue = Epilogue();  // of what is made, where products make all of it side by side
};

// Along which tiles are cut into equal parts the best.
WindowPart cut_implicit_gemm(const ImplicitGemmForm& form, const ImplicitGemmTiles& tiles,
                             int64_t parts);

template <typename T>
void run_implicit_gemm(const ImplicitGemmOperands<T>& operands, const WindowPart& part);

}  // namespace mithril::cpu_backend
