#include "backends/torch/device/random_ops.hpp"

#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/bitwise_right_shift.h>
#include <ATen/ops/bitwise_xor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/floor_divide.h>
#include <torch/library.h>

#include <algorithm>
#include <numeric>

#include "mithril/ops/shared/random_bits.hpp"
#include "mithril/ops/shared/row_blocks.hpp"

namespace mithril::torch_backend {
namespace {

constexpr int64_t grain_size = 4096;

// x ^ (x >> count) of unsigned numbers: the shift of int64 repeats the sign.
at::Tensor xor_shifted(const at::Tensor& x, int64_t count) {
  const int64_t without_sign = static_cast<int64_t>(~uint64_t{0} >> count);
  return at::bitwise_right_shift(x, count).bitwise_and_(without_sign).bitwise_xor_(x);
}

// The mixing function of SplitMix64, as in RandomBits.
at::Tensor mixed(const at::Tensor& x) {
  constexpr auto golden = static_cast<int64_t>(0x9e3779b97f4a7c15u);
  constexpr auto first = static_cast<int64_t>(0xbf58476d1ce4e5b9u);
  constexpr auto second = static_cast<int64_t>(0x94d049bb133111ebu);
  const at::Tensor once = xor_shifted(x.add(golden), 30).mul_(first);
  return xor_shifted(xor_shifted(once, 27).mul_(second), 31);
}

int64_t count_of(at::IntArrayRef size) {
  return std::accumulate(size.begin(), size.end(), int64_t{1}, std::multiplies<>());
}

// The numbers of the elements with these indices: index_of(0), index_of(1), ...
template <typename IndexOf>
at::Tensor uniform_on_cpu(const at::Tensor& key, const IndexOf& index_of, at::IntArrayRef size,
                          c10::ScalarType dtype) {
  const RandomBits bits(key.item<int64_t>());
  at::Tensor made = at::empty(size, at::TensorOptions(dtype));
  AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, dtype, "random_uniform", [&] {
    auto* elements = made.mutable_data_ptr<scalar_t>();
    at::parallel_for(0, made.numel(), grain_size, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const auto high = static_cast<float>(bits.at(index_of(i)) >> 40);  // 24 bits, as float32
        elements[i] = static_cast<scalar_t>(high * 0x1p-24F);
      }
    });
  });
  return made;
}

// The number of each element of `indices`.
at::Tensor uniform_at(const at::Tensor& indices, const at::Tensor& key, at::IntArrayRef size,
                      c10::ScalarType dtype) {
  constexpr int64_t bits = 24;
  at::Tensor drawn = mixed(at::bitwise_xor(mixed(indices), mixed(key.to(at::kLong))));
  drawn = drawn.bitwise_right_shift_(64 - bits).bitwise_and_((int64_t{1} << bits) - 1);
  return drawn.to(at::kFloat).mul_(0x1p-24).to(dtype).view(size);
}

at::Tensor indices_of(at::IntArrayRef size, const at::Tensor& like) {
  return at::arange(count_of(size), at::TensorOptions(at::kLong).device(like.device()));
}

}  // namespace

at::Tensor random_uniform_on_cpu(const at::Tensor& key, at::IntArrayRef size,
                                 c10::ScalarType dtype) {
  return uniform_on_cpu(
      key, [](int64_t i) { return i; }, size, dtype);
}

at::Tensor random_uniform_of_operators(const at::Tensor& key, at::IntArrayRef size,
                                       c10::ScalarType dtype) {
  return uniform_at(indices_of(size, key), key, size, dtype);
}

at::Tensor random_uniform_rows_on_cpu(const at::Tensor& key, const at::Tensor& first,
                                      const at::Tensor& total, int64_t axis, at::IntArrayRef size,
                                      c10::ScalarType dtype) {
  const RowBlocks blocks({size.data(), size.size()}, static_cast<size_t>(axis),
                         first.item<int64_t>(), total.item<int64_t>());
  return uniform_on_cpu(
      key, [&](int64_t i) { return blocks.index_in_whole(i); }, size, dtype);
}

at::Tensor random_uniform_rows_of_operators(const at::Tensor& key, const at::Tensor& first,
                                            const at::Tensor& total, int64_t axis,
                                            at::IntArrayRef size, c10::ScalarType dtype) {
  const int64_t of_row = count_of(size.slice(static_cast<size_t>(axis) + 1));
  const int64_t rows = size[static_cast<size_t>(axis)], block = std::max<int64_t>(rows * of_row, 1);
  const at::Tensor gap = total.to(at::kLong).sub(rows).mul_(of_row);
  const at::Tensor indices = indices_of(size, key), start = first.to(at::kLong).mul(of_row);
  const at::Tensor blocks = at::floor_divide(indices, block);
  return uniform_at(blocks.mul_(gap).add_(indices).add_(start), key, size, dtype);
}

}  // namespace mithril::torch_backend

TORCH_LIBRARY_FRAGMENT(mithril, library) {
  library.def("random_uniform(Tensor key, int[] size, ScalarType dtype) -> Tensor");
  library.impl("random_uniform", c10::DispatchKey::CPU,
               &mithril::torch_backend::random_uniform_on_cpu);
  library.impl("random_uniform", c10::DispatchKey::CompositeExplicitAutograd,
               &mithril::torch_backend::random_uniform_of_operators);
  library.def(
      "random_uniform_rows(Tensor key, Tensor first, Tensor total, int axis, int[] size, "
      "ScalarType dtype) -> Tensor");
  library.impl("random_uniform_rows", c10::DispatchKey::CPU,
               &mithril::torch_backend::random_uniform_rows_on_cpu);
  library.impl("random_uniform_rows", c10::DispatchKey::CompositeExplicitAutograd,
               &mithril::torch_backend::random_uniform_rows_of_operators);
}
