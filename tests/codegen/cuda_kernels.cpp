// CUDA kernels for the table of ops: their text, which python/tests/backends/test_cuda_kernels.py
// compiles, and their results on the CPU against the reference.
//
// After an intended change, run MITHRIL_WRITE_KERNELS=1 mithril_tests -tc="the text of CUDA*"
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "codegen/cuda/kernel.hpp"
#include "codegen/cuda/layout.hpp"
#include "mithril/eval/interpreter.hpp"
#include "mithril/eval/plan.hpp"
#include "mithril/graph/expression.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"
#include "mithril/passes/passes.hpp"
#include "tests/codegen/kernel_files.hpp"
#include "tests/cuda_on_cpu.hpp"
#include "tests/table/case.hpp"
#include "tests/table/compare.hpp"
#include "tests/table/generate.hpp"
#include "tests/table/placement.hpp"
#include "tests/table/row_graph.hpp"

namespace mithril::tests {
namespace {

// A row of the table as a kernel, with its graph and inputs.
struct Kernel {
  std::string what;  // for messages
  Graph graph;
  std::vector<Tensor> inputs;
  CudaKernel kernel;
  std::string name;  // the one that the text has
};

// Returns the kernel that computes all nodes of the graph; none if it has no kernel.
std::optional<CudaKernel> kernel_of(const Graph& graph, const std::string& name) {
  std::vector<Tensor> inputs;
  for (const ValueId id : graph.inputs()) {
    Dims dims;
    for (const Dim& dim : graph.value(id).dims) dims.push_back(dim.constant());
    inputs.push_back(placeholder(graph.value(id).dtype, std::move(dims)));
  }
  const SizeSources sizes(graph);
  const Plan plan = make_plan(graph, sizes, inputs);
  std::vector<std::size_t> nodes(plan.nodes.size());
  std::iota(nodes.begin(), nodes.end(), std::size_t{0});
  std::vector<ValueId> kept;
  for (const Output& output : graph.outputs()) kept.push_back(output.value);
  if (nodes.empty()) return {};
  return cuda_kernel(graph, plan, nodes, kept, name);
}

bool has_dtype(const Graph& graph, DType dtype) {
  return std::any_of(graph.values().begin(), graph.values().end(),
                     [&](const Value& value) { return value.dtype == dtype; });
}

// The rows of an op with a formula, and the text of their kernels: rows with equal formulas and
// dtypes share one. The dtypes beside float32 have the kernel of the first row that reads or makes
// them: the others differ from those of float32 in names of types and functions alone.
std::string kernels_of(const std::string& name, const std::vector<OpCase>& rows,
                       std::vector<Kernel>& all) {
  constexpr std::pair<DType, const char*> dtypes[] = {{DType::float32, ""},
                                                      {DType::float64, "_double"},
                                                      {DType::float16, "_half"},
                                                      {DType::bfloat16, "_bfloat"}};
  std::string text;
  std::map<std::string, std::string> names;  // by text
  const OpDef& op = find_op(name);
  std::set<DType> known_dtypes;
  if (!op.spelling("c")) return text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].error.empty() || makes_values(op, rows[i])) continue;
    for (const auto& [floats, suffix] : dtypes) {
      if (known_dtypes.contains(floats)) continue;
      const RowGraph built = build(op, rows[i], Knowledge::numbers, floats);
      const auto unnamed = kernel_of(built.graph, "kernel");
      if (!unnamed) continue;
      if (floats != DType::float32 && has_dtype(built.graph, floats)) known_dtypes.insert(floats);
      const std::string own = name + "_" + std::to_string(i + 1) + suffix;
      const auto [known, added] = names.try_emplace(unnamed->text, own);
      auto kernel = kernel_of(built.graph, known->second);
      if (added) text += (text.empty() ? "" : "\n") + kernel->text;
      std::vector<Tensor> inputs = generate(built.tensors, 1);
      for (std::size_t k = 0; k < inputs.size(); ++k)
        inputs[k] = inputs[k].to(built.graph.value(built.graph.inputs()[k]).dtype);
      all.push_back({own + ", " + rows[i].name, built.graph, std::move(inputs), *std::move(kernel),
                     known->second});
    }
  }
  return text;
}

// gelu(x * scale + shift) + x, with values of rows and of a number.
std::string kernel_of_chain() {
  Graph graph;
  const auto input = [&](const char* name, std::vector<Dim> dims) {
    return graph.add_input({.name = name, .dims = std::move(dims), .dtype = DType::float32});
  };
  const ValueId x = input("x", {Dim(6), Dim(8)}), scale = input("scale", {Dim(8)}),
                shift = input("shift", {});
  const auto add = [&](const char* op, std::vector<Argument> arguments, const char* name) {
    return graph.add(find_op(op), std::move(arguments), name).front();
  };
  const ValueId scaled = add("multiply", {x, scale}, "scaled");
  const ValueId shifted = add("add", {scaled, shift}, "shifted");
  const ValueId active = add("gelu", {shifted, Datum(true)}, "active");
  graph.add_output("shifted", shifted);
  graph.add_output("y", add("add", {active, x}, "y"));
  return kernel_of(graph, "chain")->text;
}

// Returns the tolerance for functions of another library; in half precision it is one step.
double kernel_tolerance(const Graph& graph) {
  double tolerance = 1e-12;
  for (const Value& value : graph.values()) {
    if (value.dtype == DType::float32) tolerance = std::max(tolerance, 2e-6);
    if (value.dtype == DType::float16) tolerance = std::max(tolerance, 1e-3);
    if (value.dtype == DType::bfloat16) tolerance = std::max(tolerance, 8e-3);
  }
  return tolerance;
}

std::vector<std::int64_t> contiguous_strides(const Dims& dims) {
  std::vector<std::int64_t> strides(dims.size(), 1);
  for (std::size_t i = dims.size(); i-- > 1;) strides[i - 1] = strides[i] * dims[i];
  return strides;
}

// Runs a kernel on contiguous tensors. With `lanes` it reads four elements at a time; none if that
// is not possible.
std::optional<std::vector<Tensor>> launched(const CudaOnCpu& cpu, const Kernel& at, bool lanes) {
  std::vector<CudaInput> inputs;
  std::vector<std::vector<std::int64_t>> strides;
  std::vector<Tensor> held;
  for (const ValueId id : at.kernel.inputs) {
    const auto place = std::find(at.graph.inputs().begin(), at.graph.inputs().end(), id);
    const Tensor& input =
        place != at.graph.inputs().end()
            ? at.inputs[static_cast<std::size_t>(place - at.graph.inputs().begin())]
            : std::find_if(at.graph.constants().begin(), at.graph.constants().end(),
                           [&](const Constant& c) { return c.value == id; })
                  ->tensor;
    held.push_back(input);
    strides.push_back(contiguous_strides(input.dims()));
  }
  for (std::size_t i = 0; i < held.size(); ++i) {
    inputs.push_back({held[i].dims(), strides[i], held[i].raw_data(),
                      static_cast<std::int64_t>(size_of(held[i].dtype()))});
  }
  Dims dims;
  for (const Dim& dim : at.graph.value(at.kernel.outputs.front()).dims)
    dims.push_back(dim.constant());
  const CudaArrangement arranged = arrange(dims, inputs);
  if (lanes && !fits_lanes(arranged.layout, inputs)) return std::nullopt;
  std::vector<Tensor> outputs;
  for (const ValueId id : at.kernel.outputs) outputs.emplace_back(at.graph.value(id).dtype, dims);
  std::vector<const void*> pointers;
  for (const CudaInput& input : inputs) pointers.push_back(input.data);
  for (Tensor& output : outputs) pointers.push_back(output.mutable_raw_data());
  std::vector<void*> arguments;
  for (const void*& pointer : pointers) arguments.push_back(&pointer);
  CudaLayout layout = arranged.layout;
  arguments.push_back(&layout);
  // A small grid, so that threads go on with the items a grid away.
  cpu.launch(at.name + (lanes ? "_lanes" : ""), {.blocks = 2, .threads = 3}, arguments.data());
  return outputs;
}

}  // namespace

TEST_CASE("the text of CUDA kernels for ops is the one of their files") {
  // One text for each op, and one for a chain of ops.
  std::map<std::string, std::string> texts{{"chain", kernel_of_chain()}};
  std::vector<Kernel> all;
  for (const auto& [name, rows] : all_op_cases()) {
    const std::string text = kernels_of(std::string(name), rows(), all);
    if (!text.empty()) texts[std::string(name)] = text;
  }
  check_kernel_files("tests/codegen/cuda_kernels", texts, {"cast", "chain", "gelu"});
  CHECK(cuda_prelude() == contents_of_kernel_file("codegen/cuda/prelude.cuh"));
}

TEST_CASE("each CUDA kernel, run on the CPU, gives the results of its row") {
  std::string text;
  std::vector<Kernel> all;
  for (const auto& [name, rows] : all_op_cases())
    text += kernels_of(std::string(name), rows(), all);
  std::set<std::string> names;
  for (const Kernel& each : all) names.insert({each.name, each.name + "_lanes"});
  const CudaOnCpu cpu(text, std::vector<std::string>(names.begin(), names.end()));
  int of_lanes = 0;
  for (const Kernel& each : all) {
    CAPTURE(each.what);
    const std::vector<Tensor> expected = interpret(each.graph, each.inputs);
    for (const bool lanes : {false, true}) {
      const auto made = launched(cpu, each, lanes);
      of_lanes += lanes && made;
      for (std::size_t i = 0; made && i < made->size(); ++i)
        CHECK(difference((*made)[i], expected[i], kernel_tolerance(each.graph)) == "");
    }
  }
  CHECK(all.size() > 700);
  CHECK(of_lanes > 100);
}

}  // namespace mithril::tests
