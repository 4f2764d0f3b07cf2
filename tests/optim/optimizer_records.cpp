// Optimizers as records: those of a program, and the limits of some formulas.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "mithril/optim/optimizers.hpp"
#include "mithril/optim/update_rule.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril {
namespace {

using tests::text_of_error;

// A rule that moves against the sign of the gradient by the rate, and counts the steps.
struct SignFormula {
  explicit SignFormula(const OptimizerSettings&) {}
  static std::vector<OptimizerSlot> slots() { return {{"moved", 1}}; }
  static std::vector<double> step_scalars(std::int64_t, const StepRates& rates) {
    return {rates.lr};
  }
  template <typename Value>
  void operator()(ParameterUpdate<Value>& update) const {
    update.slots[0] = update.slots[0] + update.step_scalars[0];
    update.param = update.param - sign_of(update.gradient) * update.step_scalars[0];
  }
};

}  // namespace

TEST_CASE("a program makes an optimizer of its own record") {
  Optimizer optimizer({.name = "Sign", .doc = "", .options = {}, .rule = rule_of<SignFormula>},
                      0.5);
  TensorMap params = {{"p", Tensor::of<double>({2}, {1, 2})}};
  optimizer.step(params, {{"p", Tensor::of<double>({2}, {3, -4})}});
  CHECK(identical(params.at("p"), Tensor::of<double>({2}, {0.5, 2.5})));
  CHECK(identical(optimizer.state_dict().at("p.moved"), Tensor::of<double>({2}, {1.5, 1.5})));
}

TEST_CASE("an option that no record has is refused") {
  CHECK(text_of_error([] {
          Optimizer(optimizer_def("SGD"), 0.1, {{"momentun", 0.9}});
        }) ==
        "mithril.NameError[E0605]: SGD has no argument 'momentun'\n"
        "  known : momentum, dampening, weight_decay, nesterov\n"
        "  help: did you mean 'momentum'?");
}

TEST_CASE("the square root of a variance that rounding made negative is not a NaN") {
  RMSprop optimizer({.lr = 0.1, .alpha = 0.5, .centered = true});
  TensorMap params = {{"p", Tensor::full(DType::float32, {64}, 1)}};
  Tensor gradient(DType::float32, {64});
  float next = 0.1f;
  for (float& element : gradient.mutable_values<float>()) element = next *= 1.3f;
  for (int i = 0; i < 200; ++i) optimizer.step(params, {{"p", gradient}});
  for (const float element : params.at("p").values<float>()) CHECK(std::isfinite(element));
}

TEST_CASE("the momenta of NAdam stay defined after many steps") {
  const NAdam optimizer({.lr = 1});
  for (const double number : optimizer.step_scalars(100'000'000, {.lr = 1})) {
    CHECK(std::isfinite(number));
  }
}

}  // namespace mithril
