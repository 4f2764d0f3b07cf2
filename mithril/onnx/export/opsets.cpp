#include "mithril/onnx/export/opsets.hpp"

#include <map>

#include "mithril/base/error.hpp"
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

ElementType element_type_of(DType dtype) {
  switch (dtype) {
    case DType::boolean:
      return ElementType::boolean;
    case DType::int8:
      return ElementType::int8;
    case DType::int16:
      return ElementType::int16;
    case DType::int32:
      return ElementType::int32;
    case DType::int64:
      return ElementType::int64;
    case DType::uint8:
      return ElementType::uint8;
    case DType::float16:
      return ElementType::float16;
    case DType::bfloat16:
      return ElementType::bfloat16;
    case DType::float32:
      return ElementType::float32;
    case DType::float64:
      return ElementType::float64;
  }
  MITHRIL_CHECK(false, "an unknown dtype");
}

}  // namespace mithril::onnx
