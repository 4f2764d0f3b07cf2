// Rows of the op table with elementwise programs, and their gradients: native code gives the same
// bits for each instruction set.
#include <fmt/format.h>

#include <map>

#include "backends/cpu/descriptors/kernel_call.hpp"
#include "mithril/grad/differentiate.hpp"
#include "mithril/op/registry.hpp"
#include "mithril/passes/pipeline.hpp"
#include "tests/cpu/native.hpp"
#include "tests/cpu/settings.hpp"
#include "tests/environment.hpp"
#include "tests/table/generate.hpp"
#include "tests/table/placement.hpp"
#include "tests/table/row_graph.hpp"
#include "tests/table/sample_rows.hpp"

namespace mithril::tests {
namespace {

// The row's outputs, and its gradients if it has any.
Graph lowered(const RowGraph& row) {
  DifferentiateOptions options{.outputs = float_outputs(row.graph),
                               .wanted = float_inputs(row, {})};
  if (options.outputs.empty() || options.wanted.empty()) return run_passes(row.graph);
  try {
    return run_passes(differentiate(row.graph, options));
  } catch (const GradientError&) {
    return run_passes(row.graph);
  }
}

// Graphs side by side in one, so that one run of the compiler does for all.
class Collection {
 public:
  void add(const Graph& graph, const std::vector<Tensor>& inputs, const std::string& prefix) {
    std::vector<ValueId> placed(graph.values().size());
    const auto renamed = [&](ValueId id) {
      Value value = graph.value(id);
      value.name = prefix + value.name;
      return value;
    };
    for (size_t i = 0; i < graph.inputs().size(); ++i) {
      const ValueId id = graph.inputs()[i];
      placed[index(id)] = graph_.add_input(renamed(id));
      inputs_.push_back(inputs[i]);
    }
    for (const Constant& constant : graph.constants()) {
      placed[index(constant.value)] =
          graph_.add_constant(prefix + graph.value(constant.value).name, constant.tensor);
    }
    for (Node node : graph.nodes()) {
      for (Argument& argument : node.arguments) {
        if (const ValueId* id = tensor_of(argument)) argument = placed[index(*id)];
      }
      for (ValueId& id : node.outputs) {
        const ValueId old = id;
        id = placed[index(old)] = graph_.add_value(renamed(old));
      }
      graph_.add_node(node);
    }
    for (const Output& output : graph.outputs()) {
      graph_.add_output(prefix + output.name, placed[index(output.value)]);
    }
  }

  const Graph& graph() const { return graph_; }
  const std::vector<Tensor>& inputs() const { return inputs_; }

 private:
  Graph graph_;
  std::vector<Tensor> inputs_;
};

// The inputs of the lowered graph: the row's inputs by name, and directions for gradients.
std::vector<Tensor> inputs_of(const Graph& graph, const RowGraph& row, std::uint64_t seed) {
  std::map<std::string, Tensor> given;
  const std::vector<Tensor> tensors = generate(row.tensors, seed);
  for (size_t i = 0; i < tensors.size(); ++i) {
    given.emplace(row.graph.value(row.graph.inputs()[i]).name, tensors[i]);
  }
  std::vector<Tensor> inputs;
  for (const ValueId id : graph.inputs()) {
    const Value& value = graph.value(id);
    const auto known = given.find(value.name);
    TensorSpec direction = normal({});
    for (const Dim& dim : value.dims) direction.dims.push_back(dim.constant());
    const Tensor tensor =
        known == given.end() ? generate({direction}, seed).front() : known->second;
    inputs.push_back(tensor.to(value.dtype));
  }
  return inputs;
}

bool has_sizes(const Graph& graph) {
  for (const Value& value : graph.values()) {
    for (const Dim& dim : value.dims) {
      if (!value.ranked || !dim.is_constant()) return false;
    }
  }
  return true;
}

Collection rows_of_loops(DType dtype) {
  Collection rows;
  for (const OpCases& cases : all_op_cases()) {
    const OpDef* op = try_find_op(cases.op);
    if (!op || !cpu_backend::formula_of(*op)) continue;
    const std::vector<OpCase> all = cases.rows();
    for (const OpCase& row : sample_rows(all, sampled((all.size() + 5) / 6, all.size()))) {
      if (!row.error.empty() || makes_values(*op, row)) continue;
      const RowGraph built = build(*op, row, Knowledge::numbers, dtype);
      const Graph graph = lowered(built);
      if (!has_sizes(graph)) continue;
      rows.add(graph, inputs_of(graph, built, 1), fmt::format("{}: {}: ", cases.op, row.name));
    }
  }
  return rows;
}

// The settings with native code. The sample has every second one for each dtype, and each for one.
std::vector<CpuSetting> settings_for(DType dtype) {
  std::vector<CpuSetting> native, chosen;
  for (const CpuSetting& setting : cpu_settings()) {
    if (setting.native) native.push_back(setting);
  }
  if (all_cases() || native.size() == 1) return native;
  for (std::size_t i = dtype == DType::float64; i < native.size(); i += 2)
    chosen.push_back(native[i]);
  return chosen;
}

void check_rows(DType dtype) {
  if (!has_compiler()) return skip_without_compiler();
  const CacheFolder folder;
  const Collection rows = rows_of_loops(dtype);
  REQUIRE(rows.graph().outputs().size() > sampled(100, 300));
  for (CpuSetting setting : settings_for(dtype)) {
    CAPTURE(description(setting));
    const InstructionsLimit limit(setting.instructions);
    const auto native = load_with(setting, rows.graph());
    const std::string note = native_note(*native);
    CHECK_MESSAGE(note.find(" loops run as native code of ") != std::string::npos, note);
    const std::vector<Tensor> got = native->run(rows.inputs());
    setting.native = false;
    const std::vector<Tensor> expected = load_with(setting, rows.graph())->run(rows.inputs());
    for (size_t i = 0; i < got.size(); ++i) {
      CAPTURE(rows.graph().outputs()[i].name);
      CHECK(bits_difference(got[i], expected[i]) == "");
    }
  }
}

}  // namespace

TEST_CASE("rows of float32 give the same bits with native code") { check_rows(DType::float32); }
TEST_CASE("rows of float64 give the same bits with native code") { check_rows(DType::float64); }

}  // namespace mithril::tests
