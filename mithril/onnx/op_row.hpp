// The table of ops: a row has the rule that composes a node of ONNX.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "mithril/onnx/node_context.hpp"

namespace mithril::onnx {

// Composes the outputs of a node from its inputs and attributes. It may return fewer than the node
// has.
using Rule = Outputs (*)(const NodeContext& node);

// One op from one opset on, up to the next row of the same op.
struct OpRow {
  std::string_view op;
  std::int64_t since;
  Rule rule;
  std::string_view computed_by;  // the ops and layers that compute it, for docs/onnx.md
  std::string_view limits = {};  // what is refused
  // Whether the rule accepts every element type, and not only those that graphs compute with.
  bool any_type = false;
  std::string_view domain = {};
  bool only_floats = false;  // whether the first input has to be floats
  // Whether inputs may be sequences and optionals. The rule then gets known inputs, too.
  bool takes_sequences = false;
};

inline OpRow of_floats(OpRow row) {
  row.only_floats = true;
  return row;
}

inline OpRow of_sequences(OpRow row) {
  row.any_type = row.takes_sequences = true;
  return row;
}

// A row of the ops that ONNX Runtime adds.
inline OpRow of_microsoft(OpRow row) {
  row.domain = "com.microsoft";
  return row;
}

// The rows of all files, in the order of their names and opsets.
const std::vector<OpRow>& op_rows();
// The row for a node of this opset of its domain; null if there is none.
const OpRow* find_row(std::string_view domain, std::string_view op, std::int64_t opset);

// The rows of one file each.
std::vector<OpRow> elementwise_rows();
std::vector<OpRow> activation_rows();
std::vector<OpRow> shape_rows();
std::vector<OpRow> moving_rows();
std::vector<OpRow> gathering_rows();
std::vector<OpRow> reduction_rows();
std::vector<OpRow> window_rows();
std::vector<OpRow> normalization_rows();
std::vector<OpRow> product_rows();
std::vector<OpRow> creation_rows();
std::vector<OpRow> loss_rows();
std::vector<OpRow> recurrent_rows();
std::vector<OpRow> resizing_rows();
std::vector<OpRow> quantized_rows();
std::vector<OpRow> attention_rows();
std::vector<OpRow> linear_attention_rows();
std::vector<OpRow> sequence_rows();
std::vector<OpRow> training_rows();
std::vector<OpRow> fourier_rows();
std::vector<OpRow> region_rows();
std::vector<OpRow> feature_rows();
std::vector<OpRow> selection_rows();

}  // namespace mithril::onnx
