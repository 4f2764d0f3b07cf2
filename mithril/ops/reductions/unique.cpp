// The distinct elements of a tensor.
#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "mithril/ops/support/moving.hpp"
#include "mithril/ops/support/sizes.hpp"
#include "mithril/ops/support/spelling.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

bool solve_unique(Solver& s) {
  const Datum* size = s.value("size");
  if (size) s.set("count", dims_of(s, *size).front());
  return size;
}

// The order of numbers, with NaN after them.
template <typename T>
bool stands_before(T a, T b) {
  return a < b || (a == a && b != b);
}

void eval_unique(EvalContext& c) {
  c.typed([&](auto zero) {
    using T = decltype(zero);
    const auto x = c.read<T>("input");
    std::vector<T> sorted(x.begin(), x.end());
    std::sort(sorted.begin(), sorted.end(), stands_before<T>);
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    const auto found = static_cast<int64_t>(sorted.size()), size = c.out().size();
    if (found > size || (found == 0 && size > 0)) {
      reject(c, "the distinct elements do not fit the size",
             found == 0 ? "size 0, where there is no element"
                        : "a size of " + std::to_string(found) + " or more",
             std::to_string(size));
    }
    auto y = c.write<T>();
    for (int64_t i = 0; i < size; ++i) y[i] = sorted[static_cast<size_t>(std::min(i, found - 1))];
  });
}

// Scatters each element to the index of its value among the distinct ones, over the largest.
std::string spell_unique(const SpellingContext& c) {
  if (element_count(c.dims("input")) == 0) {
    return element_count(c.out()) == 0 ? "aten::reshape(input, [0])"
                                       : "unsupported: there is no element";
  }
  const std::string flat = "aten::reshape(input, [-1])";
  const std::string largest = spell_call(
      "aten::expand", {spell_call("aten::amax", {flat, "0", "True"}), to_string(c.out())});
  const std::string places = "aten::_unique2(" + flat + ", True, True)[1]";
  return spell_call("aten::scatter", {largest, "0", places, flat});
}

}  // namespace

OpDef define_unique() {
  return {
      .name = "unique",
      .doc =
          "The distinct elements of `input` in ascending order. NaNs are last; each of them counts "
          "as distinct. `size` is the size of the output, since sizes are known before the graph "
          "runs. Fewer distinct elements are followed by copies of the last one; more are an "
          "error.",
      .inputs = {{"input", "*s", "T=any"}, value("size", "int")},
      .outputs = {{"output", "count", "T"}},
      .solve = solve_unique,
      .eval = eval_unique,
      .not_differentiable = "which elements are equal changes in jumps",
      .integers = IntegerUse::order,
      .spell = {{"jax", "unique({input}, {size})"},
                {"torch", "aten::_unique2, scattered over the largest", spell_unique}},
  };
}

}  // namespace mithril
