// Writes what tests/jax/compare_jax runs with JAX: the rows of the table and random models, with
// their gradients, as Python modules, and their inputs and results by the reference.
//
// Usage: mithril_jax_samples FILE ROWS MODELS: every ROWS-th row, and MODELS random models.
#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>

#include "codegen/jax/write_jax.hpp"
#include "mithril/base/error.hpp"
#include "mithril/eval/interpreter.hpp"
#include "mithril/model/flatten.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"
#include "mithril/passes/passes.hpp"
#include "mithril/passes/pipeline.hpp"
#include "tests/random_models/generator.hpp"
#include "tests/random_models/nudged.hpp"
#include "tests/table/compare.hpp"
#include "tests/table/derivative.hpp"
#include "tests/table/group_ops.hpp"
#include "tests/table/placement.hpp"
#include "tests/table/resized.hpp"
#include "tests/table/row_graph.hpp"

namespace mithril::tests {
namespace {

using Json = nlohmann::json;

// Elements as text, because JSON has no infinity.
Json json_of(const Tensor& tensor) {
  Json elements = Json::array();
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    const bool is_whole = tensor.dtype() == DType::int64;
    elements.push_back(is_whole ? std::to_string(tensor.data<std::int64_t>()[i])
                                : fmt::format("{}", tensor.at_as_double(i)));
  }
  return {{"dtype", std::string(name(tensor.dtype()))},
          {"dims", tensor.dims()},
          {"elements", std::move(elements)}};
}

Json json_of(const std::vector<Tensor>& tensors) {
  Json list = Json::array();
  for (const Tensor& tensor : tensors) list.push_back(json_of(tensor.host()));
  return list;
}

Json module_of(const Graph& graph) {
  const JaxProgram program = jax_program(graph);
  return {{"source", program.source}, {"constants", json_of(program.constants)}};
}

std::vector<std::size_t> places_of(const std::vector<std::string>& names,
                                   const std::vector<std::string>& among) {
  std::vector<std::size_t> places;
  for (const std::string& name : names) {
    places.push_back(
        static_cast<std::size_t>(std::find(among.begin(), among.end(), name) - among.begin()));
  }
  return places;
}

std::vector<std::string> input_names(const Graph& graph) {
  std::vector<std::string> names;
  for (const ValueId id : graph.inputs()) names.push_back(graph.value(id).name);
  return names;
}

std::vector<std::string> output_names(const Graph& graph) {
  std::vector<std::string> names;
  for (const Output& output : graph.outputs()) names.push_back(output.name);
  return names;
}

// The gradient of a graph, as a module and as what jax.grad has to give for the forward module.
Json gradients_of(const Graph& graph, const Derivative& derivative,
                  const Derivative::Sample& sample) {
  return {{"module", module_of(run_passes(derivative.backward()))},
          {"outputs", places_of(derivative.outputs(), output_names(graph))},
          {"wanted", places_of(derivative.wanted(), input_names(graph))},
          {"incoming", json_of(sample.incoming)},
          {"all_inputs", json_of(sample.all_inputs())},
          {"gradients", json_of(sample.gradients)}};
}

class JaxSampleWriter {
 public:
  // The first row of the op, and each row of the table whose number is a multiple of `every`, also
  // in other sizes.
  void write_op(const OpDef& op, const std::vector<OpCase>& rows, std::size_t every) {
    if (op.eval || op.expand) ops_.push_back(op.name);
    bool is_first = true;
    for (const OpCase& row : rows) {
      if (!row.error.empty() || makes_values(op, row)) continue;
      const bool is_chosen = number_++ % every == 0;
      if (is_chosen || is_first) write_row(op, row, row.name, 1);
      is_first = false;
      if (!is_chosen) continue;
      const std::optional<OpCase> other = resized(row, 1);
      if (!other || !is_accepted(op, *other)) continue;
      write_row(op, *other, fmt::format("{}, in sizes {}", row.name, sizes_text(*other)), 2);
    }
  }

  void write_model(std::uint64_t seed) {
    const RandomModel random = random_model(seed);
    const Graph graph = expand_ops(flatten(compose(random), DType::float64).graph);
    std::map<std::string, Tensor> given = model_inputs(random);
    std::vector<Tensor> inputs;
    for (const ValueId id : graph.inputs()) inputs.push_back(given.at(graph.value(id).name));
    std::vector<Tensor> outputs;
    try {
      outputs = interpret(graph, inputs);
    } catch (const Error&) {
      return;  // the reference refuses the elements
    }
    if (has_infinity(outputs)) return;
    Json written = sample_of("random model", std::to_string(seed), graph, inputs, outputs);
    if (jumps(graph, inputs, outputs, seed)) return;
    add_gradients(written, graph, inputs, seed);
    samples_.push_back(std::move(written));
  }

  void write(const char* path) const {
    std::ofstream(path) << Json{{"ops", ops_}, {"samples", samples_}};
  }

 private:
  void write_row(const OpDef& op, const OpCase& row, const std::string& what, std::uint64_t seed) {
    const RowGraph built = build(op, row);
    const std::vector<Tensor> inputs = generate(built.tensors, seed);
    std::vector<Tensor> outputs;
    try {
      outputs = interpret(built.graph, inputs);
    } catch (const Error&) {
      return;  // the reference refuses the elements
    }
    Json written = sample_of(op.name, what, built.graph, inputs, outputs);
    if (row.sizes_unknown.empty()) {
      const RowGraph open = build(op, row, check::Knowledge::shared_symbols);
      written["open"] = module_of(run_passes(open.graph));
    }
    const std::vector<std::string> of = float_outputs(built.graph);
    const std::vector<std::string> wanted = float_inputs(built, row.hold);
    if ((op.grad || op.expand) && !of.empty() && !wanted.empty()) {
      const Derivative derivative(built.graph, of, wanted);
      const Derivative::Sample sample = derivative.sample(inputs, seed);
      if (sample.finite) written["gradient"] = gradients_of(built.graph, derivative, sample);
    }
    samples_.push_back(std::move(written));
  }

  Json sample_of(const std::string& op, const std::string& what, const Graph& graph,
                 const std::vector<Tensor>& inputs, const std::vector<Tensor>& outputs) const {
    return {{"op", op},
            {"row", what},
            {"module", module_of(run_passes(graph))},
            {"inputs", json_of(inputs)},
            {"outputs", json_of(outputs)}};
  }

  static void add_gradients(Json& written, const Graph& graph, const std::vector<Tensor>& inputs,
                            std::uint64_t seed) {
    const std::vector<std::string> of = float_outputs(graph);
    std::vector<std::string> wanted;
    for (const ValueId id : graph.inputs()) {
      if (graph.value(id).dtype == DType::float64) wanted.push_back(graph.value(id).name);
    }
    if (of.empty() || wanted.empty()) return;
    try {
      const Derivative derivative(graph, of, wanted);
      const Derivative::Sample sample = derivative.sample(inputs, seed);
      const std::vector<Tensor> all = sample.all_inputs();
      const Graph& backward = derivative.backward();
      if (jumps(backward, all, interpret(backward, all), seed)) return;
      written["gradient"] = gradients_of(graph, derivative, sample);
    } catch (const GradientError&) {
      return;  // an op on the way has no gradient
    }
  }

  static std::map<std::string, Tensor> model_inputs(const RandomModel& random) {
    std::vector<TensorSpec> specs;
    for (const auto& [name, spec] : random.inputs) {
      specs.push_back(is_floating(spec.dtype)  ? spec.as(DType::float64)
                      : is_integer(spec.dtype) ? spec.as(DType::int64)
                                               : spec);
    }
    const std::vector<Tensor> tensors = generate(specs, random.seed);
    std::map<std::string, Tensor> inputs;
    for (std::size_t i = 0; i < specs.size(); ++i)
      inputs.emplace(random.inputs[i].first, tensors[i]);
    return inputs;
  }

  // Windows of padding only: backends may differ for infinity times padding.
  static bool has_infinity(const std::vector<Tensor>& tensors) {
    for (const Tensor& tensor : tensors) {
      for (std::int64_t i = 0; i < tensor.size(); ++i) {
        if (std::isinf(tensor.at_as_double(i))) return true;
      }
    }
    return false;
  }

  // Whether rounding decides the result.
  static bool jumps(const Graph& graph, const std::vector<Tensor>& inputs,
                    const std::vector<Tensor>& here, std::uint64_t seed) {
    constexpr int tries = 8;
    constexpr double nudge = 1e-11;
    Random random(seed);
    for (int i = 0; i < tries; ++i) {
      std::vector<Tensor> moved;
      for (const Tensor& tensor : inputs) moved.push_back(nudged(tensor, nudge, random));
      try {
        const std::vector<Tensor> beside = interpret(nudged(graph, nudge, random), moved);
        for (std::size_t k = 0; k < here.size(); ++k) {
          if (!difference(beside[k], here[k], 1e-6).empty()) return true;
        }
      } catch (const Error&) {
        return true;  // elements that were equal are not
      }
    }
    return false;
  }

  std::size_t number_ = 0;
  Json ops_ = Json::array();  // those that are evaluated
  Json samples_ = Json::array();
};

}  // namespace
}  // namespace mithril::tests

int main(int argument_count, char** arguments) {
  using namespace mithril;
  if (argument_count != 4)
    throw std::invalid_argument("usage: mithril_jax_samples FILE ROWS MODELS");
  tests::JaxSampleWriter writer;
  const std::size_t every = std::stoul(arguments[2]), models = std::stoul(arguments[3]);
  for (const tests::OpCases& cases : tests::all_op_cases()) {
    if (tests::is_op_of_groups(cases.op)) continue;
    writer.write_op(find_op(cases.op), cases.rows(), every);
  }
  for (std::uint64_t seed = 1; seed <= models; ++seed) writer.write_model(seed);
  writer.write(arguments[1]);
}
