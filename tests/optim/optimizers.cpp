// Optimizers against the positions that PyTorch's reach, and their refusals.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "mithril/optim/optimizers.hpp"
#include "mithril/optim/update_rule.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril {
namespace {

using tests::text_of_error;
using Row = std::array<double, 4>;

using Make = std::function<std::unique_ptr<Optimizer>()>;

struct Reference {
  const char* name;
  Make make;
  std::vector<Row> float64_positions, float32_positions;  // after each step
};

const std::vector<Reference>& references() {
  static const std::vector<Reference> all = {
#include "tests/optim/torch_reference.inc"
  };
  return all;
}

std::unique_ptr<Optimizer> made_optimizer(std::string_view name) {
  for (const Reference& reference : references()) {
    if (reference.name == name) return reference.make();
  }
  FAIL("no reference " << name);
  return nullptr;
}

Tensor start(DType dtype) { return Tensor::of<double>({4}, {1, -2, 0.5, 0}).to(dtype); }

// The gradient that tests/optim/make_reference.py uses.
Tensor gradient_at(const Tensor& param) {
  const Row target = {0.25, 1.5, 0.5, -3};
  Tensor gradient(param.dtype(), param.dims());
  visit_parameter(param.dtype(), [&](auto element, auto number) {
    using Element = decltype(element);
    using T = decltype(number);
    for (size_t i = 0; i < 4; ++i) {
      const T distance = static_cast<T>(param.data<Element>()[i]) - static_cast<T>(target[i]);
      gradient.mutable_data<Element>()[i] =
          static_cast<Element>(static_cast<T>(2 * (i + 1)) * distance);
    }
  });
  return gradient;
}

void step(Optimizer& optimizer, TensorMap& params) {
  optimizer.step(params, {{"p", gradient_at(params.at("p"))}});
}

}  // namespace

TEST_CASE("optimizers move parameters where PyTorch's do") {
  for (const Reference& reference : references()) {
    for (const DType dtype : {DType::float64, DType::float32}) {
      CAPTURE(reference.name);
      CAPTURE(name(dtype));
      const bool is_double = dtype == DType::float64;
      const auto optimizer = reference.make();
      TensorMap params = {{"p", start(dtype)}};
      for (const Row& expected :
           is_double ? reference.float64_positions : reference.float32_positions) {
        step(*optimizer, params);
        for (size_t i = 0; i < 4; ++i) {
          const double got = params.at("p").at_as_double(static_cast<std::int64_t>(i));
          CHECK(got == doctest::Approx(expected[i]).epsilon(is_double ? 1e-12 : 2e-6));
        }
      }
    }
  }
}

TEST_CASE("an optimizer goes on from its state_dict") {
  for (const Reference& reference : references()) {
    CAPTURE(reference.name);
    const auto first = reference.make(), second = reference.make();
    TensorMap params = {{"p", start(DType::float64)}};
    step(*first, params);
    step(*first, params);
    second->load_state_dict(first->state_dict());
    TensorMap copy = {{"p", params.at("p").copy()}};
    step(*first, params);
    step(*second, copy);
    CHECK(identical(params.at("p"), copy.at("p")));
  }
}

TEST_CASE("a parameter without a gradient stays where it is") {
  TensorMap params = {{"p", start(DType::float32)}, {"frozen", start(DType::float32)}};
  SGD optimizer({.lr = 1});
  step(optimizer, params);
  CHECK(identical(params.at("frozen"), start(DType::float32)));
}

TEST_CASE("a learning rate may change between steps") {
  TensorMap params = {{"p", start(DType::float64)}};
  SGD optimizer({.lr = 0.05});
  optimizer.set_lr(0);
  step(optimizer, params);
  CHECK(optimizer.lr() == 0);
  CHECK(identical(params.at("p"), start(DType::float64)));
}

TEST_CASE("steps do not depend on the number of threads") {
  const auto position = [](Optimizer& optimizer, int threads) {
    optimizer.set_threads(threads);
    TensorMap params, gradients;
    params["w"] = Tensor(DType::float32, {70'001});
    gradients["w"] = Tensor(DType::float32, {70'001});
    float next = 0;
    for (float& element : gradients["w"].mutable_values<float>()) element = std::sin(next += 0.1f);
    for (int step = 0; step < 3; ++step) optimizer.step(params, gradients);
    const auto reached = params["w"].values<float>();
    return std::vector<float>(reached.begin(), reached.end());
  };
  for (const char* name : {"sgd_nesterov", "adamw", "rmsprop_momentum"}) {
    const auto one = made_optimizer(name), three = made_optimizer(name);
    CHECK(position(*one, 1) == position(*three, 3));
  }
}

TEST_CASE("every optimizer is compared with PyTorch or a published formula") {
  for (const OptimizerDef& def : optimizer_defs()) {
    CAPTURE(def.name);
    const auto& all = references();
    CHECK(std::any_of(all.begin(), all.end(), [&](const Reference& reference) {
      return reference.make()->def().name == def.name;
    }));
  }
}

TEST_CASE("a gradient for an unknown parameter is refused") {
  TensorMap params = {{"weight", start(DType::float32)}};
  SGD optimizer;
  CHECK(text_of_error([&] {
          optimizer.step(params, {{"weigth", start(DType::float32)}});
        }) ==
        "mithril.NameError[E0609]: there is no parameter 'weigth'\n"
        "  known : weight\n"
        "  help: did you mean 'weight'?");
}

TEST_CASE("gradients of other dims or dtypes are refused before any parameter moves") {
  TensorMap params = {{"a", start(DType::float32)}, {"b", start(DType::float32)}};
  Adam optimizer;
  CHECK(
      text_of_error([&] {
        optimizer.step(params, {{"a", start(DType::float32)}, {"b", Tensor(DType::float32, {3})}});
      }) ==
      "mithril.ShapeError[E0208]: the gradient of 'b' has other dims\n"
      "  b        : [4]\n"
      "  gradient : [3]");
  CHECK(text_of_error([&] {
          optimizer.step(params, {{"a", start(DType::float32)}, {"b", start(DType::float64)}});
        }) ==
        "mithril.TypeError[E0382]: the gradient of 'b' has another dtype\n"
        "  b        : float32\n"
        "  gradient : float64\n"
        "  help: a compiled model makes gradients of the dtype of its backend: convert the "
        "parameter to it");
  CHECK(identical(params.at("a"), start(DType::float32)));
}

TEST_CASE("a parameter of ints is refused") {
  TensorMap params = {{"a", start(DType::int32)}};
  Adam optimizer;
  CHECK(text_of_error([&] {
          optimizer.step(params, {{"a", start(DType::int32)}});
        }) ==
        "mithril.TypeError[E0382]: an optimizer moves floating-point parameters only\n"
        "  a        : int32\n"
        "  gradient : int32");
}

TEST_CASE("parameters of half precision move in float32, and are rounded after each step") {
  for (const DType dtype : {DType::float16, DType::bfloat16}) {
    for (const Reference& reference : references()) {
      CAPTURE(reference.name);
      const auto half = reference.make(), single = reference.make();
      TensorMap params = {{"p", start(dtype)}}, expected = {{"p", start(DType::float32)}};
      for (int i = 0; i < 5; ++i) {
        const Tensor gradient = gradient_at(params.at("p"));
        half->step(params, {{"p", gradient}});
        single->step(expected, {{"p", gradient.to(DType::float32)}});
        expected.at("p") = expected.at("p").to(dtype).to(DType::float32);
        CHECK(identical(params.at("p").to(DType::float32), expected.at("p")));
      }
      for (const auto& [entry, tensor] : half->state_dict()) {
        CHECK(tensor.dtype() != dtype);
      }
    }
  }
}

TEST_CASE("a state_dict has the options, and gives them back") {
  for (const Reference& reference : references()) {
    CAPTURE(reference.name);
    const auto first = reference.make();
    first->set_lr(0.03125);
    TensorMap params = {{"p", start(DType::float64)}};
    step(*first, params);
    const auto second = std::make_unique<Optimizer>(first->def(), 1.0);
    second->load_state_dict(first->state_dict());
    CHECK(second->lr() == 0.03125);
    TensorMap copy = {{"p", params.at("p").copy()}};
    step(*first, params);
    step(*second, copy);
    CHECK(identical(copy.at("p"), params.at("p")));
  }
}

TEST_CASE("a state_dict without options leaves them as they are") {
  Adam old({.lr = 0.5}), adam({.lr = 0.25, .eps = 1e-3});
  TensorMap params = {{"p", start(DType::float64)}};
  step(old, params);
  TensorMap state = old.state_dict();
  std::vector<TensorMap::Item> slots;
  for (const auto& [entry, tensor] : state) {
    if (entry.starts_with("p.")) slots.emplace_back(entry, tensor);
  }
  adam.load_state_dict(TensorMap(std::move(slots)));
  CHECK(adam.lr() == 0.25);
  CHECK(adam.state_dict().at("eps").item() == 1e-3);
  CHECK(adam.state_dict().at("p.step").item() == 1);
}

TEST_CASE("a state_dict that does not fit changes no option") {
  SGD sgd({.lr = 0.5});
  const TensorMap before = sgd.state_dict();
  CHECK(text_of_error([&] {
          sgd.load_state_dict({{"lr", Tensor::scalar(0.1)}, {"p.exp_avg", Tensor::scalar(1.0)}});
        }) ==
        "mithril.StateError[E0903]: p.exp_avg: this optimizer has no slot 'exp_avg'\n"
        "  known : step");
  CHECK(text_of_error([&] {
          sgd.load_state_dict({{"lr", Tensor::of<double>({2}, {0.1, 0.2})}});
        }) ==
        "mithril.StateError[E0904]: the state of the optimizer has other dims for the option 'lr'\n"
        "  expected : []\n"
        "  got      : [2]");
  CHECK(text_of_error([&] {
          sgd.load_state_dict({{"lr", Tensor::scalar(-1.0)}});
        }) == "mithril.ValueError[E0406]: optimizer: lr is -1, expected at least 0");
  CHECK(sgd.lr() == 0.5);
  CHECK(sgd.state_dict().keys() == before.keys());
}

TEST_CASE("an option out of its range is refused") {
  CHECK(text_of_error([] { SGD({.lr = -1}); }) ==
        "mithril.ValueError[E0406]: optimizer: lr is -1, expected at least 0");
  CHECK(text_of_error([] { SGD({.lr = 1}).set_threads(-1); }) ==
        "mithril.ValueError[E0406]: optimizer: threads is -1, expected at least 0");
  CHECK(text_of_error([] { SGD({.nesterov = true}); }) ==
        "mithril.ValueError[E0406]: optimizer: momentum is 0, expected more than 0 with nesterov");
  CHECK(text_of_error([] {
          Adam({.betas = {0.9, 1.0}});
        }) ==
        "mithril.ValueError[E0406]: optimizer: betas.second is 1, expected at least 0 and below 1");
}

TEST_CASE("a state of another optimizer is refused") {
  Adam adam;
  TensorMap params = {{"p", start(DType::float32)}};
  step(adam, params);
  SGD sgd({.momentum = 0.9});
  CHECK(text_of_error([&] { sgd.load_state_dict(adam.state_dict()); }) ==
        "mithril.StateError[E0903]: this optimizer has no option 'betas'\n"
        "  known : lr, momentum, dampening, weight_decay, nesterov");
  CHECK(text_of_error([&] {
          adam.load_state_dict({{"p.step", Tensor::scalar(1.0)}});
        }) == "mithril.StateError[E0905]: p: the state of the optimizer has no entry 'p.exp_avg'");
}

TEST_CASE("a state of other dims is refused when it is used") {
  Adam adam;
  TensorMap params = {{"p", start(DType::float32)}};
  step(adam, params);
  TensorMap other = {{"p", Tensor(DType::float32, {2})}};
  CHECK(text_of_error([&] {
          adam.step(other, {{"p", Tensor(DType::float32, {2})}});
        }) ==
        "mithril.StateError[E0904]: the optimizer's state of 'p' does not fit it\n"
        "  p          : float32[2]\n"
        "  remembered : float32[4]");
}

}  // namespace mithril
