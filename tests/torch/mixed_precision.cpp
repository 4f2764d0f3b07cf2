// Mixed precision from C++, if the torch backend was built.
#include <doctest/doctest.h>

#include <cmath>

#include "backends/torch/torch.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "mithril/optim/grad_scaler.hpp"
#include "mithril/optim/optimizers.hpp"
#include "tests/skip.hpp"

namespace mithril {
namespace {

using tests::has_torch, tests::skip_without_torch;

Model network() {
  Model model;
  model |= Linear({.dimension = 16})({{"input", "x"}});
  model += Tanh();
  model += Linear({.dimension = 1})({{"output", "y"}});
  return model;
}

Tensor numbers(Dims dims, double (*of)(double)) {
  Tensor tensor(DType::float32, std::move(dims));
  double at = 0;
  for (float& element : tensor.mutable_values<float>()) {
    element = static_cast<float>(of(at += 0.37));
  }
  return tensor;
}

}  // namespace

TEST_CASE("float16 products train with a scaler") {
  if (!has_torch()) return skip_without_torch();
  const CompiledModel compiled =
      compile(network(), torch({.use_amp = true, .amp_dtype = DType::float16}),
              {.shapes = {{"x", {32, 2}}}});
  TensorMap params;  // the backend's own are read-only here
  for (const auto& [key, tensor] : compiled.get_parameters()) params[key] = tensor.copy();
  const TensorMap data = {{"x", numbers({32, 2}, [](double at) { return std::sin(at); })}};
  const Tensor target = numbers({32, 1}, [](double at) { return std::cos(2 * at); });
  GradScaler scaler({.scale = 0x1p60});  // too large: the first steps are skipped
  Adam optimizer({.lr = 0.02});
  int skipped = 0;
  double first = -1, last = 0;
  for (int step = 0; step < 150; ++step) {
    const Tensor y = compiled.evaluate(params, data).at("y").host();
    CHECK(y.dtype() == DType::float32);
    Tensor error(DType::float32, {32, 1});
    last = 0;
    for (size_t i = 0; i < 32; ++i) {
      const float apart = y.values<float>()[i] - target.values<float>()[i];
      error.mutable_values<float>()[i] = apart / 16;
      last += static_cast<double>(apart) * static_cast<double>(apart) / 32;
    }
    if (first < 0) first = last;
    const auto [out, scaled] = compiled.evaluate(params, data, scaler.scale({{"y", error}}));
    skipped += !scaler.step(optimizer, params, scaler.unscale(scaled));
    scaler.update();
  }
  CHECK(skipped > 30);
  CHECK(skipped < 60);
  CHECK(last < 0.7 * first);
}

}  // namespace mithril
