// LBFGS on Rosenbrock's function, whose minimum is 0 at (1, ..., 1).
#include "mithril/optim/lbfgs.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "tests/errors/text_of_error.hpp"

namespace mithril {
namespace {

using tests::text_of_error;

std::pair<double, TensorMap> rosenbrock(const TensorMap& params) {
  const Tensor x = params.at("x").to(DType::float64);
  double loss = 0;
  std::vector<double> gradient(static_cast<size_t>(x.size()));
  for (size_t i = 0; i + 1 < gradient.size(); ++i) {
    const double a = x.values<double>()[i], b = x.values<double>()[i + 1];
    loss += 100 * (b - a * a) * (b - a * a) + (1 - a) * (1 - a);
    gradient[i] += -400 * a * (b - a * a) - 2 * (1 - a);
    gradient[i + 1] += 200 * (b - a * a);
  }
  const Tensor wide = Tensor::of<double>(x.dims(), gradient);
  return {loss, TensorMap({{"x", wide.to(params.at("x").dtype())}})};
}

TensorMap first_point(DType dtype = DType::float64) {
  return {{"x", Tensor::of<double>({4}, {-1.2, 1, -1.2, 1}).to(dtype)},
          {"unused", Tensor::ones({2}, dtype)}};
}

double distance_from_ones(const TensorMap& params) {
  double most = 0;
  for (std::int64_t i = 0; i < 4; ++i)
    most = std::max(most, std::abs(params.at("x").at_as_double(i) - 1));
  return most;
}

}  // namespace

TEST_CASE("LBFGS finds a minimum") {
  TensorMap params = first_point();
  LBFGS lbfgs({.max_iter = 100, .tolerance_change = 0, .strong_wolfe = true});
  CHECK(lbfgs.step(params, rosenbrock) == doctest::Approx(532.4));
  CHECK(distance_from_ones(params) < 1e-6);
  CHECK(params.at("unused").at_as_double(0) == 1);
  // No gradient exceeds the tolerance, so the parameters stay.
  const double before = params.at("x").at_as_double(0);
  CHECK(lbfgs.step(params, rosenbrock) < 1e-12);
  CHECK(params.at("x").at_as_double(0) == doctest::Approx(before).epsilon(1e-9));
}

TEST_CASE("LBFGS moves parameters of every dtype") {
  for (const DType dtype : {DType::float32, DType::float16, DType::bfloat16}) {
    CAPTURE(name(dtype));
    TensorMap params = first_point(dtype);
    LBFGS lbfgs({.max_iter = 60, .strong_wolfe = true});
    const double loss = lbfgs.step(params, rosenbrock);
    CHECK(params.at("x").dtype() == dtype);
    CHECK(rosenbrock(params).first < loss / 10);
    if (dtype == DType::float32) CHECK(distance_from_ones(params) < 0.01);
  }
}

TEST_CASE("LBFGS counts its evaluations") {
  TensorMap params = first_point();
  int calls = 0;
  const auto counted = [&](const TensorMap& at) {
    ++calls;
    return rosenbrock(at);
  };
  LBFGS lbfgs({.max_iter = 10, .max_eval = 4});
  lbfgs.step(params, counted);
  CHECK(calls == 4);
  CHECK(lbfgs.state_dict().at("func_evals").item() == 4);
  CHECK(lbfgs.state_dict().at("n_iter").item() == 3);
}

TEST_CASE("LBFGS goes on from its state") {
  TensorMap whole = first_point(), parts = first_point();
  const LBFGSOptions options = {.max_iter = 5, .history_size = 3, .strong_wolfe = true};
  LBFGS through(options), first(options), second(options);
  through.step(whole, rosenbrock);
  through.step(whole, rosenbrock);
  first.step(parts, rosenbrock);
  second.load_state_dict(first.state_dict());
  second.step(parts, rosenbrock);
  for (std::int64_t i = 0; i < 4; ++i)
    CHECK(whole.at("x").at_as_double(i) == parts.at("x").at_as_double(i));
  TensorMap state = first.state_dict();
  state.erase("t");
  CHECK(text_of_error([&] { second.load_state_dict(state); }) ==
        "mithril.StateError[E0905]: the state of LBFGS has no entry 't'");
  TensorMap others = {{"x", Tensor::ones({7}, DType::float64)}};
  CHECK(text_of_error([&] {
          first.step(others, rosenbrock);
        }).starts_with("mithril.StateError[E0904]: the state of LBFGS is one of other parameters"));
}

TEST_CASE("an exception of the loss leaves the parameters as they were") {
  TensorMap params = first_point();
  LBFGS lbfgs({.strong_wolfe = true});
  int calls = 0;
  const auto fails = [&](const TensorMap& at) {
    if (++calls == 3) throw std::runtime_error("no loss");
    return rosenbrock(at);
  };
  CHECK_THROWS_WITH(lbfgs.step(params, fails), "no loss");
  CHECK(params.at("x").at_as_double(0) == -1.2);
  CHECK(lbfgs.state_dict().at("n_iter").item() == 0);
}

TEST_CASE("LBFGS refuses wrong options and gradients") {
  CHECK(text_of_error([] { LBFGS({.max_iter = 0}); }).starts_with("mithril.ValueError[E0406]"));
  CHECK(text_of_error([] { LBFGS({.history_size = 0}); }).starts_with("mithril.ValueError[E0406]"));
  TensorMap params = first_point();
  const auto gives = [&](TensorMap gradients) {
    return text_of_error([&] {
      LBFGS().step(params, [&](const TensorMap&) { return std::pair(1.0, gradients.share()); });
    });
  };
  CHECK(gives({{"y", Tensor::ones({4}, DType::float64)}})
            .starts_with("mithril.NameError[E0609]: there is no parameter 'y'"));
  CHECK(gives({{"x", Tensor::ones({3}, DType::float64)}})
            .starts_with("mithril.ShapeError[E0208]: the gradient of 'x' has other dims"));
}

}  // namespace mithril
