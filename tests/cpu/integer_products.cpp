// Products of 8-bit numbers have the results of float64, which are exact.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "backends/cpu/rewrite/narrow_integer_products.hpp"
#include "mithril/eval/interpreter.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"
#include "tests/cpu/settings.hpp"

namespace mithril::tests {
namespace {

using cpu_backend::narrow_integer_products;

// Half of the numbers are the least or the largest of the dtype.
Tensor random_bytes(DType dtype, const Dims& dims, uint32_t seed) {
  const int least = dtype == DType::uint8 ? 0 : -128, largest = least + 255;
  std::mt19937 random(seed);
  std::vector<double> made(static_cast<size_t>(element_count(dims)));
  for (double& number : made) {
    const uint32_t drawn = random();
    number = drawn % 4 == 0   ? least
             : drawn % 4 == 1 ? largest
                              : least + static_cast<int>(drawn / 4 % 256);
  }
  return Tensor::of(dims, made).to(dtype);
}

class Product {
 public:
  ValueId input(const Tensor& tensor) {
    std::vector<Dim> dims(tensor.dims().begin(), tensor.dims().end());
    inputs_.push_back(tensor);
    const std::string name = fmt::format("x{}", inputs_.size());
    return graph_.add_input({name, std::move(dims), true, tensor.dtype()});
  }
  // Numbers of float64: `tensor` without `zero`, if there is one.
  ValueId wide(const Tensor& tensor, const Tensor* zero = nullptr) {
    const ValueId made = add("cast", {input(tensor), Datum(DType::float64)});
    if (!zero) return made;
    return add("subtract", {made, add("cast", {input(*zero), Datum(DType::float64)})});
  }
  ValueId constant(const Tensor& tensor) { return kept(tensor.to(DType::float64)); }
  ValueId kept(const Tensor& tensor) { return graph_.add_constant(next_name(), tensor); }
  ValueId add(const char* op, std::vector<Argument> arguments) {
    return graph_.add(find_op(op), std::move(arguments), next_name()).front();
  }
  // The outputs: the product, as int32, as float32, and as float32 through int32.
  void finish(ValueId product) {
    const ValueId as_int32 = add("cast", {product, Datum(DType::int32)});
    graph_.add_output("product", product);
    graph_.add_output("as_int32", as_int32);
    graph_.add_output("floats", add("cast", {product, Datum(DType::float32)}));
    const ValueId scaled = add("cast", {as_int32, Datum(DType::float32)});
    graph_.add_output("scaled", add("multiply", {scaled, Datum(0.25)}));
  }

  bool is_narrowed() const { return count("integer_") > 0; }
  // The nodes of ops whose names begin like this, after the rewrite.
  int64_t count(const char* op) const {
    const Graph made = narrow_integer_products(graph_);
    return std::count_if(made.nodes().begin(), made.nodes().end(),
                         [&](const Node& node) { return node.op->name.starts_with(op); });
  }
  void output(const char* name, ValueId id) { graph_.add_output(name, id); }
  // The first difference; empty if there is none.
  std::string difference() const {
    const std::vector<Tensor> expected = interpret(graph_, inputs_);
    for (const CpuSetting& setting : cpu_settings()) {
      const InstructionsLimit limit(setting.instructions);
      const std::vector<Tensor> got = load_with(setting, graph_)->run(inputs_);
      for (size_t i = 0; i < expected.size(); ++i) {
        const Tensor one = got[i].to(DType::float64), other = expected[i].to(DType::float64);
        const auto a = one.values<double>(), b = other.values<double>();
        if (one.dims() != other.dims() || !std::equal(a.begin(), a.end(), b.begin()))
          return graph_.outputs()[i].name + ", " + description(setting);
      }
    }
    return {};
  }

 private:
  std::string next_name() { return fmt::format("v{}", names_++); }

  Graph graph_;
  std::vector<Tensor> inputs_;
  int names_ = 0;
};

Tensor one_number(DType dtype, int value) { return Tensor::full(dtype, {}, value); }

struct ProductSizes {
  int64_t rows, columns, depth;
};

enum class RightOperand { constant, bytes, bytes_above_zero };

Product matrix_product(const ProductSizes& s, DType left, RightOperand right, bool has_zero) {
  Product product;
  const Tensor zero = one_number(left, left == DType::uint8 ? 255 : -128);
  const ValueId x =
      product.wide(random_bytes(left, {s.rows, s.depth}, 1), has_zero ? &zero : nullptr);
  const Tensor other = random_bytes(DType::int8, {s.depth, s.columns}, 2);
  const Tensor point = one_number(DType::int8, 127);
  const ValueId w = right == RightOperand::constant
                        ? product.constant(other)
                        : product.wide(other, right == RightOperand::bytes ? nullptr : &point);
  product.finish(product.add("matmul", {x, w}));
  return product;
}

struct WholeWindows {
  Dims input, weight;
  int64_t stride = 1, padding = 0, dilation = 1, groups = 1;
};

Product integer_convolution(const WholeWindows& w, DType dtype, bool has_bias) {
  Product product;
  const Tensor zero = one_number(dtype, 100);
  const ValueId x = product.wide(random_bytes(dtype, w.input, 1), &zero);
  const ValueId weight = product.constant(random_bytes(DType::int8, w.weight, 2));
  const Argument bias =
      has_bias ? Argument(product.constant(random_bytes(DType::int8, {w.weight.front()}, 3)))
               : Argument(Datum());
  product.finish(product.add("conv2d", {x, weight, bias, Datum(w.stride), Datum(w.padding),
                                        Datum(w.dilation), Datum(w.groups)}));
  return product;
}

}  // namespace

TEST_CASE("matrix products of 8-bit integers are exact") {
  for (const DType left : {DType::uint8, DType::int8}) {
    for (const RightOperand right :
         {RightOperand::constant, RightOperand::bytes, RightOperand::bytes_above_zero}) {
      for (const ProductSizes& s : {ProductSizes{1, 1, 1},
                                    {2, 15, 2},
                                    {6, 16, 3},
                                    {7, 17, 4},
                                    {14, 32, 5},
                                    {15, 33, 31},
                                    {1, 130, 513},
                                    {29, 65, 1030}}) {
        for (const bool has_zero : {false, true}) {
          const Product product = matrix_product(s, left, right, has_zero);
          CAPTURE(s.rows);
          CAPTURE(s.columns);
          CAPTURE(s.depth);
          CAPTURE(has_zero);
          CHECK(product.is_narrowed());
          CHECK(product.difference() == "");
        }
      }
    }
  }
}

TEST_CASE("products of empty matrices are zeros") {
  for (const RightOperand right : {RightOperand::constant, RightOperand::bytes}) {
    CHECK(matrix_product({3, 4, 0}, DType::uint8, right, true).difference() == "");
    CHECK(matrix_product({0, 4, 2}, DType::uint8, right, true).difference() == "");
    CHECK(matrix_product({3, 0, 2}, DType::uint8, right, true).difference() == "");
  }
}

TEST_CASE("batches of matrix products of 8-bit integers are exact") {
  for (const bool is_shared : {false, true}) {
    Product product;
    const ValueId x = product.wide(random_bytes(DType::uint8, {2, 3, 5, 7}, 1));
    const Dims dims = is_shared ? Dims{7, 6} : Dims{3, 7, 6};
    product.finish(
        product.add("matmul", {x, product.constant(random_bytes(DType::int8, dims, 2))}));
    CHECK(product.is_narrowed());
    CHECK(product.difference() == "");
  }
}

TEST_CASE("convolutions of 8-bit integers are exact") {
  const WholeWindows all[] = {{{1, 1, 1, 1}, {1, 1, 1, 1}},
                              {{2, 3, 5, 7}, {4, 3, 1, 1}},
                              {{1, 4, 9, 33}, {15, 4, 3, 3}, 1, 1},
                              {{1, 5, 8, 8}, {7, 5, 3, 2}, 2, 1},
                              {{2, 6, 9, 9}, {4, 3, 3, 3}, 1, 2, 2, 2},
                              {{1, 8, 6, 6}, {8, 1, 3, 3}, 1, 1, 1, 8},
                              {{1, 33, 4, 40}, {17, 33, 3, 3}, 1, 1},
                              {{1, 3, 2, 2}, {2, 3, 3, 3}, 1, 1}};
  for (const WholeWindows& windows : all) {
    for (const DType dtype : {DType::uint8, DType::int8}) {
      for (const bool has_bias : {false, true}) {
        const Product product = integer_convolution(windows, dtype, has_bias);
        CAPTURE(windows.input);
        CAPTURE(windows.weight);
        CHECK(product.is_narrowed());
        CHECK(product.difference() == "");
      }
    }
  }
}

TEST_CASE("a convolution adds a computed int32 bias, and the sums wrap") {
  Product product;
  const ValueId x = product.wide(random_bytes(DType::uint8, {2, 5, 6, 7}, 1));
  const ValueId weight = product.constant(random_bytes(DType::int8, {9, 5, 3, 3}, 2));
  const ValueId sums = product.add("conv2d", {x, weight});
  const ValueId as_int32 = product.add("cast", {sums, Datum(DType::int32)});
  std::vector<double> numbers(9, 2147483647.0);
  numbers.front() = -1;
  const ValueId bias = product.input(Tensor::of({9}, numbers).to(DType::int32));
  const ValueId channels = product.add("reshape", {bias, Datum::ints({1, 9, 1, 1})});
  const ValueId total = product.add("add", {as_int32, channels});
  product.output("total", total);
  product.output("floats", product.add("cast", {total, Datum(DType::float32)}));
  CHECK(product.count("add") == 0);
  CHECK(product.count("integer_conv2d") == 1);
  CHECK(product.difference() == "");
}

TEST_CASE("the zero points of 8-bit weights are subtracted") {
  for (const bool has_zero : {false, true}) {
    Product product;
    const ValueId x = product.wide(random_bytes(DType::uint8, {3, 11}, 1));
    const ValueId bytes = product.kept(random_bytes(DType::uint8, {11, 13}, 2));
    ValueId weight = product.add("cast", {bytes, Datum(DType::float64)});
    if (has_zero) {
      const ValueId zero = product.kept(one_number(DType::uint8, 128));
      weight =
          product.add("subtract", {weight, product.add("cast", {zero, Datum(DType::float64)})});
    }
    product.finish(product.add("matmul", {x, weight}));
    CHECK(product.count("subtract") == 0);
    CHECK(product.is_narrowed());
    CHECK(product.difference() == "");
  }
}

TEST_CASE("a convolution of an empty batch is empty") {
  CHECK(integer_convolution({{0, 3, 4, 4}, {2, 3, 3, 3}}, DType::uint8, false).difference() == "");
}

TEST_CASE("products whose sums may exceed int32, or of other numbers, stay float64") {
  const auto product_with = [](const Tensor& weight) {
    Product product;
    const ValueId x = product.wide(random_bytes(DType::uint8, {2, weight.dims().front()}, 1));
    product.finish(product.add("matmul", {x, product.constant(weight)}));
    return product;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(product_with(Tensor::full(DType::float64, {2, 3}, 32767)).is_narrowed());
  CHECK_FALSE(product_with(Tensor::full(DType::float64, {2, 3}, 32768)).is_narrowed());
  CHECK_FALSE(product_with(Tensor::full(DType::float64, {2, 3}, 0.5)).is_narrowed());
  CHECK_FALSE(product_with(Tensor::full(DType::float64, {2, 3}, nan)).is_narrowed());
  // 255 * 127 * 66,312 is above the largest int32.
  CHECK(product_with(Tensor::full(DType::float64, {66311, 1}, 127)).is_narrowed());
  const Product large = product_with(Tensor::full(DType::float64, {66312, 1}, 127));
  CHECK_FALSE(large.is_narrowed());
  CHECK(large.difference() == "");
}

}  // namespace mithril::tests
