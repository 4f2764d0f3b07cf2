// Random elements by their index, the same wherever they are drawn.
#pragma once
#include <cstdint>
#include <string>

#include "mithril/op/eval_context.hpp"
#include "mithril/ops/shared/random_bits.hpp"
#include "mithril/ops/shared/row_blocks.hpp"
#include "mithril/ops/support/axes.hpp"
#include "mithril/ops/support/making.hpp"
#include "mithril/ops/support/moving.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

// The index of element i in the tensor whose elements are drawn.
struct WholeTensor {
  int64_t index_in_whole(int64_t i) const { return i; }
};
// The rows that an op draws, as its inputs first, total and axis state them.
inline RowBlocks drawn_rows(EvalContext& c) {
  const Dims& dims = c.out().dims();
  return RowBlocks(dims, axis_of(c.integer("axis"), dims.size()), c.read<int64_t>("first")[0],
                   c.read<int64_t>("total")[0]);
}

// Element i is draw(bits, index of i in the whole tensor).
template <typename Indices, typename Draw>
void draw_elements(EvalContext& c, const Indices& indices, const Draw& draw) {
  const RandomBits bits(c.read<int64_t>("key")[0]);
  c.typed([&](auto zero) {
    using T = decltype(zero);
    auto y = c.write<T>();
    for (int64_t i = 0; i < c.out().size(); ++i)
      y[i] = static_cast<T>(draw(bits, indices.index_in_whole(i)));
  });
}

// Uniform in [0, 1), of 24 bits: the precision of float32.
template <typename Indices>
void draw_uniform(EvalContext& c, const Indices& indices) {
  draw_elements(c, indices, [](const RandomBits& bits, int64_t index) {
    const uint64_t high = bits.at(index) >> 40;
    return static_cast<double>(high) * 0x1p-24;
  });
}

// Normal, with mean 0 and standard deviation 1.
template <typename Indices>
void draw_normal(EvalContext& c, const Indices& indices) {
  draw_elements(c, indices,
                [](const RandomBits& bits, int64_t index) { return bits.normal(index); });
}

// The rule of ops that draw ints.
inline bool solve_randint(Solver& s) {
  const bool filled = solve_filled(s, kind::int_tensor);
  const Datum *low = s.value("low"), *high = s.value("high");
  int64_t least = 0, past = 0;
  if (!low || !high || !s.number(low->dim(), least) || !s.number(high->dim(), past)) return false;
  if (least >= past)
    s.reject("there is no int to draw", "low below high",
             to_string(*low) + ", " + to_string(*high));
  return filled;
}

// Uniform in [low, high).
template <typename Indices>
void draw_ints(EvalContext& c, const Indices& indices) {
  const int64_t low = c.integer("low"), high = c.integer("high");
  if (low >= high) reject(c, "there is no int to draw", "low below high", std::to_string(high));
  const auto range = static_cast<double>(high - low);
  draw_elements(c, indices, [&](const RandomBits& bits, int64_t index) {
    return low + static_cast<int64_t>(bits.uniform(index) * range);
  });
}

}  // namespace mithril
