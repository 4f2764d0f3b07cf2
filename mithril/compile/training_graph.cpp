#include "mithril/compile/training_graph.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "mithril/optim/update_rule.hpp"

namespace mithril {
namespace {

// A prefix that no value's name has.
std::string free_scope(const Graph& graph) {
  std::string scope = "optimizer";
  const auto taken = [&](const Value& value) { return value.name.starts_with(scope + "."); };
  while (std::any_of(graph.values().begin(), graph.values().end(), taken)) scope += "_";
  return scope;
}

Expression cast(const Expression& value, DType dtype) {
  return value.dtype() == dtype ? value : call("cast", {value, Datum(dtype)});
}

// The 2-norm of all gradients together, in the widest of their dtypes.
Expression norm_of(const std::vector<Expression>& gradients) {
  const auto is_wide = [](const Expression& each) { return each.dtype() == DType::float64; };
  const bool wide = std::any_of(gradients.begin(), gradients.end(), is_wide);
  const DType dtype = wide ? DType::float64 : DType::float32;
  const auto sum_of_squares = [&](const Expression& gradient) {
    return cast(call("sum", {gradient * gradient}), dtype);
  };
  Expression total = sum_of_squares(gradients.front());
  for (size_t i = 1; i < gradients.size(); ++i) total = total + sum_of_squares(gradients[i]);
  return call("sqrt", {total});
}

class GraphAppender {
 public:
  GraphAppender(TrainingGraph& training, const Optimizer& optimizer)
      : training_(training),
        graph_(training.graph),
        optimizer_(optimizer),
        prefix_(free_scope(graph_) + "."),
        gradients_scope_(prefix_ + "gradients") {
    training_.prefix = prefix_;
  }

  // Adds a parameter and its gradient, in the opmath_dtype of the parameter.
  void add(const TrainedParameter& parameter, ValueId gradient) {
    const Value& param = graph_.value(graph_.inputs()[parameter.input]);
    if (!is_floating(param.dtype)) {
      raise({.kind = ErrorKind::type,
             .code = "E0382",
             .message = "an optimizer moves floating-point parameters only",
             .facts = {{param.name, std::string(name(param.dtype))}}});
    }
    parameters_.push_back(parameter);
    const DType state = opmath_dtype(param.dtype);
    gradients_.push_back(cast({&graph_, gradient, &gradients_scope_}, state));
  }

  // Makes the sums of gradients the gradients.
  void accumulate() {
    for (size_t i = 0; i < parameters_.size(); ++i) {
      training_.gradient_sums.push_back({graph_.inputs().size(), parameters_[i].input});
      const std::string scope = prefix_ + graph_.value(graph_.inputs()[parameters_[i].input]).name;
      gradients_[i] = add_slot(i, scope + ".gradient_sum", gradients_scope_) + gradients_[i];
    }
  }

  void keep_sums() {
    for (size_t i = 0; i < gradients_.size(); ++i)
      give(training_.gradient_sums[i].input, gradients_[i]);
  }

  void take_mean(std::int64_t count) {
    for (Expression& gradient : gradients_) gradient = gradient * (1 / static_cast<double>(count));
  }

  void clip(const TrainingOptions& options) {
    if (options.max_value) {
      for (Expression& gradient : gradients_) {
        gradient = call("clamp", {gradient, -*options.max_value, *options.max_value});
      }
    }
    if (!options.max_norm || gradients_.empty()) return;
    const Expression norm = norm_of(gradients_);
    const Expression ratio = call("divide", {*options.max_norm, norm + 1e-6});
    const Expression factor = call("clamp", {ratio, Datum(), 1.0});
    for (Expression& gradient : gradients_) gradient = gradient * cast(factor, gradient.dtype());
  }

  // Adds the inputs from which the graph computes the numbers of a step, and their next values.
  void count_steps(const TrainingOptions& options) {
    counting_ = prefix_ + "step";
    training_.steps = graph_.inputs().size();
    const Expression steps = add_number(prefix_ + "steps", DType::int64, counting_);
    const Expression taken = steps + 1;
    give(*training_.steps, taken);
    taken_ = cast(taken, DType::float64);
    if (options.averages()) count_averages(options, taken);
    const Schedule& schedule = optimizer_.schedule();
    if (schedule.is_number()) {
      const Tensor rate = Tensor::full(DType::float64, {}, schedule.at(0));
      lr_ = Expression{&graph_, graph_.add_constant(prefix_ + "lr", rate), &counting_};
    } else {
      training_.lr = graph_.inputs().size();
      lr_ = add_number(prefix_ + "lr", DType::float64, counting_);
    }
  }

  void update(bool average) {
    for (size_t i = 0; i < parameters_.size(); ++i) update(i, average);
  }

 private:
  // An input with the dims of a parameter, in its opmath_dtype.
  Expression add_slot(size_t i, const std::string& name, const std::string& scope) {
    Value value = graph_.value(graph_.inputs()[parameters_[i].input]);
    value.dtype = opmath_dtype(value.dtype);
    value.name = name;
    return {&graph_, graph_.add_input(std::move(value)), &scope};
  }

  Expression add_number(const std::string& name, DType dtype, const std::string& scope) {
    return {&graph_, graph_.add_input({.name = name, .dtype = dtype}), &scope};
  }

  // As TrainingOptions::average_weight.
  void count_averages(const TrainingOptions& options, const Expression& taken) {
    training_.averaged = graph_.inputs().size();
    const Expression averaged = add_number(prefix_ + "averaged", DType::int64, counting_);
    const Expression count = cast(averaged, DType::float64);
    if (const EMA* ema = std::get_if<EMA>(&options.average)) {
      average_weight_ = 1 - ema->decay * at_most_1(count);
      give(*training_.averaged, averaged + 1);
      return;
    }
    const SWA& swa = std::get<SWA>(options.average);
    const Expression later = taken - Datum(swa.start);
    const Expression is_due = call("equal", {call("remainder", {later, Datum(swa.every)}), 0});
    const Expression is_later = call("greater", {later, 0});
    const Expression counts = call("logical_and", {is_later, is_due});
    average_weight_ = cast(counts, DType::float64) / (count + 1);
    give(*training_.averaged, averaged + cast(counts, DType::int64));
  }

  // The numbers of a parameter's step, and the weight of its average if `average`.
  std::vector<Expression> numbers_of(const TrainedParameter& parameter, const std::string& scope,
                                     DType dtype, bool average) {
    const size_t count = optimizer_.step_scalars(1, parameter.rates).size();
    std::vector<Expression> numbers;
    if (!training_.steps) {
      for (size_t n = 0; n < count; ++n)
        numbers.push_back(add_number(scope + ".number_" + std::to_string(n), dtype, scope));
      if (average) numbers.push_back(add_number(scope + ".average_weight", dtype, scope));
      return numbers;
    }
    // Parameters with the same rates have the same numbers.
    const auto [known, is_new] = computed_.try_emplace(
        {parameter.lr_factor, parameter.rates.weight_decay, static_cast<int>(dtype)});
    if (!is_new) return known->second;
    const Expression lr = parameter.lr_factor == 1 ? lr_ : lr_ * parameter.lr_factor;
    numbers =
        optimizer_.step_scalars(StepNumbers<Expression>{taken_, lr, parameter.rates.weight_decay});
    MITHRIL_CHECK(numbers.size() == count, "no graph computes the numbers of a step");
    if (average) numbers.push_back(average_weight_);
    for (Expression& each : numbers) each = cast(each, dtype);
    known->second = numbers;
    return numbers;
  }

  // The next value of an input, as an output.
  void give(size_t input, const Expression& next) {
    training_.donations.push_back({graph_.outputs().size(), input});
    graph_.add_output(graph_.value(graph_.inputs()[input]).name + ".next", next.id);
  }

  void update(size_t i, bool average) {
    const size_t parameter = parameters_[i].input;
    const Value param = graph_.value(graph_.inputs()[parameter]);
    const std::string scope = prefix_ + param.name;
    const auto expression = [&](ValueId id) { return Expression{&graph_, id, &scope}; };
    const DType state = opmath_dtype(param.dtype);
    ParameterUpdate<Expression> next{.param = cast(expression(graph_.inputs()[parameter]), state),
                                     .gradient = gradients_[i],
                                     .slots = {},
                                     .step_scalars = {},
                                     .weight_decay = parameters_[i].rates.weight_decay};
    next.step_scalars = numbers_of(parameters_[i], scope, state, average);
    Expression weight;
    if (average) {
      weight = next.step_scalars.back();
      next.step_scalars.pop_back();
    }
    const size_t first_slot = graph_.inputs().size();
    for (const OptimizerSlot& slot : optimizer_.slots()) {
      training_.memory.push_back({graph_.inputs().size(), parameter});
      next.slots.push_back(add_slot(i, scope + "." + slot.name, scope));
    }
    optimizer_.add_to_graph(next);
    const Expression rounded = cast(next.param, param.dtype);
    give(parameter, rounded);
    for (size_t n = 0; n < next.slots.size(); ++n) give(first_slot + n, next.slots[n]);
    if (!average) return;
    const size_t at = graph_.inputs().size();
    training_.memory.push_back({at, parameter});
    const Expression mean = add_slot(i, scope + ".average", scope);
    give(at, mean + (cast(rounded, state) - mean) * weight);
  }

  TrainingGraph& training_;
  Graph& graph_;
  const Optimizer& optimizer_;
  const std::string prefix_;
  const std::string gradients_scope_;
  std::string counting_;  // the scope of the numbers of a step
  std::vector<TrainedParameter> parameters_;
  std::vector<Expression> gradients_;
  // If the graph computes the numbers of a step.
  Expression taken_, lr_, average_weight_;
  std::map<std::tuple<double, double, int>, std::vector<Expression>> computed_;
};

}  // namespace

TrainingGraph training_graph(Graph gradients, const std::vector<TrainedParameter>& parameters,
                             const Optimizer& optimizer, const TrainingOptions& options,
                             StepPart part, StepScalars scalars) {
  TrainingGraph training{.graph = std::move(gradients)};
  Graph& graph = training.graph;
  const size_t kept = graph.outputs().size() - parameters.size();
  std::vector<ValueId> parameter_gradients;
  for (size_t i = 0; i < parameters.size(); ++i)
    parameter_gradients.push_back(graph.outputs()[kept + i].value);
  graph.keep_outputs(kept);
  GraphAppender appending(training, optimizer);
  for (size_t i = 0; i < parameters.size(); ++i)
    appending.add(parameters[i], parameter_gradients[i]);
  if (part == StepPart::whole)
    training.gradient = Beginning{graph.values().size(), graph.nodes().size()};
  if (part != StepPart::whole) appending.accumulate();
  if (part == StepPart::accumulate) {
    appending.keep_sums();
    return training;
  }
  if (part == StepPart::finish) appending.take_mean(options.accumulate);
  appending.clip(options);
  if (scalars == StepScalars::computed) appending.count_steps(options);
  appending.update(options.averages());
  return training;
}

std::vector<std::vector<size_t>> memory_outputs(const TrainingGraph& step) {
  std::map<size_t, size_t> output_of;  // per input that is replaced
  for (const Donation& donation : step.donations) output_of[donation.input] = donation.output;
  std::map<size_t, std::vector<size_t>> by_parameter;
  for (const ParameterInput& of : step.memory)
    by_parameter[of.parameter].push_back(output_of.at(of.input));
  std::vector<std::vector<size_t>> groups;
  for (auto& [parameter, outputs] : by_parameter) groups.push_back(std::move(outputs));
  return groups;
}

}  // namespace mithril
