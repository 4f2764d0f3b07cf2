// The training loop `fit` on the backend on PyTorch.
#include "mithril/training/fit.hpp"

#include <doctest/doctest.h>

#include "backends/torch/torch.hpp"
#include "mithril/optim/optimizers.hpp"
#include "mithril/training/checkpoint.hpp"
#include "tests/serialization/files.hpp"
#include "tests/skip.hpp"
#include "tests/training/fit_model.hpp"

namespace mithril {

TEST_CASE("fit trains on the backend on PyTorch, and continues with the same bits") {
  if (!tests::has_torch()) return tests::skip_without_torch();
  const tests::FileFolder folder;
  const auto run = [&](std::shared_ptr<Backend> backend, const char* name, std::int64_t epochs) {
    const CompiledModel model = tests::compiled_for_fit(std::move(backend));
    AdamW optimizer({.lr = 0.02});
    TrainingStep step(model, optimizer, {.max_norm = 1.0, .accumulate = 2, .average = EMA{0.9}});
    return tests::fit_quietly(step, tests::points(100, 0),
                              {.epochs = epochs,
                               .validation = tests::points(30, 1),
                               .averages = true,
                               .checkpoint = folder.at(name)});
  };
  const History whole = run(torch(), "whole", 3);
  run(torch(), "parts", 1);
  const History parts = run(torch(), "parts", 3);
  CHECK(tests::losses_of(parts) == tests::losses_of(whole));
  tests::check_equal_maps(load(folder.at("parts/last.safetensors")).params, whole.params);
  const std::vector<double> losses = tests::losses_of(whole);
  const std::vector<double> expected = tests::losses_of(run(cpu(), "cpu", 3));
  for (size_t i = 0; i < losses.size(); ++i)
    CHECK(losses[i] == doctest::Approx(expected[i]).epsilon(1e-4));
}

}  // namespace mithril
