// Graphs with symbolic sizes that run with wrong sizes: each op raises the error that it raises for
// numbers, with its place.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "mithril/eval/interpreter.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"
#include "tests/environment.hpp"
#include "tests/table/compare.hpp"
#include "tests/table/generate.hpp"
#include "tests/table/row_graph.hpp"

namespace mithril::tests {
namespace {

struct Outcome {
  std::vector<Tensor> outputs = {};
  std::string error = {};  // its text; empty: none came
  std::string path = {};
};

template <typename Function>
Outcome outcome_of(Function run) {
  try {
    return {run()};
  } catch (const Error& error) {
    return {{}, error.what(), error.path()};
  }
}

bool are_values(const TensorSpec& spec) { return spec.fill == TensorSpec::Fill::values; }

// Returns copies of the row in which one dim of one tensor is larger by one, if the generator
// supports them.
std::vector<OpCase> grown(const OpCase& row) {
  std::vector<OpCase> others;
  for (std::size_t port = 0; port < row.inputs.size(); ++port) {
    for (std::size_t item = 0; item < row.inputs[port].second.items.size(); ++item) {
      const auto* spec = std::get_if<TensorSpec>(&row.inputs[port].second.items[item]);
      if (!spec || are_values(*spec)) continue;
      for (std::size_t dim = 0; dim < spec->dims.size(); ++dim) {
        OpCase& other = others.emplace_back(row);
        ++std::get<TensorSpec>(other.inputs[port].second.items[item]).dims[dim];
      }
    }
  }
  return others;
}

// Returns nothing if the row is about values, which graphs do not have.
std::optional<Graph> symbolic_graph(const OpDef& op, const OpCase& row) {
  try {
    return build(op, row, Knowledge::symbols).graph;
  } catch (const InternalError&) {
    return std::nullopt;
  }
}

// Returns why the symbolic graph fails on the sizes of `other`; empty if it does not fail.
std::string difference_at(const OpDef& op, const Graph& symbolic, const OpCase& other) {
  std::vector<Tensor> inputs;
  const Outcome expected = outcome_of([&] {
    const RowGraph built = build(op, other, Knowledge::numbers);
    inputs = generate(built.tensors, 1);
    return interpret(built.graph, inputs);
  });
  if (inputs.empty()) inputs = generate(build(op, other, Knowledge::nothing).tensors, 1);
  const Outcome got = outcome_of([&] { return interpret(symbolic, inputs); });
  // The graph has no op that expands into others.
  if (op.expand && got.error.empty()) return {};
  if (expected.error.empty() != got.error.empty()) {
    return fmt::format("numbers: '{}', symbols: '{}'", expected.error, got.error);
  }
  if (!got.error.empty()) return got.path.empty() ? "no path: " + got.error : std::string();
  for (std::size_t i = 0; i < got.outputs.size(); ++i) {
    const std::string apart = difference(got.outputs[i], expected.outputs[i]);
    if (!apart.empty()) return apart;
  }
  return {};
}

}  // namespace

TEST_CASE("symbols that get sizes which do not fit are refused as the numbers are") {
  int refused = 0;
  for (const auto& [name, rows] : all_op_cases()) {
    std::size_t index = 0;
    for (const OpCase& row : rows()) {
      if (!row.error.empty() || (sanitized && index++ % 4 != 0)) continue;
      const OpDef& op = find_op(name);
      const std::optional<Graph> symbolic = symbolic_graph(op, row);
      if (!symbolic) continue;
      for (const OpCase& other : grown(row)) {
        const std::string at = fmt::format("{}: {}", name, row.name);
        CAPTURE(at);
        CHECK(difference_at(op, *symbolic, other) == "");
        ++refused;
      }
    }
  }
  CHECK(refused > (sanitized ? 250 : 1000));
}

}  // namespace mithril::tests
