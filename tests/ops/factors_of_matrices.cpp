// Factors of matrices: products and orthogonality, matrices of less than full rank, and gradients
// that do not exist.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "mithril/base/error.hpp"
#include "mithril/eval/interpreter.hpp"
#include "mithril/grad/differentiate.hpp"
#include "mithril/op/registry.hpp"
#include "mithril/ops/shared/matrix.hpp"
#include "mithril/ops/shared/matrix_exponential.hpp"
#include "mithril/ops/shared/singular_values.hpp"
#include "mithril/passes/passes.hpp"

namespace mithril {
namespace {

Matrix matrix_of(const Tensor& tensor) {
  Matrix matrix(tensor.dims()[0], tensor.dims()[1]);
  const auto elements = tensor.values<double>();
  matrix.elements.assign(elements.begin(), elements.end());
  return matrix;
}

Tensor tensor_of(const Matrix& matrix) {
  return Tensor::of<double>({matrix.rows, matrix.columns}, matrix.elements);
}

// The product of normal matrices [rows, rank] and [rank, columns].
Matrix matrix_of_rank(int64_t rows, int64_t columns, int64_t rank) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  Matrix left(rows, rank), right(rank, columns);
  for (double& element : left.elements) element = normal(random);
  for (double& element : right.elements) element = normal(random);
  return matrix_product(left, right);
}

// A graph of one op and its outputs.
Graph graph_of(const char* op, const Tensor& input, const std::vector<Datum>& values = {}) {
  Graph graph;
  std::vector<Dim> dims;
  for (const int64_t size : input.dims()) dims.emplace_back(size);
  std::vector<Argument> arguments;
  arguments.emplace_back(graph.add_input({.name = "input", .dims = dims, .dtype = DType::float64}));
  for (const Datum& value : values) arguments.emplace_back(value);
  const std::vector<ValueId> outputs = graph.add(find_op(op), std::move(arguments), "output");
  for (size_t i = 0; i < outputs.size(); ++i)
    graph.add_output("output_" + std::to_string(i), outputs[i]);
  return expand_ops(graph);
}

std::vector<Tensor> results_of(const char* op, const Tensor& input,
                               const std::vector<Datum>& values = {}) {
  return interpret(graph_of(op, input, values), {&input, 1});
}

// Returns the gradient of the input for a gradient of output number `output` that is 1 everywhere.
Tensor slope_of(const char* op, const Tensor& input, int output,
                const std::vector<Datum>& values = {}) {
  const std::string name = "output_" + std::to_string(output);
  const Tensor result = results_of(op, input, values)[static_cast<size_t>(output)];
  const Graph graph =
      differentiate(graph_of(op, input, values), {.outputs = {name}, .wanted = {"input"}});
  const std::vector<Tensor> inputs{input, Tensor::full(DType::float64, result.dims(), 1)};
  return interpret(graph, inputs).back();
}

double distance(const Matrix& a, const Matrix& b) {
  double largest = 0;
  for (size_t i = 0; i < a.elements.size(); ++i)
    largest = std::max(largest, std::abs(a.elements[i] - b.elements[i]));
  return largest;
}

bool has_orthogonal_columns(const Matrix& matrix) {
  Matrix unit(matrix.columns, matrix.columns);
  for (int64_t i = 0; i < unit.rows; ++i) unit(i, i) = 1;
  return distance(matrix_product(transposed_matrix(matrix), matrix), unit) < 1e-12;
}

struct Size {
  int64_t rows, columns, rank;
};
constexpr Size sizes[] = {{20, 20, 20}, {30, 12, 12}, {12, 30, 12},
                          {20, 12, 5},  {12, 20, 5},  {9, 9, 0}};

}  // namespace

TEST_CASE("svd makes orthogonal vectors of matrices of any rank") {
  for (const auto& [rows, columns, rank] : sizes) {
    const Matrix matrix = matrix_of_rank(rows, columns, rank);
    const std::vector<Tensor> found = results_of("svd", tensor_of(matrix));
    Matrix scaled = matrix_of(found[0]);
    CHECK(has_orthogonal_columns(scaled));
    CHECK(has_orthogonal_columns(transposed_matrix(matrix_of(found[2]))));
    const auto values = found[1].values<double>();
    CHECK(std::is_sorted(values.rbegin(), values.rend()));
    CHECK(std::count_if(values.begin(), values.end(), [](double s) { return s > 1e-10; }) == rank);
    for (int64_t i = 0; i < scaled.rows; ++i) {
      for (int64_t k = 0; k < scaled.columns; ++k) scaled(i, k) *= values[static_cast<size_t>(k)];
    }
    CHECK(distance(matrix_product(scaled, matrix_of(found[2])), matrix) < 1e-11);
  }
}

TEST_CASE("qr makes orthogonal columns of matrices of any rank") {
  for (const auto& [rows, columns, rank] : sizes) {
    for (const char* mode : {"reduced", "complete"}) {
      const Matrix matrix = matrix_of_rank(rows, columns, rank);
      const std::vector<Tensor> found = results_of("qr", tensor_of(matrix), {Datum(mode)});
      const Matrix q = matrix_of(found[0]), r = matrix_of(found[1]);
      CHECK(has_orthogonal_columns(q));
      CHECK(distance(matrix_product(q, r), matrix) < 1e-11);
      for (int64_t i = 0; i < r.rows; ++i) {
        for (int64_t j = 0; j < std::min(i, r.columns); ++j) CHECK(r(i, j) == 0);
        if (i < r.columns) CHECK(r(i, i) >= 0);
      }
    }
  }
}

TEST_CASE("qr of more rows than columns has no gradient in mode complete") {
  const Tensor tall = tensor_of(matrix_of_rank(3, 2, 2));
  CHECK_THROWS_WITH_AS(slope_of("qr", tall, 1, {Datum("complete")}),
                       doctest::Contains("mode \"complete\" of more rows than columns has no "
                                         "gradient"),
                       Error);
}

TEST_CASE("qr of dependent columns has no finite gradient") {
  const Tensor slope = slope_of("qr", Tensor::of<double>({2, 2}, {1, 2, 0, 0}), 1);
  const auto elements = slope.values<double>();
  CHECK(std::any_of(elements.begin(), elements.end(), [](double x) { return !std::isfinite(x); }));
}

TEST_CASE("vectors of equal singular values have no finite gradient, and the values have one") {
  const Tensor turn = Tensor::of<double>({2, 2}, {0, -2, 2, 0});
  const Tensor slope = slope_of("svd", turn, 0), of_values = slope_of("svd", turn, 1);
  const auto elements = slope.values<double>();
  CHECK(std::any_of(elements.begin(), elements.end(), [](double x) { return !std::isfinite(x); }));
  // The sum of the singular values is the nuclear norm, whose gradient is U Vh.
  CHECK(distance(matrix_of(of_values), matrix_of(Tensor::of<double>({2, 2}, {0, -1, 1, 0}))) <
        1e-12);
}

TEST_CASE("a square matrix with one singular value of 0 has a gradient of its vectors") {
  const Tensor slope = slope_of("svd", Tensor::of<double>({2, 2}, {3, 0, 4, 0}), 0);
  for (const double element : slope.values<double>()) CHECK(std::isfinite(element));
}

TEST_CASE("slogdet of a singular matrix has no gradient") {
  CHECK_THROWS_WITH_AS(slope_of("slogdet", Tensor::of<double>({2, 2}, {1, 2, 2, 4}), 1),
                       doctest::Contains("the matrix is singular"), Error);
}

}  // namespace mithril
