#include "mithril/onnx/unread_attributes.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "mithril/base/printable.hpp"
#include "mithril/base/text.hpp"

namespace mithril::onnx {
namespace {

// An attribute of ops whose names begin with a text. It does not change what they compute, or not
// where their rules leave it unread.
struct Harmless {
  std::string_view ops, attribute;
};

constexpr Harmless harmless[] = {
    {"", "consumed_inputs"},  // of opset 5 and before: which inputs an op may overwrite
    {"Add", "broadcast"},     // of opset 6, where the shapes say as much
    {"And", "broadcast"},
    {"BatchNormalization", "momentum"},  // of training
    {"Cast", "round_mode"},              // of one type
    {"Cast", "saturate"},                // of floats of 8 bits
    {"DequantizeLinear", "axis"},        // of several scales
    {"Div", "broadcast"},
    {"Dropout", "is_test"},  // of opset 6: a file is for inference
    {"Dropout", "seed"},
    {"Equal", "broadcast"},
    {"Gemm", "broadcast"},
    {"Greater", "broadcast"},
    {"Less", "broadcast"},
    {"LinearAttention", "chunk_size"},  // of the steps of a computation
    {"MatMulNBits", "accuracy_level"},  // the least of what may be computed
    {"MaxPool", "storage_order"},       // of the output of indices
    {"Mul", "broadcast"},
    {"Or", "broadcast"},
    {"Pad", "value"},  // of the mode "constant"
    {"Pow", "broadcast"},
    {"QuantizeLinear", "axis"},
    {"QuantizeLinear", "saturate"},
    {"Reduce", "noop_with_empty_axes"},  // where there are axes
    {"Sub", "broadcast"},
    {"TopK", "sorted"},  // any order is right without it
    {"Xor", "broadcast"},
};

bool is_harmless(const std::string& op, const std::string& attribute) {
  return std::any_of(std::begin(harmless), std::end(harmless), [&](const Harmless& each) {
    return op.starts_with(each.ops) && attribute == each.attribute;
  });
}

// The sizes of a window follow from the weights.
void check_kernel(const NodeContext& node) {
  const auto kernel = node.integers("kernel_shape");
  const std::size_t weight = node.node().op == "QLinearConv" ? 3 : 1;
  const auto dims = node.dims(weight);
  if (!dims || dims->size() < 2 ||
      std::equal(kernel->begin(), kernel->end(), dims->begin() + 2, dims->end()))
    return;
  refuse("its attribute 'kernel_shape' is [" + join(*kernel, ", ") + "], and its weight has the " +
         "sizes [" + join(*dims, ", ") + "]");
}

}  // namespace

void refuse_unread(const NodeContext& node) {
  const std::string& op = node.node().op;
  for (const AttributeRecord& attribute : node.node().attributes) {
    const std::string& name = attribute.name;
    // Of the graphs of a choice one may be all that is read.
    if (attribute.is_read || attribute.g || is_harmless(op, name)) continue;
    const bool is_window = op.find("Conv") != op.npos || op.find("Pool") != op.npos;
    // `auto_pad` and `output_shape` say the widths.
    if (is_window && name == "pads") continue;
    if (is_window && name == "kernel_shape") {
      if (op.find("Conv") != op.npos) check_kernel(node);
    } else if (name == "stash_type" && op.ends_with("Normalization")) {
      within("its attribute 'stash_type'", node.integer(name), 1, 1);  // at least float32
    } else {
      refuse("its attribute " + in_quotes(printable(name)) + " is not supported");
    }
  }
}

}  // namespace mithril::onnx
