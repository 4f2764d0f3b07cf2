// Random numbers drawn by operators of torch, which run on any device.
#include "backends/torch/device/random_ops.hpp"

#include <ATen/ops/equal.h>
#include <ATen/ops/scalar_tensor.h>

#include <cstdint>

#include "mithril/ops/shared/random_bits.hpp"
#include "tests/torch_internal/doctest.hpp"

namespace mithril::tests {

using torch_backend::random_uniform_of_operators, torch_backend::random_uniform_on_cpu;
using torch_backend::random_uniform_rows_of_operators, torch_backend::random_uniform_rows_on_cpu;

TEST_CASE("random numbers have the same bits on every device") {
  for (const std::int64_t key : {std::int64_t{0}, std::int64_t{1}, std::int64_t{-7}, INT64_MIN}) {
    CAPTURE(key);
    const at::Tensor wide = at::scalar_tensor(key, at::kLong);
    for (const auto dtype : {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16}) {
      CAPTURE(c10::toString(dtype));
      for (const std::vector<int64_t>& size : {std::vector<int64_t>{}, {0, 4}, {7}, {3, 20000}}) {
        const at::Tensor expected = random_uniform_on_cpu(wide, size, dtype);
        const at::Tensor got = random_uniform_of_operators(wide, size, dtype);
        CHECK((got.scalar_type() == dtype));
        CHECK((got.sizes() == at::IntArrayRef(size)));
        CHECK(at::equal(got, expected));
      }
    }
  }
  const at::Tensor drawn =
      random_uniform_on_cpu(at::scalar_tensor(-7, at::kInt), {20000}, at::kFloat);
  const RandomBits bits(-7);
  for (const int64_t i : {0, 1, 4095, 4096, 19999})
    CHECK(drawn[i].item<double>() == static_cast<double>(bits.at(i) >> 40) * 0x1p-24);
  CHECK(at::equal(
      drawn, random_uniform_of_operators(at::scalar_tensor(-7, at::kInt), {20000}, at::kFloat)));
}

TEST_CASE("rows have the random numbers that they have in the whole tensor") {
  const at::Tensor key = at::scalar_tensor(-7, at::kLong), first = at::scalar_tensor(2, at::kLong);
  const at::Tensor whole = random_uniform_on_cpu(key, {5, 6, 7}, at::kFloat);
  for (const int64_t axis : {0, 1, 2}) {
    for (const int64_t count : {0, 1, 3}) {
      CAPTURE(axis);
      CAPTURE(count);
      const at::Tensor rows = whole.slice(axis, 2, 2 + count);
      const at::Tensor total = at::scalar_tensor(whole.size(axis), at::kLong);
      const auto size = rows.sizes();
      CHECK(at::equal(random_uniform_rows_on_cpu(key, first, total, axis, size, at::kFloat), rows));
      CHECK(at::equal(random_uniform_rows_of_operators(key, first, total, axis, size, at::kFloat),
                      rows));
    }
  }
}

}  // namespace mithril::tests
