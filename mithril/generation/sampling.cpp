#include "mithril/generation/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace mithril {
namespace {

// The most probable tokens, in this order; all of them, in any order, if none are left out.
std::vector<std::int64_t> candidates(std::span<const double> logits, const Sampling& sampling) {
  std::vector<std::int64_t> tokens(logits.size());
  std::iota(tokens.begin(), tokens.end(), 0);
  const bool limits = sampling.top_k > 0 && sampling.top_k < std::ssize(tokens);
  if (!limits && sampling.top_p >= 1) return tokens;
  const auto end = limits ? tokens.begin() + sampling.top_k : tokens.end();
  const auto precedes = [&](std::int64_t a, std::int64_t b) {
    const double left = logits[static_cast<size_t>(a)], right = logits[static_cast<size_t>(b)];
    return left != right ? left > right : a < b;
  };
  std::partial_sort(tokens.begin(), end, tokens.end(), precedes);
  tokens.erase(end, tokens.end());
  return tokens;
}

// How many of these weights have the part `p` of their sum.
size_t count_of_part(const std::vector<double>& weights, double sum, double p) {
  double reached = 0;
  for (size_t i = 0; i < weights.size(); ++i) {
    reached += weights[i];
    if (reached >= p * sum) return i + 1;
  }
  return weights.size();
}

}  // namespace

std::int64_t choose_token(std::span<const double> logits, const Sampling& sampling,
                          Random& random) {
  const auto largest = std::max_element(logits.begin(), logits.end());
  if (sampling.temperature == 0) return largest - logits.begin();
  const std::vector<std::int64_t> tokens = candidates(logits, sampling);
  std::vector<double> weights;
  weights.reserve(tokens.size());
  for (const std::int64_t token : tokens) {
    const double below = logits[static_cast<size_t>(token)] - *largest;
    weights.push_back(below == 0 ? 1 : std::exp(below / sampling.temperature));
  }
  double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (sampling.top_p < 1) {
    weights.resize(count_of_part(weights, sum, sampling.top_p));
    sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  }
  double left = random.uniform() * sum;
  size_t last = 0;  // with a weight above 0, should rounding leave something at the end
  for (size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0) continue;
    last = i;
    left -= weights[i];
    if (left < 0) break;
  }
  return tokens[last];
}

}  // namespace mithril
