// Convolutions as implicit GEMMs, tile by tile.
#pragma once

#include <cstdint>

#include "backends/cpu/conv/implicit_gemm_form.hpp"
#include "backends/cpu/kernels/implicit_gemm_kernels.hpp"
#include "backends/cpu/runtime/step.hpp"

namespace mithril::cpu_backend {

// The tiles of a form. They depend only on the sizes, so that results do not depend on the number
// of threads.
struct ImplicitGemmTiles {
  int64_t mr = 1, nr = 1, count = 0;  // count: tiles that cover all rows

  ImplicitGemmTiles(const ImplicitGemmForm& form, int most_rows, int columns);
  int64_t panels(const ImplicitGemmForm& form, const TapGemm& product) const;
  // Elements of the packed weight of one group, and of all groups.
  int64_t packed_group(const ImplicitGemmForm& form) const;
  int64_t packed_count(const ImplicitGemmForm& form) const {
    return packed_group(form) * form.groups;
  }
  // Elements of the padded planes of one group of one image; 0 if the source is read in place.
  int64_t planes_count(const ImplicitGemmForm& form) const;
};

// Packs the weight for the rows of tiles [first, last), counted through all groups.
template <typename T>
void pack_weight(const ImplicitGemmForm& form, const ImplicitGemmTiles& tiles, const T* weight,
                 int64_t first, int64_t last, T* packed);

// Pads the channels [first, last) of one group of one image. `source` is the first channel of the
// group.
template <typename T>
void pad_planes(const ImplicitGemmForm& form, const T* source, int64_t first, int64_t last,
                T* planes);

// The operands of one group of one image.
template <typename T>
struct ImplicitGemmOperands {
  const ImplicitGemmForm& form;
  const ImplicitGemmTiles& tiles;
  const ImplicitGemmKernels<T>& kernels;
  const T* planes;
  const T* weight;  // packed
  const T* start;   // bias of each row; null: 0
  T* made;
  Epilogue epilogue = Epilogue();  // of the result; forward pass only
};

// Splits the rows of tiles or the panels, whichever gives parts of more equal size.
WindowPart cut_implicit_gemm(const ImplicitGemmForm& form, const ImplicitGemmTiles& tiles,
                             int64_t parts);

template <typename T>
void run_implicit_gemm(const ImplicitGemmOperands<T>& operands, const WindowPart& part);

}  // namespace mithril::cpu_backend
