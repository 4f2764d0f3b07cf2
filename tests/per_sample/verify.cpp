// The comparison of PerSample::verify.
#include <doctest/doctest.h>

#include <cmath>

#include "mithril/per_sample/single_samples.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril::tests {

TEST_CASE("verify names the sample and the parameter with the largest difference") {
  const TensorMap expected = {{"w", Tensor::of<double>({2, 2}, {3, 4, 0, 1})},
                              {"b", Tensor::of<double>({2, 1}, {0, 0})}};
  const TensorMap same = expected.copy();
  compare_samples(same, expected, 1e-9);
  const TensorMap made = {{"w", Tensor::of<double>({2, 2}, {3, 4, 0, 1.5})},
                          {"b", Tensor::of<double>({2, 1}, {0.1, 0})}};
  CHECK(text_of_error([&] { compare_samples(made, expected, 0.01); }) ==
        "mithril.GradientError[E0512]: w: the gradient of sample 1 in 'w' differs from that of an "
        "evaluation of the sample by itself\n"
        "  relative error : 0.500000\n"
        "  tolerance      : 0.010000");
  const TensorMap lost = {{"w", Tensor::of<double>({2, 2}, {3, 4, 0, std::nan("")})},
                          {"b", Tensor::of<double>({2, 1}, {0, 0})}};
  CHECK(text_of_error([&] {
          compare_samples(lost, expected, 0.01);
        }).starts_with("mithril.GradientError[E0512]: w: "));
}

}  // namespace mithril::tests
