// The items of an index x[...]: read, checked, and one for each axis.
#pragma once
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mithril/infer/datum.hpp"
#include "mithril/op/solver.hpp"

namespace mithril {

// A slice, an int, None (a new axis) or an ellipsis; or the int tensor at this place of the port.
struct IndexItem {
  Datum value;
  int tensor = -1;
  Kinds kind() const { return tensor >= 0 ? kind::int_tensor : value.kind(); }
  bool takes_axis() const { return kind() & (kind::int_tensor | kind::int_value | kind::slice); }
};
using IndexItems = std::vector<IndexItem>;

// A tuple alone at the port is the whole index.
inline IndexItems spread(IndexItems items) {
  if (items.size() != 1 || items[0].kind() != kind::tuple) return items;
  IndexItems spread;
  for (const Datum& item : items[0].value.tuple()) spread.push_back({item});
  return spread;
}

// None if an item is not known yet.
inline std::optional<IndexItems> read_index(Solver& s) {
  IndexItems items;
  for (int k = 0; k < s.count("index"); ++k) {
    const Kinds form = s.form("index", k);
    const Datum* value = form == kind::value ? s.value("index", k) : nullptr;
    if (form != kind::tensor && !value) return std::nullopt;
    items.push_back(value ? IndexItem{*value} : IndexItem{Datum(), k});
  }
  return spread(std::move(items));
}

inline size_t axes_taken(const IndexItems& items) {
  return static_cast<size_t>(
      std::count_if(items.begin(), items.end(), [](const IndexItem& i) { return i.takes_axis(); }));
}

// Rejects invalid indices for a tensor of that rank. Separated ints are refused, because NumPy
// moves the tensor's axes to the front in this case, and PyTorch does not.
inline void check_index(Solver& s, const IndexItems& items, size_t rank) {
  size_t ellipses = 0, tensors = 0, picks = 0, first = 0, last = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    const Kinds kind = items[i].kind();
    if (!items[i].takes_axis() && !(kind & (kind::none | kind::ellipsis))) {
      s.reject("this is not an index of a tensor",
               "ints, slices, None, an ellipsis, a tensor of ints", to_string(items[i].value));
    }
    ellipses += kind == kind::ellipsis;
    tensors += kind == kind::int_tensor;
    if (!(kind & (kind::int_tensor | kind::int_value))) continue;
    if (picks++ == 0) first = i;
    last = i;
  }
  if (ellipses > 1)
    s.reject("an index has more than one ellipsis", "one", std::to_string(ellipses));
  if (tensors > 1)
    s.reject("an index has more than one tensor", "one, or an index each", std::to_string(tensors));
  if (axes_taken(items) > rank) {
    s.reject("too many indices for rank " + std::to_string(rank),
             std::to_string(rank) + " or fewer", std::to_string(axes_taken(items)));
  }
  if (tensors == 1 && last - first + 1 != picks) {
    s.reject("an index has ints apart from its tensor", "ints beside the tensor, or an index each",
             "a slice or None between");
  }
}

// One item for each axis, and None for new axes; axes without an item are taken completely.
inline IndexItems complete(const IndexItems& items, size_t rank) {
  const IndexItems whole(rank - axes_taken(items), {Datum(Slice{})});
  IndexItems result;
  bool placed = false;
  for (const IndexItem& item : items) {
    if (item.kind() != kind::ellipsis) {
      result.push_back(item);
      continue;
    }
    result.insert(result.end(), whole.begin(), whole.end());
    placed = true;
  }
  if (!placed) result.insert(result.end(), whole.begin(), whole.end());
  return result;
}

}  // namespace mithril
