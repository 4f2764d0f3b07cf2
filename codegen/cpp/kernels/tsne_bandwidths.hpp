// The bandwidths of Gaussians over distances that have a given perplexity.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "codegen/cpp/kernels/numbers.hpp"

namespace mithril::snippets {

// The perplexity of a row of probabilities, clamped to [threshold, 1 - threshold].
inline double perplexity_of(const std::vector<double>& probabilities, double threshold) {
  double entropy = 0;
  for (const double probability : probabilities) {
    const double p = std::clamp(probability, threshold, 1 - threshold);
    entropy -= p * std::log2(p);
  }
  return std::exp2(entropy);
}

// The probability that point i picks each other point, from its squared distances.
template <typename Squares>
std::vector<double> neighbours(Squares squares, int64_t count, int64_t i, double nearest,
                               double sigma) {
  std::vector<double> result(static_cast<size_t>(count));
  double sum = 0;
  for (int64_t j = 0; j < count; ++j) {
    if (j == i) continue;
    result[static_cast<size_t>(j)] = std::exp((nearest - squares(j)) / (2 * sigma * sigma));
    sum += result[static_cast<size_t>(j)];
  }
  for (double& probability : result) probability /= sum;
  return result;
}

// Finds the bandwidth by bisection.
template <typename Squares>
double bandwidth(Squares squares, int64_t count, int64_t i, double nearest, double perplexity,
                 double threshold) {
  double lower = 1e-19, upper = 1001;
  while (true) {
    const double middle = lower + (upper - lower) / 2;
    if (middle == lower || middle == upper) return middle;
    const double reached = perplexity_of(neighbours(squares, count, i, nearest, middle), threshold);
    if (reached == perplexity) return middle;
    (reached > perplexity ? upper : lower) = middle;
  }
}

template <typename Threshold>
double threshold_of(Threshold threshold) {
  if constexpr (is_given<Threshold>) {
    return static_cast<double>(threshold);
  } else {
    return std::numeric_limits<double>::epsilon();
  }
}

template <typename T, size_t rank, typename S, typename Target, typename Threshold>
void tsne_bandwidths(Tensor<T, rank> widths, Tensor<T, rank> nearest,
                     Tensor<S, 2> squared_distances, Target target_perplexity,
                     Threshold threshold) {
  const int64_t count = squared_distances.dims[0];
  for (int64_t i = 0; i < count; ++i) {
    const auto squares = [&](int64_t j) {
      return static_cast<double>(squared_distances[i * count + j]);
    };
    double least = std::numeric_limits<double>::infinity();
    for (int64_t j = 0; j < count; ++j) {
      if (j != i) least = std::min(least, squares(j));
    }
    widths[i] = static_cast<T>(bandwidth(squares, count, i, least,
                                         static_cast<double>(element(target_perplexity, 0)),
                                         threshold_of(threshold)));
    nearest[i] = static_cast<T>(least);
  }
}

}  // namespace mithril::snippets
