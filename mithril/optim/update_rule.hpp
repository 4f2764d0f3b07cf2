// The update of a parameter by an optimizer: one formula, for loops over elements and for graphs.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "mithril/graph/expression.hpp"
#include "mithril/optim/optimizer_def.hpp"
#include "mithril/tensor/float16.hpp"
#include "mithril/tensor/tensor.hpp"

namespace mithril {

// The number of a step, and the rates of a parameter in it. Number: double, or in a graph an
// Expression of float64 and rank 0.
template <typename Number>
struct StepNumbers {
  Number steps;  // taken, the present one included
  Number lr;
  double weight_decay = 0;
};

// A parameter, its gradient and its slots before the update, and after it. Value: the element type
// of the opmath_dtype in a loop over elements, Expression in a graph.
template <typename Value>
struct ParameterUpdate {
  static constexpr bool in_graph = std::is_same_v<Value, Expression>;
  using Constant = std::conditional_t<in_graph, double, Value>;
  // The type of step_scalars(), of rank 0 in a graph.
  using StepScalars = std::conditional_t<in_graph, std::vector<Value>, const Value*>;
  using Slots = std::conditional_t<in_graph, std::vector<Value>, Value*>;

  Value param, gradient;
  Slots slots;
  StepScalars step_scalars;
  Constant weight_decay = 0;

  static Constant constant(double number) { return static_cast<Constant>(number); }
  // The gradient of the loss and of weight_decay / 2 * param^2.
  Value decayed_gradient() const {
    return weight_decay == 0 ? gradient : gradient + param * weight_decay;
  }
};

template <typename Value>
Value square_root(const Value& x) {
  if constexpr (std::is_same_v<Value, Expression>)
    return call("sqrt", {x});
  else
    return std::sqrt(x);
}

template <typename Value>
Value sign_of(const Value& x) {
  if constexpr (std::is_same_v<Value, Expression>)
    return call("sign", {x});
  else
    return static_cast<Value>((x > 0) - (x < 0));
}

template <typename Value>
Value at_least_0(const Value& x) {
  if constexpr (std::is_same_v<Value, Expression>)
    return call("relu", {x});
  else
    return x < 0 ? Value(0) : x;
}

template <typename Value>
Value at_most_1(const Value& x) {
  if constexpr (std::is_same_v<Value, Expression>)
    return call("minimum", {x, 1.0});
  else
    return x < 1 ? x : Value(1);
}

template <typename Value>
Value power_of(double base, const Value& exponent) {
  if constexpr (std::is_same_v<Value, Expression>)
    return call("power", {base, exponent});
  else
    return std::pow(base, exponent);
}

constexpr std::size_t most_optimizer_slots = 3, most_step_scalars = 4;

// The elements of an update in memory. `slots` and `step_scalars`: as many as the rule has.
struct UpdatedElements {
  DType dtype;
  void* param;
  const void* gradient;
  std::array<void*, most_optimizer_slots> slots = {};
  std::array<double, most_step_scalars> step_scalars = {};
  double weight_decay = 0;
};

// An optimizer with options. rule_of makes it of a class with the formula.
class UpdateRule {
 public:
  virtual ~UpdateRule() = default;
  virtual std::vector<OptimizerSlot> slots() const = 0;
  // The scalars of a parameter's step that change: its learning rate, corrections of its moments.
  // `steps`: taken, the present one included.
  virtual std::vector<double> step_scalars(std::int64_t steps, const StepRates& rates) const = 0;
  // The same in a graph; fewer if no graph computes them.
  virtual std::vector<Expression> step_scalars(const StepNumbers<Expression>& step) const = 0;
  virtual void add_to_graph(ParameterUpdate<Expression>& update) const = 0;
  virtual void update(const UpdatedElements& elements, std::int64_t first,
                      std::int64_t last) const noexcept = 0;
};

// Calls f(Element{}, Number{}) with the element type of a parameter and that of its opmath_dtype.
template <typename Function>
void visit_parameter(DType dtype, Function&& function) {
  if (dtype == DType::float32) return function(float{}, float{});
  if (dtype == DType::float16) return function(float16{}, float{});
  if (dtype == DType::bfloat16) return function(bfloat16{}, float{});
  function(double{}, double{});
}

// Whether a graph computes the step scalars of a formula.
template <typename Formula>
concept HasStepGraph = requires(const Formula& formula, const StepNumbers<Expression>& step) {
  formula.step_scalars(step);
};

// Formula: a class with slots() as above, and
//   template <typename Number>
//   std::vector<Number> step_scalars(const StepNumbers<Number>& step) const
//   template <typename Value> void operator()(ParameterUpdate<Value>& update) const
// Its step_scalars may also be the first one above. Then no file has a step of the optimizer.
template <typename Formula>
class RuleOf final : public UpdateRule {
 public:
  explicit RuleOf(const Formula& formula) : formula_(formula) {}

  std::vector<OptimizerSlot> slots() const override { return formula_.slots(); }
  std::vector<double> step_scalars(std::int64_t steps, const StepRates& rates) const override {
    if constexpr (HasStepGraph<Formula>) {
      return formula_.step_scalars(
          StepNumbers<double>{static_cast<double>(steps), rates.lr, rates.weight_decay});
    } else {
      return formula_.step_scalars(steps, rates);
    }
  }
  std::vector<Expression> step_scalars(const StepNumbers<Expression>& step) const override {
    if constexpr (HasStepGraph<Formula>)
      return formula_.step_scalars(step);
    else
      return {};
  }
  void add_to_graph(ParameterUpdate<Expression>& update) const override { formula_(update); }
  void update(const UpdatedElements& elements, std::int64_t first,
              std::int64_t last) const noexcept override {
    visit_parameter(elements.dtype, [&](auto element, auto number) {
      run<decltype(element), decltype(number)>(elements, first, last);
    });
  }

 private:
  // The number of slots is known while compiling, so that they are in registers.
  template <typename Element, typename T>
  void run(const UpdatedElements& elements, std::int64_t first, std::int64_t last) const {
    switch (elements.slots[0] ? elements.slots[1] ? elements.slots[2] ? 3 : 2 : 1 : 0) {
      case 0:
        return loop<0, Element, T>(elements, first, last);
      case 1:
        return loop<1, Element, T>(elements, first, last);
      case 2:
        return loop<2, Element, T>(elements, first, last);
      default:
        return loop<3, Element, T>(elements, first, last);
    }
  }

  template <std::size_t count, typename Element, typename T>
  void loop(const UpdatedElements& elements, std::int64_t first, std::int64_t last) const {
    const Formula formula = formula_;  // copies, which no store changes
    std::array<T, most_step_scalars> step_scalars{};
    for (std::size_t n = 0; n < step_scalars.size(); ++n)
      step_scalars[n] = static_cast<T>(elements.step_scalars[n]);
    const T weight_decay = static_cast<T>(elements.weight_decay);
    std::array<T*, most_optimizer_slots> slots{};
    for (std::size_t k = 0; k < count; ++k) slots[k] = static_cast<T*>(elements.slots[k]);
    auto* const to = static_cast<Element*>(elements.param);
    const auto* const from = static_cast<const Element*>(elements.gradient);
    for (std::int64_t i = first; i < last; ++i) {
      std::array<T, most_optimizer_slots> kept{};
      for (std::size_t k = 0; k < count; ++k) kept[k] = slots[k][i];
      ParameterUpdate<T> update{.param = static_cast<T>(to[i]),
                                .gradient = static_cast<T>(from[i]),
                                .slots = kept.data(),
                                .step_scalars = step_scalars.data(),
                                .weight_decay = weight_decay};
      formula(update);
      for (std::size_t k = 0; k < count; ++k) slots[k][i] = kept[k];
      to[i] = static_cast<Element>(update.param);
    }
  }

  Formula formula_;
};

// Formula: a class as RuleOf describes, with a constructor that takes OptimizerSettings.
template <typename Formula>
std::shared_ptr<const UpdateRule> rule_of(const OptimizerSettings& settings) {
  return std::make_shared<const RuleOf<Formula>>(Formula(settings));
}

}  // namespace mithril
