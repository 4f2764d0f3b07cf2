#include "mithril/training/export_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "mithril/base/names.hpp"
#include "mithril/base/text.hpp"
#include "mithril/compile/distribution.hpp"
#include "mithril/compile/training_graph.hpp"
#include "mithril/optim/update_rule.hpp"

namespace mithril {
namespace {

void refuse_step(std::vector<Fact> problems) {
  if (problems.empty()) return;
  raise({.kind = ErrorKind::value,
         .code = "E1370",
         .message = "this training step cannot be exported",
         .facts = std::move(problems)});
}

std::string next_of(const std::string& name) { return name + "_next"; }

// The values of the inputs, in the order of the graph, and the names of the outputs.
class StepExport {
 public:
  StepExport(const CompiledState& compiled, TrainingGraph step, const State& state)
      : compiled_(compiled), step_(std::move(step)), state_(state) {
    made_.inputs.resize(step_.graph.inputs().size());
    for (std::size_t i = 0; i < made_.inputs.size(); ++i)
      made_.inputs[i].name = step_.graph.value(step_.graph.inputs()[i]).name;
  }

  void add_model_inputs(const TensorMap& params, const std::vector<std::size_t>& trained) {
    for (std::size_t i = 0; i < compiled_.inputs.size(); ++i) {
      const InputKey& input = compiled_.inputs[i];
      ExportedStep::Input& made = made_.inputs[i];
      made.name = input.key;
      if (input.key_class == KeyClass::parameter) {
        made.value = params.at(input.key);
        made.is_fixed = std::find(trained.begin(), trained.end(), i) == trained.end();
      } else if (input.key_class == KeyClass::state) {
        made.value = state_.at(input.key);
        made.is_fixed = !contains(compiled_.next_states, input.key);
      }
    }
  }

  void add_incoming(const std::vector<Tensor>& incoming) {
    for (std::size_t i = 0; i < incoming.size(); ++i) {
      ExportedStep::Input& made = made_.inputs[compiled_.inputs.size() + i];
      made.value = incoming[i];
      made.is_fixed = true;
    }
  }

  void add_counts(const Optimizer& optimizer, std::int64_t steps) {
    set(step_.steps, Tensor::scalar(steps));
    set(step_.averaged, Tensor::scalar(optimizer.averaged()));
    set(step_.lr, Tensor::full(DType::float64, {}, optimizer.lr()));
  }

  void add_memory(std::vector<Tensor> memory) {
    for (std::size_t i = 0; i < memory.size(); ++i)
      set(step_.memory[i].input, std::move(memory[i]));
  }

  ExportedStep finish() {
    for (const Output& output : step_.graph.outputs()) made_.outputs.push_back(output.name);
    for (const NamedIndex& output : compiled_.outputs) made_.outputs[output.index] = output.name;
    for (const NamedIndex& state : compiled_.next_states)
      made_.outputs[state.index] = next_of(state.name);
    for (const Donation& moved : step_.donations)
      made_.outputs[moved.output] = next_of(made_.inputs[moved.input].name);
    refuse_equal_names();
    for (std::size_t i = 0; i < made_.inputs.size(); ++i) {
      std::optional<Tensor>& value = made_.inputs[i].value;
      const DType dtype = step_.graph.value(step_.graph.inputs()[i]).dtype;
      if (value) value = value->dtype() == dtype ? value->host() : value->to(dtype).host();
    }
    made_.graph = std::move(step_.graph);
    return std::move(made_);
  }

 private:
  // The inputs of the optimizer have the names of its state_dict.
  void set(const std::optional<std::size_t>& input, Tensor value) {
    if (!input) return;
    ExportedStep::Input& made = made_.inputs[*input];
    made.name.erase(0, step_.prefix.size());
    made.value = std::move(value);
  }

  void refuse_equal_names() const {
    std::map<std::string, int> counts;
    for (const ExportedStep::Input& input : made_.inputs) ++counts[input.name];
    for (const std::string& output : made_.outputs) ++counts[output];
    std::vector<Fact> problems;
    for (const auto& [name, count] : counts)
      if (count > 1) problems.push_back({name, "the name of several inputs and outputs"});
    refuse_step(std::move(problems));
  }

  const CompiledState& compiled_;
  TrainingGraph step_;
  const State& state_;
  ExportedStep made_;
};

// What a file cannot say about the step.
std::vector<Fact> problems_of(const StepParts& step) {
  std::vector<Fact> problems;
  if (step.options.accumulate > 1) {
    problems.push_back(
        {"accumulate", fmt::format("the file is one call, and an update takes {} calls",
                                   step.options.accumulate)});
  }
  std::set<std::int64_t> steps;
  for (const NamedIndex& key : step.trained) {
    const Optimizer::ParameterMemory* memory = step.optimizer.find_memory(key.name);
    steps.insert(memory ? memory->steps : 0);
  }
  if (steps.size() > 1) {
    problems.push_back({"steps", fmt::format("the parameters have moved {} to {} times",
                                             *steps.begin(), *steps.rbegin())});
  }
  Graph graph;
  const std::string scope = "step";
  const auto number = [&](const char* name) {
    return Expression{&graph, graph.add_input({.name = name, .dtype = DType::float64}), &scope};
  };
  const StepNumbers<Expression> numbers{number("steps"), number("lr"), 0};
  const Optimizer& optimizer = step.optimizer;
  if (optimizer.step_scalars(numbers).size() != optimizer.step_scalars(1, StepRates{}).size()) {
    problems.push_back(
        {optimizer.def().name, "no graph computes the numbers of its steps with these options"});
  }
  return problems;
}

}  // namespace

ExportedStep export_step(const StepParts& step, const TensorMap& params) {
  const CompiledModel::Impl& compiled = step.compiled;
  compiled.require_graph("exporting");
  refuse_export(compiled, "an export of a TrainingStep");
  refuse_step(problems_of(step));
  std::vector<TrainedParameter> trained;
  std::vector<std::size_t> moved;
  for (const NamedIndex& key : step.trained) {
    const ParameterGroup& group = step.optimizer.group_of(key.name);
    trained.push_back({key.index, step.optimizer.rates(group), group.lr_factor});
    moved.push_back(key.index);
  }
  StepExport made(compiled,
                  compiled.step_graph(step.of, trained, step.optimizer, step.options,
                                      StepPart::whole, StepScalars::computed),
                  step.state);
  made.add_model_inputs(params, moved);
  made.add_incoming(step.incoming);
  Optimizer::ParameterMemories fresh;
  std::int64_t steps = 0;
  std::vector<Tensor> kept;
  for (const NamedIndex& key : step.trained) {
    const Tensor& param = params.at(key.name);
    const Optimizer::ParameterMemory& memory = step.optimizer.memory_of(key.name, param, fresh);
    steps = memory.steps;
    kept.insert(kept.end(), memory.slots.begin(), memory.slots.end());
    if (step.options.averages()) {
      kept.push_back(memory.average ? *memory.average
                                    : Tensor(opmath_dtype(param.dtype()), param.dims()));
    }
  }
  made.add_counts(step.optimizer, steps);
  made.add_memory(std::move(kept));
  return made.finish();
}

}  // namespace mithril
