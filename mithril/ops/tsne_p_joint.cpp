// tsne_p_joint: how likely two points are neighbours, for t-SNE.
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

// The probabilities that point i has each other point for a neighbour: bells over the distances.
std::vector<double> neighbours(std::span<const double> squares, size_t i, double sigma) {
  double nearest = std::numeric_limits<double>::infinity();
  for (size_t j = 0; j < squares.size(); ++j) {
    if (j != i) nearest = std::min(nearest, squares[j]);
  }
  std::vector<double> result(squares.size());
  double sum = 0;
  for (size_t j = 0; j < squares.size(); ++j) {
    if (j == i) continue;
    const double farther = squares[j] - nearest;  // 0 stays 0, however narrow the bell
    result[j] = farther == 0 ? 1 : std::exp(-farther / (2 * sigma * sigma));
    sum += result[j];
  }
  for (double& probability : result) probability /= sum;
  return result;
}

// How many neighbours that are as good as certain.
double perplexity(const std::vector<double>& probabilities, double threshold) {
  double entropy = 0;
  for (const double probability : probabilities) {
    const double p = std::clamp(probability, threshold, 1 - threshold);
    entropy -= p * std::log2(p);
  }
  return std::exp2(entropy);
}

// The width of the bell that gives the perplexity, by bisection.
double width(std::span<const double> squares, size_t i, double wanted, double threshold) {
  double lower = 0, upper = 1001;
  while (true) {
    const double middle = (lower + upper) / 2;
    if (middle == lower || middle == upper) return middle;
    const double reached = perplexity(neighbours(squares, i, middle), threshold);
    if (reached == wanted) return middle;
    (reached > wanted ? upper : lower) = middle;
  }
}

void eval_tsne_p_joint(EvalContext& c) {
  const auto squares = c.read<double>("squared_distances");
  const auto n = static_cast<size_t>(c.out().dims()[0]);
  const Datum& given = c.value("threshold");
  const double threshold = given.is_none() ? std::numeric_limits<double>::epsilon() : given.real();
  const double wanted = c.read<double>("target_perplexity")[0];
  std::vector<std::vector<double>> rows;
  for (size_t i = 0; i < n; ++i) {
    const std::span row(squares.begin() + i * n, n);
    rows.push_back(neighbours(row, i, width(row, i, wanted, threshold)));
  }
  c.typed([&](auto zero) {
    using T = decltype(zero);
    T* y = c.write<T>();
    for (size_t i = 0; i < n; ++i) {
      for (size_t j = 0; j < n; ++j)
        *y++ = static_cast<T>((rows[i][j] + rows[j][i]) / (2 * static_cast<double>(n)));
    }
  });
}

}  // namespace

OpDef define_tsne_p_joint() {
  return {
      .name = "tsne_p_joint",
      .doc =
          "The joint probabilities of t-SNE (https://jmlr.org/papers/v9/vandermaaten08a.html): for "
          "each point a bell over its squared distances, as wide as gives `target_perplexity`, at "
          "most 1001; probabilities count from `threshold` (None: 2**-52) up to 1 - threshold.",
      .inputs = {{"squared_distances", "N N", "float"},
                 {"target_perplexity", "", "operand"},
                 value("threshold", "float|none", None())},
      .outputs = {{"output", "N N", "float"}},
      .eval = eval_tsne_p_joint,
      .not_differentiable = "the widths of the bells are found by a search",
      .dtype_from = "squared_distances",
      .cast = CastPolicy::float32,
      .couples_samples = true,
      .spell = {{"torch", "unsupported: searches with a loop"}, {"c", "unsupported: a loop nest"}},
  };
}

}  // namespace mithril
