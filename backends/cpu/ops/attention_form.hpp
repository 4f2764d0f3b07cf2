// What attends to what, and how much of it at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace mithril::cpu_backend {

// Scores of the rows that are done at a time: they fit the second-level cache beside keys and
// values.
inline constexpr int64_t scores_at_once = 1 << 15;
inline constexpr int64_t most_rows_at_once = 64;

// The matrices that meet, by their numbers in what query, key, value and mask hold.
struct Head {
  int64_t query, key, value, mask;
};

struct AttentionForm {
  int64_t rows, columns, width;
  int64_t value_width = 0;
  double scale;
  bool causal;
  std::vector<Head> heads;
  // Of the mask: elements of a matrix, and from one row or column to the next.
  int64_t mask_size = 0, mask_row_step = 0, mask_column_step = 0;
  bool mask_keeps = false;  // it is of bools: true where a query may attend

  // It follows from the sizes alone, as the sums do that are made in a block.
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
