// Making, sharing, reshaping and printing tensors.
#include "mithril/tensor/tensor.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/errors/foreign_tensor.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril {

using tests::text_of_error;

namespace {

constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();

}  // namespace

TEST_CASE("a tensor of any dtype starts as zeros") {
  for (const DType dtype : all_dtypes) {
    const Tensor tensor(dtype, {2, 3});
    CHECK(tensor.size() == 6);
    CHECK(tensor.bytes() == 6 * size_of(dtype));
    if (dtype == DType::float8_e8m0fnu) continue;  // has no zero
    for (std::int64_t i = 0; i < 6; ++i) CHECK(tensor.at_as_double(i) == 0.0);
  }
}

TEST_CASE("elements are aligned to 64 bytes") {
  for (const std::int64_t size : {1, 3, 1000}) {
    const Tensor tensor = Tensor::empty(DType::float64, {size});
    CHECK(reinterpret_cast<std::uintptr_t>(tensor.raw_data()) % 64 == 0);
  }
}

TEST_CASE("a default tensor has no elements") {
  const Tensor tensor;
  CHECK(tensor.dtype() == DType::float32);
  CHECK(tensor.dims() == Dims{0});
  CHECK(tensor.values<float>().empty());
}

TEST_CASE("a tensor without elements can be copied, converted and reshaped") {
  const Tensor tensor(DType::int32, {3, 0});
  CHECK(tensor.bytes() == 0);
  CHECK(identical(tensor.copy(), tensor));
  CHECK(tensor.to(DType::float16).dims() == Dims{3, 0});
  CHECK(tensor.reshape({0, 7}).dims() == Dims{0, 7});
}

TEST_CASE("a scalar has rank 0 and one element") {
  const Tensor tensor = Tensor::scalar(2.5);
  CHECK(tensor.dtype() == DType::float64);
  CHECK(tensor.rank() == 0);
  CHECK(tensor.size() == 1);
  CHECK(tensor.item() == 2.5);
}

TEST_CASE("values fill a tensor in row-major order") {
  const Tensor tensor = Tensor::of<std::int32_t>({2, 2}, {1, 2, 3, 4});
  CHECK(tensor.dtype() == DType::int32);
  CHECK(tensor.data<std::int32_t>()[2] == 3);
  CHECK(tensor.at_as_double(3) == 4.0);
}

TEST_CASE("booleans fill a tensor too") {
  const Tensor tensor = Tensor::of<bool>({3}, {true, false, true});
  CHECK(tensor.values<bool>()[0]);
  CHECK(!tensor.values<bool>()[1]);
}

TEST_CASE("full converts its value to the dtype") {
  CHECK(Tensor::full(DType::int32, {2}, -1.75).at_as_double(1) == -1.0);
  CHECK(Tensor::full(DType::boolean, {1}, 0.5).item() == 1.0);
  CHECK(Tensor::full(DType::float16, {1}, 1e6).item() == std::numeric_limits<double>::infinity());
}

TEST_CASE("a tensor is made of vectors, arrays and spans") {
  const std::vector<float> numbers{1, 2, 3, 4};
  CHECK(identical(Tensor::of(numbers), Tensor::of<float>({4}, {1, 2, 3, 4})));
  CHECK(identical(Tensor::of({2, 2}, numbers), Tensor::of<float>({2, 2}, {1, 2, 3, 4})));
  CHECK(identical(Tensor::of(std::span(numbers).subspan(1, 2)), Tensor::of<float>({2}, {2, 3})));
  CHECK(identical(Tensor::of(std::array<std::int8_t, 2>{-128, 127}),
                  Tensor::of<std::int8_t>({2}, {-128, 127})));
  CHECK(
      identical(Tensor::of(std::vector<bool>{true, false}), Tensor::of<bool>({2}, {true, false})));
  const std::int64_t exact[] = {(1LL << 53) + 1};
  CHECK(Tensor::of(exact).values<std::int64_t>()[0] == 9007199254740993);
  CHECK_THROWS_AS(Tensor::of({3}, numbers), ValueError);
}

TEST_CASE("a tensor of zeros, ones or random numbers has the dims and the dtype") {
  for (const DType dtype : all_dtypes) {
    CHECK(identical(Tensor::zeros({2, 3}, dtype), Tensor(dtype, {2, 3})));
    CHECK(identical(Tensor::ones({2, 3}, dtype), Tensor::full(dtype, {2, 3}, 1)));
  }
  const Tensor drawn = Tensor::randn({4, 500}, 3, DType::float64);
  double sum = 0, squares = 0;
  for (const double number : drawn.values<double>()) {
    sum += number;
    squares += number * number;
  }
  CHECK(std::abs(sum / 2000) < 0.1);
  CHECK(std::abs(squares / 2000 - 1) < 0.1);
  CHECK(identical(Tensor::randn({4, 500}, 3), drawn.to(DType::float32)));
  CHECK(!identical(Tensor::randn({4, 500}, 4), drawn.to(DType::float32)));
}

TEST_CASE("one dim of reshape may be left open") {
  const Tensor tensor = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  CHECK(tensor.reshape({-1}).dims() == Dims{6});
  CHECK(tensor.reshape({3, -1}).dims() == Dims{3, 2});
  CHECK(tensor.reshape({3, 2}).raw_data() == tensor.raw_data());
  CHECK(tensor.contiguous().raw_data() == tensor.raw_data());
  CHECK(text_of_error([&] {
          tensor.reshape({4, -1});
        }) ==
        "mithril.ValueError[E0485]: a tensor keeps its number of elements when reshaped\n"
        "  dims   : [4, -1]\n"
        "  tensor : 6");
  CHECK_THROWS_AS(tensor.reshape({-1, -1}), ValueError);
  CHECK_THROWS_AS(Tensor(DType::float32, {0}).reshape({0, -1}), ValueError);
}

TEST_CASE("copies of a tensor share its elements") {
  Tensor tensor(DType::float32, {2});
  const Tensor shared = tensor;
  tensor.mutable_data<float>()[0] = 5.0F;
  CHECK(shared.data<float>()[0] == 5.0F);
}

TEST_CASE("copy() separates the elements") {
  Tensor tensor(DType::float32, {2});
  const Tensor separate = tensor.copy();
  tensor.mutable_values<float>()[0] = 5.0F;
  CHECK(separate.data<float>()[0] == 0.0F);
}

TEST_CASE("reshaping shares the elements") {
  Tensor tensor = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor reshaped = tensor.reshape({3, 2});
  tensor.mutable_data<float>()[5] = 7.0F;
  CHECK(reshaped.dims() == Dims{3, 2});
  CHECK(reshaped.data<float>()[5] == 7.0F);
}

TEST_CASE("converting to the same dtype gives new elements") {
  const Tensor tensor(DType::float32, {2});
  CHECK(tensor.to(DType::float32).raw_data() != tensor.raw_data());
}

TEST_CASE("borrowed elements live as long as their owner is needed") {
  auto owner = std::make_shared<double>(4.0);
  const std::weak_ptr<double> watched = owner;
  Tensor tensor = Tensor::borrow(DType::float64, {}, owner.get(), owner);
  owner.reset();
  CHECK(tensor.item() == 4.0);
  CHECK(!watched.expired());
  tensor = Tensor();
  CHECK(watched.expired());
}

TEST_CASE("elements borrowed from const cannot be written") {
  const float element = 1.0F;
  Tensor tensor = Tensor::borrow(DType::float32, {1}, &element, nullptr);
  CHECK(tensor.read_only());
  CHECK(tensor.reshape({}).read_only());
  CHECK(!tensor.copy().read_only());
  CHECK(text_of_error([&] { tensor.mutable_data<float>(); }) ==
        "mithril.ValueError[E0483]: a float32 tensor of dims [1] is read-only: its elements are "
        "borrowed\n  help: write to its copy()");
}

TEST_CASE("null is borrowed for no elements only") {
  CHECK(text_of_error([] {
          Tensor::borrow(DType::float32, {2, 3}, static_cast<void*>(nullptr), nullptr);
        }) ==
        "mithril.ValueError[E0482]: the values do not fill the dims\n"
        "  expected : 6 elements of float32, for the dims [2, 3]\n"
        "  got      : a null pointer\n"
        "  help: give a pointer to elements that live as long as their owner");
  CHECK_THROWS_AS(Tensor::borrow(DType::boolean, {}, static_cast<const void*>(nullptr), nullptr),
                  ValueError);
  const Tensor empty = Tensor::borrow(DType::float32, {0, 3}, static_cast<void*>(nullptr), nullptr);
  CHECK(empty.copy().size() == 0);
}

TEST_CASE("borrowed bools with other bytes than 0 and 1 are copied with 1 for each") {
  unsigned char bytes[] = {0, 1, 2, 255};
  const Tensor odd = Tensor::borrow(DType::boolean, {4}, bytes, nullptr);
  CHECK(std::memcmp(odd.raw_data(), "\0\1\1\1", 4) == 0);
  CHECK(bytes[3] == 255);  // borrowed elements are not written to
  CHECK(!odd.read_only());
  const unsigned char* fixed = bytes;
  CHECK(Tensor::borrow(DType::boolean, {4}, fixed, nullptr).read_only());
  const Tensor clean = Tensor::borrow(DType::boolean, {2}, bytes, nullptr);
  CHECK(clean.raw_data() == bytes);
}

TEST_CASE("a copy of elements of another library can be written") {
  Tensor tensor = tests::foreign_tensor();
  CHECK(tensor.read_only());
  Tensor copy = tensor.copy();
  copy.mutable_data<float>()[0] = 5.0F;
  CHECK(identical(copy, Tensor::of<float>({2}, {5, 2})));
}

TEST_CASE("reading as another type is refused") {
  const Tensor tensor(DType::float32, {1});
  CHECK(text_of_error([&] { tensor.data<bool>(); }) ==
        "mithril.TypeError[E0380]: the elements of a float32 tensor were read as bool\n"
        "  help: convert it first: to(DType::boolean)");
}

TEST_CASE("the values of a temporary tensor outlive it") {
  const auto values = Tensor::of({3}, std::vector<double>{1, 2, 3}).values<double>();
  static_assert(std::is_same_v<decltype(values), const std::vector<double>>);
  CHECK(values == std::vector<double>{1, 2, 3});
  CHECK(Tensor(DType::float32, {0}).values<float>().empty());
  const Tensor kept = Tensor::of({2}, std::vector<float>{1, 2});
  static_assert(std::is_same_v<decltype(kept.values<float>()), std::span<const float>>);
}

TEST_CASE("values of another number than the dims are refused") {
  CHECK(text_of_error([] {
          Tensor::of<float>({2, 3}, {1, 2});
        }) ==
        "mithril.ValueError[E0482]: the values do not fill the dims\n"
        "  dims   : [2, 3]   6 elements\n"
        "  values : 2");
}

TEST_CASE("reshaping to another number of elements is refused") {
  CHECK(text_of_error([] {
          Tensor(DType::float32, {6}).reshape({4, 2});
        }) ==
        "mithril.ValueError[E0485]: a tensor keeps its number of elements when reshaped\n"
        "  dims   : [4, 2]   8 elements\n"
        "  tensor : 6");
}

TEST_CASE("reshaping leaves at most one dim open") {
  CHECK(text_of_error([] {
          Tensor(DType::float32, {6}).reshape({-1, -1});
        }) ==
        "mithril.ValueError[E0485]: a tensor keeps its number of elements when reshaped\n"
        "  dims   : [-1, -1]\n"
        "  tensor : 6\n"
        "  help: leave at most one dim open (-1)");
}

TEST_CASE("a negative dim is refused") {
  CHECK(text_of_error([] {
          Tensor(DType::float32, {2, -1});
        }) ==
        "mithril.ValueError[E0480]: a tensor cannot have the dims [2, -1]\n"
        "  help: give dims that are zero or more");
}

TEST_CASE("dims whose product overflows are refused") {
  CHECK(
      text_of_error([] {
        element_count({huge, 2});
      }) ==
      "mithril.ValueError[E0481]: a tensor of dims [9223372036854775807, 2] has more elements than "
      "64 bits can count the bytes of");
  CHECK_THROWS_AS(element_count({std::int64_t{1} << 31, std::int64_t{1} << 31}), ValueError);
}

TEST_CASE("a dim of zero makes the count zero whatever the others are") {
  CHECK(element_count({huge, huge, 0}) == 0);
  CHECK(element_count({}) == 1);
}

TEST_CASE("item() of more than one element is refused") {
  CHECK(text_of_error([] { Tensor(DType::float32, {2}).item(); }) ==
        "mithril.ValueError[E0484]: item() needs one element, but the dims are [2]");
}

TEST_CASE("an index outside a tensor is a bug of ours") {
  CHECK_THROWS_AS(Tensor(DType::float32, {2}).at_as_double(2), InternalError);
}

TEST_CASE("identical compares dtype, dims and bits") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(identical(Tensor::scalar(nan), Tensor::scalar(nan)));
  CHECK(!identical(Tensor::scalar(0.0F), Tensor::scalar(-0.0F)));
  CHECK(!identical(Tensor(DType::int32, {2}), Tensor(DType::float32, {2})));
  CHECK(!identical(Tensor(DType::int32, {2}), Tensor(DType::int32, {2, 1})));
}

TEST_CASE("a tensor prints its dtype, dims and first elements") {
  CHECK(to_string(Tensor::of<float>({2, 2}, {1, 2.5, -3, 0})) == "float32[2, 2] {1, 2.5, -3, 0}");
  CHECK(to_string(Tensor::of<bool>({2}, {true, false})) == "bool[2] {true, false}");
  CHECK(to_string(Tensor::scalar(bfloat16(0.5))) == "bfloat16[] {0.5}");
  CHECK(to_string(Tensor(DType::int64, {13})) ==
        "int64[13] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, ...}");
  CHECK(to_string(Tensor()) == "float32[0] {}");
  CHECK(to_string(Tensor::of<std::int8_t>({2}, {-128, 65})) == "int8[2] {-128, 65}");
  CHECK(to_string(Tensor::of<std::int16_t>({2}, {-32768, 32767})) == "int16[2] {-32768, 32767}");
  CHECK(to_string(Tensor::of<std::uint8_t>({2}, {65, 255})) == "uint8[2] {65, 255}");
}

}  // namespace mithril
