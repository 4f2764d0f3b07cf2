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

bool takes_float(const std::string& op, DType dtype, std::int64_t opset) {
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
