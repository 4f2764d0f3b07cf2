// Functions of tensors for programs without Python.
#include "mithril/tensor/functions.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <sstream>

#include "tests/errors/text_of_error.hpp"

namespace mithril {
namespace {

Tensor counting(Dims dims, DType dtype = DType::float32) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < element_count(dims); ++i) values.push_back(static_cast<double>(i));
  return Tensor::of(std::move(dims), values).to(dtype);
}

std::string printed(const Tensor& tensor) {
  std::ostringstream stream;
  stream << tensor;
  return stream.str();
}

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE("a slice has the elements between its ends") {
  const Tensor x = counting({2, 5});
  CHECK(identical(slice(x, 0, 1, 2), Tensor::of<float>({1, 5}, {5, 6, 7, 8, 9})));
  CHECK(identical(slice(x, 1, 1, 4, 2), Tensor::of<float>({2, 2}, {1, 3, 6, 8})));
  CHECK(identical(slice(x, -1, 3, 100), Tensor::of<float>({2, 2}, {3, 4, 8, 9})));
  CHECK(identical(slice(x, -1, -5, -3), Tensor::of<float>({2, 2}, {0, 1, 5, 6})));
  CHECK(slice(x, 1, 4, 2).dims() == Dims{2, 0});
  CHECK(slice(counting({0, 3}), 1, 0, 2).dims() == Dims{0, 2});
}

TEST_CASE("a slice of any dtype has elements of its own") {
  for (const DType dtype : all_dtypes) {
    if (is_low_bit(dtype)) continue;
    const Tensor x = counting({3, 2}, dtype);
    Tensor row = slice(x, 0, 2, 3);
    CHECK(row.dtype() == dtype);
    CHECK(row.at_as_double(1) == x.at_as_double(5));
    CHECK(row.is_sole());
  }
}

TEST_CASE("argmax gives the first of the largest elements") {
  const Tensor x = Tensor::of<float>({2, 3}, {1, 7, 7, -1, -3, -2});
  CHECK(identical(argmax(x, -1), Tensor::of<std::int64_t>({2}, {1, 0})));
  CHECK(identical(argmax(x, 0), Tensor::of<std::int64_t>({3}, {0, 0, 0})));
  CHECK(argmax(Tensor::of<double>({4}, {1, not_a_number, 5, not_a_number}), 0).item() == 1);
  CHECK(argmax(Tensor::of<std::int64_t>({2}, {(1LL << 62), (1LL << 62) + 1}), 0).item() == 1);
  CHECK(argmax(counting({0, 3}), 1).dims() == Dims{0});
}

TEST_CASE("tensors compute element by element, and broadcast") {
  const Tensor x = counting({2, 3}), column = Tensor::of<float>({2, 1}, {10, 20});
  CHECK(identical(x + column, Tensor::of<float>({2, 3}, {10, 11, 12, 23, 24, 25})));
  CHECK(identical(column - x, Tensor::of<float>({2, 3}, {10, 9, 8, 17, 16, 15})));
  CHECK(identical(x * counting({3}), Tensor::of<float>({2, 3}, {0, 1, 4, 0, 4, 10})));
  CHECK(identical(Tensor::scalar(1.0f) / column, Tensor::of<float>({2, 1}, {0.1f, 0.05f})));
  CHECK(identical(-column, Tensor::of<float>({2, 1}, {-10, -20})));
  CHECK((counting({0, 3}) + counting({1, 3})).dims() == Dims{0, 3});
}

TEST_CASE("arithmetic of tensors has the wider dtype") {
  const Tensor ints = counting({2}, DType::int32), halves = counting({2}, DType::float16);
  CHECK((ints + counting({2}, DType::int64)).dtype() == DType::int64);
  CHECK((ints * halves).dtype() == DType::float16);
  CHECK((ints / ints).dtype() == DType::float64);
  CHECK((counting({2}, DType::boolean) + counting({2}, DType::boolean)).at_as_double(1) == 2);
  CHECK((halves + 0.5).dtype() == DType::float16);
  CHECK((ints + 1).dtype() == DType::int64);
  CHECK((2 * ints).at_as_double(1) == 2);
  CHECK((ints * 0.5).at_as_double(1) == 0.5);
  CHECK((1 - counting({2})).at_as_double(1) == 0);
  const Tensor most = Tensor::scalar(std::numeric_limits<std::int64_t>::max());
  CHECK((most + 1).values<std::int64_t>()[0] == std::numeric_limits<std::int64_t>::min());
}

TEST_CASE("equal compares dims and elements") {
  CHECK(equal(counting({2, 3}), counting({2, 3}, DType::int64)));
  CHECK_FALSE(equal(counting({2, 3}), counting({3, 2})));
  CHECK_FALSE(equal(counting({2}), Tensor::of<float>({2}, {0, 2})));
  CHECK_FALSE(equal(Tensor::scalar(not_a_number), Tensor::scalar(not_a_number)));
  CHECK(equal(Tensor::scalar(0.0), Tensor::scalar(-0.0)));
}

TEST_CASE("allclose allows for rounding") {
  const Tensor one = Tensor::scalar(1.0);
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(allclose(one, Tensor::scalar(1.0 + 9e-6)));
  CHECK_FALSE(allclose(one, Tensor::scalar(1.0 + 2e-5)));
  CHECK(allclose(one, Tensor::scalar(1.5), {.rtol = 0, .atol = 0.5}));
  CHECK_FALSE(allclose(Tensor::scalar(not_a_number), Tensor::scalar(not_a_number)));
  CHECK(allclose(Tensor::scalar(not_a_number), Tensor::scalar(not_a_number), {.equal_nan = true}));
  CHECK(allclose(Tensor::scalar(infinity), Tensor::scalar(infinity)));
  CHECK_FALSE(allclose(Tensor::scalar(infinity), Tensor::scalar(-infinity)));
  CHECK_FALSE(allclose(one, Tensor::scalar(infinity)));
  CHECK_FALSE(allclose(counting({2, 1}), counting({1, 2})));
}

TEST_CASE("a tensor prints its rows") {
  CHECK(printed(Tensor::scalar(1.5f)) == "float32[]\n1.5");
  CHECK(printed(counting({2, 3})) == "float32[2, 3]\n[[0, 1, 2],\n [3, 4, 5]]");
  CHECK(printed(counting({2, 1, 2}, DType::bfloat16)) ==
        "bfloat16[2, 1, 2]\n[[[0, 1]],\n [[2, 3]]]");
  CHECK(printed(counting({2}, DType::boolean)) == "bool[2]\n[false, true]");
  CHECK(printed(counting({2}, DType::uint8)) == "uint8[2]\n[0, 1]");
  CHECK(printed(counting({2}, DType::int16)) == "int16[2]\n[0, 1]");
  CHECK(printed(counting({0, 2})) == "float32[0, 2]\n[]");
  CHECK(printed(counting({9}, DType::int64)) == "int64[9]\n[0, 1, 2, ..., 6, 7, 8]");
}

TEST_CASE("functions of tensors name the argument that does not fit") {
  const Tensor x = counting({2, 3});
  CHECK(tests::text_of_error([&] { x + counting({2}); }) ==
        "mithril.ValueError[E0471]: the dims of the tensors do not broadcast\n"
        "  left  : float32[2, 3]\n"
        "  right : float32[2]");
  CHECK(tests::text_of_error([&] { argmax(x, 2); }) ==
        "mithril.ValueError[E0472]: the tensor has no axis 2\n"
        "  tensor : float32[2, 3]");
  CHECK(tests::text_of_error([&] { slice(x, 0, 0, 2, 0); }) ==
        "mithril.ValueError[E0473]: slice: the step is 1 or more\n"
        "  got : 0");
  CHECK(tests::text_of_error([&] {
          argmax(counting({2, 0}), 1);
        }) ==
        "mithril.ValueError[E0474]: argmax: axis 1 has no elements\n"
        "  tensor : float32[2, 0]");
}

}  // namespace mithril
