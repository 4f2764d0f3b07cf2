#include "mithril/per_sample/projections.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "mithril/base/error.hpp"
#include "mithril/base/key_patterns.hpp"
#include "mithril/base/random.hpp"
#include "mithril/base/text.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/optim/parameter_group.hpp"

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

[[noreturn]] void refuse_rank(const std::string& what, std::int64_t rank, const char* expected) {
  raise({.kind = ErrorKind::value,
         .code = "E0418",
         .message = what + ": rank is " + std::to_string(rank) + ", expected " + expected});
}

bool moves_elements(std::string_view op) {
  return op == "cast" || op == "swapaxes" || op == "permute";
}

// Whether a node reads the value as such an argument, perhaps reshaped, transposed or cast.
bool is_argument(const Graph& graph, ValueId value,
                 bool (*accepts)(const Node& node, size_t argument)) {
  std::vector<bool> same(graph.values().size());
  same[index(value)] = true;
  for (const Node& node : graph.nodes()) {
    for (size_t i = 0; i < node.arguments.size(); ++i) {
      const ValueId* id = tensor_of(node.arguments[i]);
      if (!id || !same[index(*id)]) continue;
      if (accepts(node, i)) return true;
      if (node.op->keeps_elements || moves_elements(node.op->name))
        for (const ValueId output : node.outputs) same[index(output)] = true;
    }
  }
  return false;
}

}  // namespace

void check_ranks(const ProjectionOptions& options, const std::vector<std::string>& keys) {
  if (options.rank < 1) refuse_rank("projections", options.rank, "at least 1");
  for (const auto& [pattern, rank] : options.ranks) {
    if (rank < 0)
      refuse_rank("projections: " + in_quotes(pattern), rank, "0, which leaves out, or more");
    check_pattern(pattern, keys);
  }
}

std::int64_t rank_of(const ProjectionOptions& options, const std::string& key, const Graph& graph,
                     ValueId parameter) {
  const auto is_table = [](const Node& node, size_t i) {
    return node.op->name == "gather" && i == 0;
  };
  const auto is_kernel = [](const Node& node, size_t i) {
    return node.op->name.starts_with("conv") && node.op->inputs[i].name != "bias";
  };
  if (!options.embeddings && is_argument(graph, parameter, is_table)) return 0;
  if (!options.convolutions && is_argument(graph, parameter, is_kernel)) return 0;
  for (const auto& [pattern, rank] : options.ranks) {
    if (matches(pattern, key)) return rank;
  }
  return options.rank;
}

std::pair<std::int64_t, std::int64_t> projection_ranks(std::int64_t rows, std::int64_t columns,
                                                       std::int64_t rank) {
  const auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(rank)));
  // With all elements, both ranks are whole.
  if (rank >= rows * columns) return {rows, columns};
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
