// The rows of check_op: inputs of an op and the expected results.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "mithril/infer/datum.hpp"
#include "mithril/tensor/tensor.hpp"

namespace mithril::check {

// An input tensor: dims, dtype and distribution; each seed gives other elements. The dtype is
// float64, except for integers() (int64) and booleans(); `.as(DType::float32)` changes it.
struct TensorSpec {
  enum class Fill : std::uint8_t { normal, uniform, distinct, integers, booleans, values };

  Dims dims;
  Fill fill = Fill::normal;
  DType dtype = DType::float64;
  double low = 0, high = 1;        // of uniform; of integers, high excluded
  std::vector<double> avoid = {};  // all elements differ from these by at least `gap`
  double gap = 0;
  std::vector<double> values = {};  // the same for every seed

  TensorSpec as(DType other) const;
  // Keeps the elements off the points where the op is not smooth: normal({3}).away_from({0}).
  TensorSpec away_from(std::vector<double> points, double distance = 0.1) const;
};

TensorSpec normal(Dims dims);  // of mean 0 and variance 1
TensorSpec uniform(Dims dims, double low, double high);
TensorSpec positive(Dims dims);  // uniform between 0.5 and 2
TensorSpec distinct(Dims dims);  // in random order, no two nearer than 0.1: for max, sorting
TensorSpec integers(Dims dims, std::int64_t low, std::int64_t high);  // high excluded
TensorSpec booleans(Dims dims);
TensorSpec tensor(Dims dims, std::vector<double> values);  // in row-major order

// One item of a port: a tensor or a value.
using Item = std::variant<TensorSpec, Datum>;

// The content of a port, given or expected: {"input", normal({2, 3})}, {"axis", -1},
// {"padding", "same"}, {"axes", ints({0, 1})}, {"bias", None{}},
// {"inputs", list({normal({2}), normal({3})})}.
struct PortContent {
  std::vector<Item> items;
  bool list = false;

  PortContent(TensorSpec spec);
  template <std::convertible_to<Datum> T>
  PortContent(T value) : PortContent(Item(Datum(std::move(value)))) {}
  PortContent(Item item);
  explicit PortContent(std::vector<Item> items);
};
using PortContents = std::vector<std::pair<std::string, PortContent>>;

PortContent list(std::vector<Item> items);
Datum ints(const std::vector<std::int64_t>& numbers);  // a tuple of ints

// One row: an op with its inputs. Omitted ports have their defaults.
struct OpCase {
  // A claim or a description, unique among the op's rows: "same padding, even kernel".
  std::string name;
  PortContents inputs = {};

  // Expected outputs, worked out by hand; other outputs are not compared.
  PortContents expect = {};
  // How far from `expect` an element may be, relative to max(1, |expected|).
  double tolerance = 1e-12;

  // The code of the expected error ("E0301") and a part of its text. The text must name the op,
  // too.
  std::string error = {};
  std::string message = {};

  // Float inputs whose gradients are not compared, because the op is not smooth at the values of
  // this row.
  std::vector<std::string> hold = {};
  // Why float32, float16 and bfloat16 cannot be close to float64 here, such as a discontinuity;
  // empty: they can.
  std::string only_float64 = {};
  // Why the output's dims do not follow from symbolic dims of the inputs; empty: they do.
  std::string sizes_unknown = {};
};

}  // namespace mithril::check
