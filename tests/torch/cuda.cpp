// The backend on PyTorch on a GPU, from a program that has loaded nothing of torch.
#include <doctest/doctest.h>

#include "backends/torch/torch.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/ops/arithmetic.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "mithril/models/ops/reductions.hpp"
#include "mithril/optim/optimizers.hpp"
#include "mithril/training/training_step.hpp"
#include "tests/errors/text_of_error.hpp"
#include "tests/skip.hpp"

namespace mithril {
namespace {

// Null where torch finds no GPU.
std::shared_ptr<Backend> on_gpu() {
  const std::string refusal = tests::text_of_error([] { torch({.device = "cuda"}); });
  if (refusal == "nothing was raised") return torch({.device = "cuda"});
  CHECK(refusal.starts_with("mithril.BackendError[E1005]: there is no device 'cuda'"));
  return nullptr;
}

CompiledModel small_network(std::shared_ptr<Backend> backend) {
  Model model;
  model |= Linear({.dimension = 8})({{"input", "x"}});
  model += Tanh();
  model += Linear({.dimension = 1})({{"output", "y"}});
  model |= Mean()({{"input", "y"}, {"output", "loss"}});
  return compile(model, std::move(backend),
                 {.shapes = {{"x", {4, 3}}}, .optimization_level = OptimizationLevel::max});
}

}  // namespace

TEST_CASE("a C++ program trains on a GPU as on the CPU") {
  if (!tests::has_torch()) return tests::skip_without_torch();
  const std::shared_ptr<Backend> gpu = on_gpu();
  if (!gpu) return tests::skip("there is no GPU");
  const CompiledModel here = small_network(torch()), there = small_network(gpu);
  TensorMap expected = here.get_parameters(), params = there.load_state_dict(expected);
  Adam optimizer({.lr = 0.01}), other({.lr = 0.01});
  TrainingStep step(here, optimizer), on_device(there, other);
  const TensorMap data{{"x", Tensor::of<float>({4, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})}};
  for (int i = 0; i < 5; ++i) {
    step(expected, data);
    on_device(params, data);
  }
  for (const auto& item : expected) {
    CAPTURE(item.key());
    const Tensor got = params.at(item.key()).host(), wanted = item.tensor().host();
    for (std::int64_t i = 0; i < got.size(); ++i)
      CHECK(got.at_as_double(i) == doctest::Approx(wanted.at_as_double(i)).epsilon(1e-3));
  }
}

TEST_CASE("a C++ program runs elementwise chains as kernels on a GPU") {
  if (!tests::has_torch()) return tests::skip_without_torch();
  const std::shared_ptr<Backend> gpu = on_gpu();
  if (!gpu) return tests::skip("there is no GPU");
  Model model;
  model |= Tanh()({{"input", "x"}, {"output", "t"}});
  model |= Multiply()({{"left", "t"}, {"right", "x"}, {"output", "y"}});
  const auto compiled = [&](std::shared_ptr<Backend> backend) {
    return compile(model, std::move(backend),
                   {.shapes = {{"x", {3, 5}}}, .optimization_level = OptimizationLevel::max});
  };
  const CompiledModel here = compiled(torch()), there = compiled(gpu);
  std::vector<float> elements(15);
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = 0.3F * static_cast<float>(i) - 2;
  const TensorMap data{{"x", Tensor::of<float>({3, 5}, elements)}};
  const Tensor got = there.evaluate({}, data).at("y").host(),
               wanted = here.evaluate({}, data).at("y");
  for (std::int64_t i = 0; i < got.size(); ++i)
    CHECK(got.at_as_double(i) == doctest::Approx(wanted.at_as_double(i)).epsilon(1e-5));
  CHECK(there.summary().find("CUDA kernels: 2 nodes run as 1") != std::string::npos);
}

}  // namespace mithril
