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

std::int64_t first_opset_of(DType dtype) {
  switch (dtype) {
    case DType::float8_e4m3fn:
    case DType::float8_e4m3fnuz:
    case DType::float8_e5m2:
    case DType::float8_e5m2fnuz:
      return 19;
    case DType::int4:
    case DType::uint4:
      return 21;
    case DType::float4_e2m1fn:
      return 23;
    case DType::float8_e8m0fnu:
      return 24;
    case DType::int2:
    case DType::uint2:
      return 25;
    default:
      return oldest_written_opset;
  }
}

namespace {

// Whether the op takes low-bit elements in opsets that have the type.
bool takes_low_bit(const std::string& op, std::int64_t opset) {
  static const std::map<std::string, std::int64_t> first = {{"Cast", oldest_written_opset},
                                                            {"Identity", 19},
                                                            {"If", 19},
                                                            {"Loop", 19},
                                                            {"Pad", 21},
                                                            {"Reshape", 19},
                                                            {"Scan", 19},
                                                            {"Shape", 19},
                                                            {"Squeeze", 21},
                                                            {"Transpose", 21},
                                                            {"Unsqueeze", 21}};
  const auto found = first.find(op);
  return found != first.end() && opset >= found->second;
}

}  // namespace

bool takes_dtype(const std::string& op, DType dtype, std::int64_t opset) {
  if (is_low_bit(dtype)) return takes_low_bit(op, opset);
  static const std::map<std::string, std::int64_t> first_of_bfloat16 = {{"Atan", 22},
                                                                        {"AveragePool", 22},
                                                                        {"BatchNormalization", 15},
                                                                        {"Conv", 22},
                                                                        {"Cos", 22},
                                                                        {"ConvTranspose", 22},
                                                                        {"CumSum", 14},
                                                                        {"Det", 22},
                                                                        {"EyeLike", 22},
                                                                        {"If", 16},
                                                                        {"LeakyRelu", 16},
                                                                        {"LessOrEqual", 16},
                                                                        {"GreaterOrEqual", 16},
                                                                        {"Loop", 16},
                                                                        {"MaxPool", 22},
                                                                        {"Pow", 15},
                                                                        {"Round", 22},
                                                                        {"Scan", 16},
                                                                        {"Sin", 22},
                                                                        {"Softplus", 22},
                                                                        {"TopK", 24},
                                                                        {"Where", 16}};
  if (dtype == DType::float16) return op != "CumSum" || opset >= 14;
  if (dtype != DType::bfloat16) return true;
  const auto found = first_of_bfloat16.find(op);
  return found == first_of_bfloat16.end() || opset >= found->second;
}

}  // namespace mithril::onnx
