#include "mithril/per_sample/projections.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "mithril/base/error.hpp"
#include "mithril/base/random.hpp"

namespace mithril {
namespace {

using Rows = std::vector<std::vector<double>>;

double inner_product(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// Modified Gram-Schmidt, twice (Giraud, Langou and Rozložník, 2005): rows of norm 1.
void orthonormalise(Rows& rows) {
  for (size_t i = 0; i < rows.size(); ++i) {
    for (int pass = 0; pass < 2; ++pass) {
      for (size_t k = 0; k < i; ++k) {
        const double along = inner_product(rows[i], rows[k]);
        for (size_t j = 0; j < rows[i].size(); ++j) rows[i][j] -= along * rows[k][j];
      }
    }
    const double norm = std::sqrt(inner_product(rows[i], rows[i]));
    for (double& x : rows[i]) x /= norm;
  }
}

}  // namespace

std::pair<std::int64_t, std::int64_t> projection_ranks(const std::string& key, std::int64_t rows,
                                                       std::int64_t columns, std::int64_t rank) {
  if (rank < 1 || rank > rows * columns) {
    raise({.kind = ErrorKind::value,
           .code = "E0418",
           .path = key,
           .message =
               "the gradient of '" + key + "' cannot be projected to rank " + std::to_string(rank),
           .facts = {{"expected",
                      "1 to " + std::to_string(rows * columns) + ", the number of its elements"},
                     {"got", std::to_string(rank)}}});
  }
  const auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(rank)));
  const std::int64_t left = std::min(rows, std::max(root, rank / columns));
  return {left, std::min(columns, rank / left)};
}

Tensor projection_matrix(const ProjectionOptions& options, const std::string& key,
                         std::int64_t rank, std::int64_t size, DType dtype) {
  Rows rows(static_cast<size_t>(rank), std::vector<double>(static_cast<size_t>(size)));
  Random random(options.seed, key);
  const double deviation = 1 / std::sqrt(static_cast<double>(rank));
  for (auto& row : rows) {
    for (double& x : row) {
      if (options.kind == ProjectionKind::rademacher) {
        x = (random.next() >> 63) != 0 ? deviation : -deviation;
      } else {
        x = random.normal() * deviation;
      }
    }
  }
  double scale = 1;
  if (options.kind == ProjectionKind::orthonormal) {
    orthonormalise(rows);
    scale = std::sqrt(static_cast<double>(size) / static_cast<double>(rank));
  }
  if (rank == size) {
    for (size_t i = 0; i < rows.size(); ++i) {
      for (size_t j = 0; j < rows[i].size(); ++j) rows[i][j] = i == j ? 1 : 0;
    }
    scale = 1;
  }
  Tensor matrix = Tensor::empty(DType::float64, {rank, size});
  double* to = matrix.mutable_data<double>();
  for (const auto& row : rows) {
    for (const double x : row) *to++ = x * scale;
  }
  return dtype == DType::float64 ? matrix : matrix.to(dtype);
}

}  // namespace mithril
