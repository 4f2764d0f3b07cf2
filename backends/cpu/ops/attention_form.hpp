// The sizes of attention, and its blocking.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace mithril::cpu_backend {

// The most scores of a block of rows: they fit in the second-level cache beside keys and values.
inline constexpr int64_t scores_at_once = 1 << 15;
inline constexpr int64_t most_rows_at_once = 64;

// The indices of the matrices of one head in query, key, value and mask.
struct Head {
  int64_t query, key, value, mask;
};

struct AttentionForm {
  int64_t rows, columns, width;
  int64_t value_width = 0;
  double scale;
  bool causal;
  std::vector<Head> heads;
  // Of the mask, in elements: the size of a matrix, and the steps of a row and a column; 0 if
  // broadcast.
  int64_t mask_size = 0, mask_row_step = 0, mask_column_step = 0;
  bool mask_keeps = false;  // a boolean mask: true where a query may attend

  // The rows of a block. They depend only on the sizes, so that sums do not depend on the number of
  // threads.
  int64_t rows_at_once() const {
    return std::clamp<int64_t>(scores_at_once / columns, 1, std::min(rows, most_rows_at_once));
  }
  int64_t blocks() const { return (rows + rows_at_once() - 1) / rows_at_once(); }
  double work() const {
    return static_cast<double>(rows * columns) * static_cast<double>(width + value_width) *
           static_cast<double>(heads.size());
  }
};

}  // namespace mithril::cpu_backend
