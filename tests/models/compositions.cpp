// Small library models that are compositions of ops: results, slopes and refusals by hand.
#include <doctest/doctest.h>

#include <cmath>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/distances.hpp"
#include "mithril/models/gaussian_process.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril::tests {
namespace {

using Items = std::vector<std::pair<std::string, Tensor>>;

Tensor matrix(int64_t rows, int64_t columns, const std::vector<double>& values) {
  return Tensor::of<double>({rows, columns}, values);
}

Tensor output_of(const Model& model, const Items& inputs) {
  CompileOptions options;
  TensorMap data;
  for (const auto& [key, tensor] : inputs) {
    options.data_keys.emplace_back(key);
    data[key] = tensor;
  }
  return compile(model, cpu({.dtype = DType::float64}), options).evaluate({}, data).at("output");
}

std::vector<double> values_of(const Tensor& tensor) {
  const auto values = tensor.values<double>();
  return {values.begin(), values.end()};
}

bool is_refused(const Model& model, const Items& inputs, const std::string& code) {
  return text_of_error([&] { output_of(model, inputs); }).find(code) != std::string::npos;
}

// The gradient of the sum of the output with respect to the input.
std::vector<double> slopes(const Model& model, const Tensor& input) {
  const CompiledModel compiled =
      compile(model, cpu({.dtype = DType::float64}), {.trainable_keys = {"input"}});
  const TensorMap params{{"input", input}};
  const TensorMap ones{{"output", Tensor::full(DType::float64, input.dims(), 1)}};
  return values_of(compiled.evaluate(params, {}, ones).second.at("input"));
}

const Tensor root = matrix(2, 2, {2, 0, 1, 3}), kernel = matrix(2, 2, {4, 2, 2, 10});

}  // namespace

TEST_CASE("NormModifier is a wave between 1 and 5, with slope 0 at its peaks") {
  const Tensor input = Tensor::of<double>({7}, {1, 2, 5, 6, 9, 0, -5});
  CHECK(values_of(output_of(NormModifier(), {{"input", input}})) ==
        std::vector<double>{1, 2, 5, 4, 1, 2, 3});
  CHECK(slopes(NormModifier(), Tensor::of<double>({3}, {2, 5, 6})) ==
        std::vector<double>{1, 0, -1});
  CHECK(is_refused(NormModifier(), {{"input", Tensor::of<int64_t>({1}, {1})}}, "E0805"));
}

TEST_CASE("CartesianDifference subtracts each row of one matrix from each row of another") {
  const Tensor left = matrix(2, 1, {5, 7}), right = matrix(2, 1, {1, 2});
  const Tensor apart = output_of(CartesianDifference(), {{"left", left}, {"right", right}});
  CHECK(apart.dims() == Dims{2, 2, 1});
  CHECK(values_of(apart) == std::vector<double>{4, 3, 6, 5});
  CHECK(output_of(CartesianDifference(), {{"left", Tensor(DType::float64, {0, 3})},
                                          {"right", Tensor(DType::float64, {2, 3})}})
            .dims() == Dims{0, 2, 3});
  Model of_ints = CartesianDifference();
  of_ints.set_types({{"left", kind::int_tensor}, {"right", kind::int_tensor}});
  const Tensor ints = output_of(of_ints, {{"left", Tensor::of<int64_t>({1, 1}, {3})},
                                          {"right", Tensor::of<int64_t>({1, 1}, {5})}});
  CHECK(ints.dtype() == DType::int64);
  CHECK(ints.item() == -2);
  CHECK(is_refused(CartesianDifference(),
                   {{"left", left}, {"right", Tensor(DType::float64, {2, 4})}}, "E0804"));
  CHECK(is_refused(CartesianDifference(), {{"left", Tensor(DType::float64, {3})}, {"right", right}},
                   "E0803"));
  Model of_bools = CartesianDifference();
  CHECK(text_of_error([&] {
          of_bools.set_types({{"left", kind::bool_tensor}});
        }).find("E0301") != std::string::npos);
}

TEST_CASE("TransposedDiagonal ignores elements off the diagonal") {
  const Tensor input = matrix(2, 2, {1, NAN, NAN, 4});
  const Tensor diagonal = output_of(TransposedDiagonal(), {{"input", input}});
  CHECK(diagonal.dims() == Dims{2, 1});
  CHECK(values_of(diagonal) == std::vector<double>{1, 4});
  CHECK(output_of(TransposedDiagonal(), {{"input", Tensor(DType::float64, {0, 0})}}).dims() ==
        Dims{0, 1});
  CHECK(is_refused(TransposedDiagonal(), {{"input", Tensor(DType::float64, {2, 3})}}, "E0804"));
}

TEST_CASE("GPRAlpha solves with both triangles of the factor, and leaves K_term unread") {
  const Tensor labels = matrix(2, 1, {8, 14});
  const Items inputs{{"label_mu_diff", labels}, {"L", root}, {"K_term", kernel}};
  const std::vector<double> alpha = values_of(output_of(GPRAlpha(), inputs));
  CHECK(alpha[0] == doctest::Approx(13.0 / 9));
  CHECK(alpha[1] == doctest::Approx(10.0 / 9));
  CHECK(is_refused(GPRAlpha(),
                   {{"label_mu_diff", matrix(3, 1, {1, 2, 3})}, {"L", root}, {"K_term", kernel}},
                   "E0804"));
}

TEST_CASE("GPRVOuter is the product of the solution with itself") {
  const Tensor column = matrix(2, 1, {4, 5});
  const Items inputs{{"K", column}, {"K_term", kernel}, {"L", root}};
  CHECK(values_of(output_of(GPRVOuter(), inputs)) == std::vector<double>{5});
  CHECK(output_of(GPRVOuter(),
                  {{"K", Tensor(DType::float64, {2, 0})}, {"K_term", kernel}, {"L", root}})
            .dims() == Dims{0, 0});
}

}  // namespace mithril::tests
