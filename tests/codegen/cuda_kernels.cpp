// The text of CUDA kernels for the table of ops. python/tests/test_cuda_kernels.py compiles it.
//
// After a change that is meant: MITHRIL_WRITE_KERNELS=1 mithril_tests -tc="*CUDA kernel*"
#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <numeric>
#include <set>
#include <sstream>

#include "codegen/cuda_kernel.hpp"
#include "mithril/eval/plan.hpp"
#include "mithril/graph/expression.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"
#include "mithril/passes/passes.hpp"
#include "tests/table/case.hpp"
#include "tests/table/placement.hpp"
#include "tests/table/row_graph.hpp"

namespace mithril::tests {
namespace {

constexpr const char* path = "tests/codegen/cuda_kernels.cu";

// The kernel of a graph's nodes, which are all in it; empty if it has none.
std::string kernel_of(const Graph& graph, const std::string& name) {
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
  const auto kernel = cuda_kernel(graph, plan, nodes, kept, name);
  return kernel ? kernel->text : "";
}

// The parameters and formulas of a kernel, and whether it reads four elements at a time: without
// its name, its sizes and the indices of broadcast inputs.
std::string kind_of(const std::string& text) {
  std::istringstream lines(text.substr(text.find('(')));
  std::string kind, line;
  std::getline(lines, kind);
  while (std::getline(lines, line)) {
    const std::size_t value = line.find(" = ");
    if (line.find("Lanes") != line.npos) kind += "Lanes";
    if (line.find("const ") == line.npos || value == line.npos) continue;
    const char first = line[value + 3];
    if (first != 'x' && first != 'a' && first != 'l') kind += line.substr(value);
  }
  return kind;
}

// Of each row with a formula; rows with the kind of another have no kernel of their own.
std::string kernels_of_table() {
  std::string all;
  std::set<std::string> known;
  for (const auto& [name, rows] : all_op_cases()) {
    const OpDef& op = find_op(std::string(name));
    if (!op.spelling("c")) continue;
    int number = 0;
    for (const OpCase& row : rows()) {
      ++number;
      if (!row.error.empty() || makes_values(op, row)) continue;
      for (const DType floats : {DType::float32, DType::float64}) {
        const Graph graph = build(op, row, Knowledge::numbers, floats).graph;
        const std::string kernel =
            kernel_of(graph, std::string(name) + "_" + std::to_string(number) +
                                 (floats == DType::float32 ? "" : "_double"));
        if (!kernel.empty() && known.insert(kind_of(kernel)).second) all += "\n" + kernel;
      }
    }
  }
  return all;
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
  return "\n" + kernel_of(graph, "chain");
}

}  // namespace

TEST_CASE("the text of each CUDA kernel is the one that is compiled") {
  const std::string text = "// Written by tests/codegen/cuda_kernels.cpp.\n" +
                           std::string(cuda_prelude()) + kernels_of_table() + kernel_of_chain();
  if (std::getenv("MITHRIL_WRITE_KERNELS")) std::ofstream(path) << text;
  std::ifstream file(path);
  std::stringstream expected;
  expected << file.rdbuf();
  const bool same = text == expected.str();
  CHECK(same);
}

}  // namespace mithril::tests
