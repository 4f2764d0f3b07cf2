#include "codegen/cuda/text.hpp"

#include <fmt/format.h>

#include <vector>

#include "codegen/common/literals.hpp"
#include "codegen/cuda/layout.hpp"

namespace mithril::codegen {
namespace {

std::optional<FormulaText> formula_in_registers(const Formula& formula, const FormulaNode& node) {
  FormulaNode wide = node;
  wide.computed = in_registers(node.computed);
  wide.output = in_registers(node.output);
  // The prelude has no types of other integers than int32 and int64.
  bool has_type = !is_stored_only(node.output);
  wide.port = [&](const std::string& name) {
    FormulaPort held = node.port(name);
    has_type = has_type && !is_stored_only(held.dtype);
    held.dtype = in_registers(held.dtype);
    return held;
  };
  const std::optional<FormulaText> text = formula_text(formula, wide);
  return has_type ? text : std::nullopt;
}

std::string parameters(const Graph& graph, const CudaKernel& kernel, const char* layout) {
  std::vector<std::string> all;
  const auto add = [&](const char* declaration, ValueId id, const char* letter, size_t i) {
    all.push_back(
        fmt::format(fmt::runtime(declaration), element_type(graph.value(id).dtype), letter, i));
  };
  for (size_t i = 0; i < kernel.inputs.size(); ++i)
    add("const {}* __restrict__ {}{}", kernel.inputs[i], "x", i);
  for (size_t i = 0; i < kernel.outputs.size(); ++i)
    add("{}* __restrict__ {}{}", kernel.outputs[i], "y", i);
  all.emplace_back(layout);
  return fmt::format("{}", fmt::join(all, ", "));
}

// Where the declaration of an entry point begins.
std::string entry_start(std::int64_t most_threads) {
  return fmt::format("extern \"C\" __global__ void __launch_bounds__({})", most_threads);
}

}  // namespace

bool is_half(DType dtype) { return dtype == DType::float16 || dtype == DType::bfloat16; }

DType in_registers(DType dtype) { return is_half(dtype) ? DType::float32 : dtype; }

std::string element_type(DType dtype) {
  if (dtype == DType::float16) return "Half";
  return dtype == DType::bfloat16 ? "BFloat16" : type_name(dtype);
}

const Language& cuda_language() {
  static const Language language{.name = "CUDA", .formula = formula_in_registers};
  return language;
}

std::string kernel_text(const Graph& graph, const CudaKernel& kernel, const std::string& function,
                        const std::string& body, const std::string& name) {
  std::string arguments;
  for (size_t i = 0; i < kernel.inputs.size(); ++i) arguments += fmt::format("x{}, ", i);
  for (size_t i = 0; i < kernel.outputs.size(); ++i) arguments += fmt::format("y{}, ", i);
  const std::string start = entry_start(kernel.reduces_rows ? most_row_threads : most_item_threads);
  const auto entry = [&](const char* suffix, std::int64_t lanes) {
    return fmt::format("{} {}{}({}) {{\n  {}<{}>({}layout);\n}}\n", start, name, suffix,
                       parameters(graph, kernel, "const Layout layout"), function, lanes,
                       arguments);
  };
  return fmt::format("template <int lanes>\n__device__ void {}({}) {{\n{}}}\n{}{}", function,
                     parameters(graph, kernel, "const Layout& layout"), body, entry("", 1),
                     entry("_lanes", cuda_lanes));
}

std::string batch_kernel_text(const std::string& function, const std::string& body,
                              const std::string& name) {
  const std::string start = entry_start(most_item_threads);
  const auto entry = [&](const char* suffix, std::int64_t lanes) {
    return fmt::format("{} {}{}(const Batch batch) {{\n  {}<{}>(batch);\n}}\n", start, name, suffix,
                       function, lanes);
  };
  return fmt::format("template <int lanes>\n__device__ void {}(const Batch& batch) {{\n{}}}\n{}{}",
                     function, body, entry("", 1), entry("_lanes", cuda_lanes));
}

}  // namespace mithril::codegen
