#include "mithril/check/generate.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mithril::check {
namespace {

double one(const TensorSpec& spec, Random& random) {
  if (spec.fill == TensorSpec::Fill::normal) return std::normal_distribution<double>()(random);
  return std::uniform_real_distribution<double>(spec.low, spec.high)(random);
}

bool near_a_point(const TensorSpec& spec, double element) {
  return std::any_of(spec.avoid.begin(), spec.avoid.end(),
                     [&](double point) { return std::abs(element - point) < spec.gap; });
}

double one_at_distance(const TensorSpec& spec, Random& random) {
  constexpr int tries = 10000;
  for (int i = 0; i < tries; ++i) {
    const double element = one(spec, random);
    if (!near_a_point(spec, element)) return element;
  }
  MITHRIL_CHECK(false, "a row leaves no room between the points that its elements keep away from");
  return 0;
}

// Multiples of 0.25 around zero, each moved by less than a fifth of that, in random order.
std::vector<double> distinct_elements(std::int64_t count, Random& random) {
  std::vector<double> elements(static_cast<std::size_t>(count));
  std::iota(elements.begin(), elements.end(), -0.5 * static_cast<double>(count));
  std::shuffle(elements.begin(), elements.end(), random);
  std::uniform_real_distribution<double> jitter(-0.05, 0.05);
  for (double& element : elements) element = 0.25 * element + jitter(random);
  return elements;
}

std::vector<double> elements_of(const TensorSpec& spec, Random& random) {
  const std::int64_t count = element_count(spec.dims);
  if (spec.fill == TensorSpec::Fill::values) return spec.values;
  if (spec.fill == TensorSpec::Fill::distinct) return distinct_elements(count, random);
  std::vector<double> elements;
  for (std::int64_t i = 0; i < count; ++i) {
    if (spec.fill == TensorSpec::Fill::integers) {
      const auto low = static_cast<std::int64_t>(spec.low),
                 high = static_cast<std::int64_t>(spec.high);
      elements.push_back(
          static_cast<double>(std::uniform_int_distribution<std::int64_t>(low, high - 1)(random)));
    } else if (spec.fill == TensorSpec::Fill::booleans) {
      elements.push_back(static_cast<double>(random() & 1));
    } else {
      elements.push_back(one_at_distance(spec, random));
    }
  }
  return elements;
}

}  // namespace

Tensor generate(const TensorSpec& spec, Random& random) {
  return Tensor::of<double>(spec.dims, elements_of(spec, random)).to(spec.dtype);
}

std::vector<Tensor> generate(const std::vector<TensorSpec>& specs, std::uint64_t seed) {
  std::vector<Tensor> tensors;
  for (const TensorSpec& spec : specs) {
    std::seed_seq sequence{seed, static_cast<std::uint64_t>(tensors.size())};
    Random random(sequence);
    tensors.push_back(generate(spec, random));
  }
  return tensors;
}

Tensor random_direction(const Dims& dims, Random& random) { return generate(normal(dims), random); }

}  // namespace mithril::check
