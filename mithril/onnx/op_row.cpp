#include "mithril/onnx/op_row.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace mithril::onnx {

const std::vector<OpRow>& op_rows() {
  static const std::vector<OpRow> rows = [] {
    std::vector<OpRow> all;
    for (const auto rows_of :
         {elementwise_rows,      activation_rows, shape_rows,     moving_rows,
          gathering_rows,        reduction_rows,  window_rows,    normalization_rows,
          product_rows,          creation_rows,   loss_rows,      recurrent_rows,
          resizing_rows,         quantized_rows,  attention_rows, sequence_rows,
          linear_attention_rows, training_rows,   fourier_rows,   region_rows,
          feature_rows,          selection_rows}) {
      const std::vector<OpRow> some = rows_of();
      all.insert(all.end(), some.begin(), some.end());
    }
    std::sort(all.begin(), all.end(), [](const OpRow& a, const OpRow& b) {
      return std::tie(a.domain, a.op, a.since) < std::tie(b.domain, b.op, b.since);
    });
    return all;
  }();
  return rows;
}

const OpRow* find_row(std::string_view domain, std::string_view op, std::int64_t opset) {
  const std::vector<OpRow>& rows = op_rows();
  const auto after =
      std::upper_bound(rows.begin(), rows.end(), opset, [&](std::int64_t wanted, const OpRow& row) {
        return std::tie(domain, op, wanted) < std::tie(row.domain, row.op, row.since);
      });
  if (after == rows.begin()) return nullptr;
  const OpRow& row = *std::prev(after);
  return row.domain == domain && row.op == op ? &row : nullptr;
}

}  // namespace mithril::onnx
