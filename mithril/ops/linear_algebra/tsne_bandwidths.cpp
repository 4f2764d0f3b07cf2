// tsne_bandwidths: for each point the bandwidth of a Gaussian that has the target perplexity.
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "mithril/ops/support/gaussian_affinities.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

constexpr double narrowest = 1e-19;  // its square is a float32, too
constexpr double widest = 1001;

// The probability that point i picks each other point as a neighbour: a Gaussian of the distance.
std::vector<double> neighbours(std::span<const double> squares, size_t i, double nearest,
                               double sigma) {
  std::vector<double> result(squares.size());
  double sum = 0;
  for (size_t j = 0; j < squares.size(); ++j) {
    if (j == i) continue;
    result[j] = std::exp((nearest - squares[j]) / (2 * sigma * sigma));
    sum += result[j];
  }
  for (double& probability : result) probability /= sum;
  return result;
}

// The effective number of neighbours: 2 to the entropy.
double perplexity(const std::vector<double>& probabilities, double threshold) {
  double entropy = 0;
  for (const double probability : probabilities) {
    const double p = std::clamp(probability, threshold, 1 - threshold);
    entropy -= p * std::log2(p);
  }
  return std::exp2(entropy);
}

double nearest_other(std::span<const double> squares, size_t i) {
  double nearest = std::numeric_limits<double>::infinity();
  for (size_t j = 0; j < squares.size(); ++j) {
    if (j != i) nearest = std::min(nearest, squares[j]);
  }
  return nearest;
}

struct Search {
  double perplexity, threshold;
};

// Finds the bandwidth by bisection.
double bandwidth(std::span<const double> squares, size_t i, double nearest, const Search& search) {
  double lower = narrowest, upper = widest;
  while (true) {
    const double middle = lower + (upper - lower) / 2;
    if (middle == lower || middle == upper) return middle;
    const double reached = perplexity(neighbours(squares, i, nearest, middle), search.threshold);
    if (reached == search.perplexity) return middle;
    (reached > search.perplexity ? upper : lower) = middle;
  }
}

void eval_tsne_bandwidths(EvalContext& c) {
  const auto squares = c.read<double>("squared_distances");
  const auto n = static_cast<size_t>(c.out().dims()[0]);
  const Datum& given = c.value("threshold");
  const Search search{
      .perplexity = c.read<double>("target_perplexity")[0],
      .threshold = given.is_none() ? std::numeric_limits<double>::epsilon() : given.real()};
  c.typed([&](auto zero) {
    using T = decltype(zero);
    auto widths = c.write<T>(0), nearest = c.write<T>(1);
    for (size_t i = 0; i < n; ++i) {
      const std::span row(squares.begin() + i * n, n);
      const double first = nearest_other(row, i);
      widths[i] = static_cast<T>(bandwidth(row, i, first, search));
      nearest[i] = static_cast<T>(first);
    }
  });
}

// Implicit differentiation at constant perplexity: the bandwidth changes so that the entropy does
// not. The gradient is 0 at the limits of the search, and if all distances are equal.
void flow_tsne_bandwidths(GradContext& g) {
  const Expression squares = g.in("squared_distances"), sigma = g.out();
  const GaussianAffinities affinities = gaussian_affinities(squares, sigma, g.out(1));
  const Expression mean = call("sum", {affinities.probabilities * affinities.farther, 1, true});
  const Expression apart = affinities.farther - mean;
  const Expression variance = call("sum", {affinities.probabilities * apart * apart, 1, true});
  const Expression decided = call(
      "logical_and", {call("greater", {variance, 1e-30}), call("less", {sigma, widest - 1e-3})});
  const Expression scaled =
      call("where", {decided, g.out_grad() * sigma / call("where", {decided, variance, 1.0}), 0.0});
  if (g.needs("squared_distances")) {
    const Expression first =
        call("cast", {call("equal", {squares, g.out(1)}), Datum(squares.dtype())}) *
        others(squares);
    g.flow("squared_distances", scaled * affinities.probabilities * apart * 0.5 +
                                    g.out_grad(1) * first / call("sum", {first, 1, true}));
  }
  if (!g.needs("target_perplexity")) return;
  const Expression power = call("square", {call("square", {sigma})});
  g.flow("target_perplexity", call("sum", {scaled * power * 2.0}) / g.operand("target_perplexity"));
}

}  // namespace

OpDef define_tsne_bandwidths() {
  return {
      .name = "tsne_bandwidths",
      .doc =
          "For each point, the bandwidth sigma with which the Gaussian exp(-d² / (2 sigma²)) of "
          "its distances d to the other points has the perplexity `target_perplexity`, and the "
          "smallest of the squared distances. sigma is at most 1001. Probabilities are clamped to "
          "[threshold, 1 - threshold]; threshold=None is 2**-52.",
      .internal = true,
      .inputs = {{"squared_distances", "N N", "float"},
                 {"target_perplexity", "", "operand"},
                 value("threshold", "float|none", None())},
      .outputs = {{"output", "N 1", "float"}, {"nearest", "N 1", "float"}},
      .eval = eval_tsne_bandwidths,
      .grad = flow_tsne_bandwidths,
      .dtype_from = "squared_distances",
      .cast = CastPolicy::float32,
      .spell = {{"jax", "tsne_bandwidths({squared_distances}, {target_perplexity}, {threshold})"},
                {"torch", "unsupported: searches with a loop"}},
  };
}

}  // namespace mithril
