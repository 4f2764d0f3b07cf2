// The gradient scaler of C++ with tensors of torch.
#include "mithril/optim/grad_scaler.hpp"

#include <ATen/ops/full.h>

#include <limits>

#include "backends/torch/tensors.hpp"
#include "tests/torch_internal/doctest.hpp"

namespace mithril::tests {
namespace {

double first(const Tensor& tensor) { return to_torch(tensor).flatten()[0].item<double>(); }

}  // namespace

TEST_CASE("gradients of torch are scaled on their device, whatever their strides and dtypes") {
  GradScaler scaler({.scale = 4});
  const at::Tensor turned = at::full({3, 2}, 8.0, at::kFloat).t();
  const TensorMap given{{"a", from_torch(turned)},
                        {"b", from_torch(at::full({2}, 8.0, at::kDouble))},
                        {"c", from_torch(at::full({2}, 8.0, at::kBFloat16))},
                        {"d", Tensor::full(DType::float32, {2}, 8)}};
  const TensorMap unscaled = scaler.unscale(given);
  for (const char* key : {"a", "b", "c"}) {
    CAPTURE(key);
    CHECK(torch_backend::is_torch(unscaled.at(key)));
    CHECK(unscaled.at(key).dtype() == given.at(key).dtype());
    CHECK(unscaled.at(key).dims() == given.at(key).dims());
    CHECK(first(unscaled.at(key)) == 2);
    CHECK(first(given.at(key)) == 8);
  }
  CHECK(unscaled.at("d").at_as_double(1) == 2);
  scaler.update();
  CHECK(scaler.get_scale() == 4);
  CHECK(first(scaler.scale(given).at("b")) == 32);
}

TEST_CASE("an element of a gradient of torch that is not finite is found") {
  for (const double bad :
       {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    GradScaler scaler({.scale = 4});
    at::Tensor gradient = at::full({5}, 1.0, at::kFloat);
    gradient[3] = bad;
    scaler.unscale({{"a", from_torch(at::full({2}, 1.0))}, {"b", from_torch(gradient)}});
    scaler.update();
    CHECK(scaler.get_scale() == 2);
  }
}

}  // namespace mithril::tests
