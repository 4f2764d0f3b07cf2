#include "mithril/onnx/export/opsets.hpp"

#include <map>

#include "mithril/onnx/export/no_form.hpp"

namespace mithril::onnx {

void check_opset(const std::string& op, std::int64_t opset) {
  // Ops that are newer than the oldest opset.
  static const std::map<std::string, std::int64_t> first = {
      {"BitwiseAnd", 18}, {"BitwiseNot", 18},         {"BitwiseOr", 18}, {"BitwiseXor", 18},
      {"Gelu", 20},       {"LayerNormalization", 17}, {"Trilu", 14}};
  const auto found = first.find(op);
  if (found != first.end() && opset < found->second)
    no_form("ONNX has " + op + " from opset " + std::to_string(found->second) + " on");
}

}  // namespace mithril::onnx
