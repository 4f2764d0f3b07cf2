// tile: copies of a tensor beside each other.
#include <algorithm>

#include "mithril/ops/support/expanding.hpp"
#include "mithril/ops/support/sizes.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

// Ones before the shorter of both.
void align(std::vector<Dim>& dims, std::vector<Dim>& repeats) {
  const size_t rank = std::max(dims.size(), repeats.size());
  dims.insert(dims.begin(), rank - dims.size(), 1);
  repeats.insert(repeats.begin(), rank - repeats.size(), 1);
}

bool solve_tile(Solver& s) {
  const Datum* given = s.value("repeats");
  if (!given) return false;
  std::vector<Dim> repeats = dims_of(s, *given), dims;
  if (!s.shape("input", dims)) return false;
  align(dims, repeats);
  for (size_t i = 0; i < dims.size(); ++i) dims[i] = dims[i] * repeats[i];
  s.set_shape("output", dims);
  return true;
}

std::vector<Dim> repeats_of(ExpandContext& e) {
  std::vector<Dim> repeats;
  for (const Datum& item : items_of(e.value("repeats"))) repeats.push_back(item.dim());
  return repeats;
}

// A new axis before each that is repeated, which is broadcast and merged with it.
Expression tiled(const Expression& x, std::vector<Dim> repeats) {
  std::vector<Dim> dims = x.dims(), apart, wide, merged;
  align(dims, repeats);
  for (size_t i = 0; i < dims.size(); ++i) {
    merged.push_back(dims[i] * repeats[i]);
    if (!repeats[i].is_constant(1)) {
      apart.push_back(1);
      wide.push_back(repeats[i]);
    }
    apart.push_back(dims[i]);
    wide.push_back(dims[i]);
  }
  if (apart.size() == merged.size()) return reshaped(x, merged);  // repeated once
  return reshaped(broadcast(reshaped(x, apart), wide), merged);
}

// Ones with an axis for each number give the tensor as many axes at least.
Expression tiled_without_rank(const Expression& x, const std::vector<Dim>& repeats) {
  const Datum shape(Tuple(repeats.size(), Datum(1)));
  const Expression ones = call_in(x, "ones", {shape, Datum(x.dtype())});
  Expression result = call(x.dtype() == DType::boolean ? "logical_and" : "multiply", {x, ones});
  for (size_t i = 0; i < repeats.size(); ++i) {
    const auto axis = static_cast<int64_t>(i) - static_cast<int64_t>(repeats.size());
    if (!repeats[i].is_constant(1)) result = copies(result, repeats[i], axis, "tile");
  }
  return result;
}

void expand_tile(ExpandContext& e) {
  const Expression x = e.in("input");
  const std::vector<Dim> repeats = repeats_of(e);
  e.become(x.ranked() ? tiled(x, repeats) : tiled_without_rank(x, repeats));
}

}  // namespace

OpDef define_tile() {
  return {
      .name = "tile",
      .doc =
          "Repeats the whole tensor `repeats` times along each axis, as numpy.tile and torch.tile: "
          "[a, b] with 2 gives [a, b, a, b]. Axes are counted from the last one; if `repeats` has "
          "more items, the output has more axes. `repeat` repeats each element.",
      .inputs = {{"input", "*s", "T=any"}, value("repeats", "int|tuple")},
      .outputs = {{"output", "*o", "T"}},
      .solve = solve_tile,
      .expand = expand_tile,
  };
}

}  // namespace mithril
