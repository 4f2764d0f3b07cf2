// The text of CUDA kernels for the table of ops. python/tests/test_cuda_kernels.py compiles it.
//
// After a change that is meant: MITHRIL_WRITE_KERNELS=1 mithril_tests -tc="*CUDA kernel*"
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
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

// One file for each op, and one for a chain of ops.
const std::filesystem::path folder = "tests/codegen/cuda_kernels";

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

// Of the rows of an op with a formula; rows with the kind of an earlier row have no kernel of their
// own.
std::string kernels_of(const std::string& name, const std::vector<OpCase>& rows) {
  std::string all;
  std::set<std::string> known;
  const OpDef& op = find_op(name);
  if (!op.spelling("c")) return all;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].error.empty() || makes_values(op, rows[i])) continue;
    for (const DType floats : {DType::float32, DType::float64}) {
      const Graph graph = build(op, rows[i], Knowledge::numbers, floats).graph;
      const std::string kernel = kernel_of(
          graph, name + "_" + std::to_string(i + 1) + (floats == DType::float32 ? "" : "_double"));
      if (!kernel.empty() && known.insert(kind_of(kernel)).second)
        all += (all.empty() ? "" : "\n") + kernel;
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
  return kernel_of(graph, "chain");
}

std::string text_of(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::map<std::string, std::string> texts_in_folder() {
  std::map<std::string, std::string> texts;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    texts[entry.path().stem().string()] = text_of(entry.path());
  return texts;
}

}  // namespace

TEST_CASE("the text of each CUDA kernel is the one that is compiled") {
  std::map<std::string, std::string> texts{{"chain", kernel_of_chain()}};
  for (const auto& [name, rows] : all_op_cases()) {
    const std::string text = kernels_of(std::string(name), rows());
    if (!text.empty()) texts[std::string(name)] = text;
  }
  if (std::getenv("MITHRIL_WRITE_KERNELS")) {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    for (const auto& [name, text] : texts) std::ofstream(folder / (name + ".cu")) << text;
  }
  const std::map<std::string, std::string> compiled = texts_in_folder();
  for (const auto& [name, text] : texts) {
    const std::string op = name;
    CAPTURE(op);
    CHECK(compiled.contains(op));
    if (compiled.contains(op)) CHECK(compiled.at(op) == text);
  }
  CHECK(compiled.size() == texts.size());
  CHECK(cuda_prelude() == text_of("codegen/cuda/prelude.cuh"));
}

}  // namespace mithril::tests
