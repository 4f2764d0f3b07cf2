// indexer: x[...] of a tensor, written as slice, gather and expand_dims, or of a tuple, folded.
#include "mithril/ops/support/gathering.hpp"
#include "mithril/ops/support/indexing.hpp"
#include "mithril/ops/support/slicing.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

bool solve_tuple(Solver& s, const IndexItems& items) {
  const Datum* input = s.value("input");
  if (!input) return false;
  const Tuple& tuple = input->tuple();
  if (items.size() != 1 || !(items[0].kind() & (kind::int_value | kind::slice))) {
    s.reject(
        "a tuple takes one int or slice as its index", "an int or a slice",
        items.size() == 1 ? to_string(items[0].value) : std::to_string(items.size()) + " items");
  }
  const auto size = static_cast<int64_t>(tuple.size());
  const Datum& index = items[0].value;
  if (index.kind() == kind::slice) {
    if (!SliceCount(s, index.slice(), Dim(size)).run()) return false;
    const ItemRange range = range_of(index.slice(), size);
    Tuple taken;
    for (int64_t i = 0; i < range.count; ++i)
      taken.push_back(tuple[static_cast<size_t>(range.start + i * range.step)]);
    s.set_value("output", Datum(taken));
    return true;
  }
  int64_t number = 0;
  if (!s.number(index.dim(), number)) return false;
  check_index(s, number, size);
  s.set_value("output", tuple[axis_of(number, tuple.size())]);
  return true;
}

// The part of an axis that a slice selects.
struct TakenSlice {
  Slice slice;
  Dim size, count;
};

bool solve_tensor(Solver& s, const IndexItems& items) {
  std::vector<Dim> in, out, index;
  if (!s.shape("input", in)) return false;
  check_index(s, items, in.size());
  std::vector<TakenSlice> slices;
  bool done = true;
  auto axis = in.begin();
  for (const IndexItem& item : complete(items, in.size())) {
    const Kinds kind = item.kind();
    if (kind == kind::int_tensor) {
      if (!s.shape("index", index, item.tensor)) return false;
      out.insert(out.end(), index.begin(), index.end());
    } else if (kind == kind::none) {
      out.push_back(1);
    } else if (kind == kind::slice) {
      out.push_back(s.fresh());
      slices.push_back({item.value.slice(), *axis, out.back()});
    } else {
      done = check_number(s, item.value.dim(), *axis) && done;
    }
    if (item.takes_axis()) ++axis;
  }
  s.set_shape("output", out);
  for (const auto& [slice, size, count] : slices) {
    done = solve_slice_count(s, slice, size, count) && done;
  }
  return done;
}

// A value with axes is a tensor.
Kinds form_of_input(Solver& s) {
  std::vector<Dim> dims;
  if (s.shape("input", dims) && !dims.empty()) s.narrow("input", kind::tensor);
  return s.form("input");
}

bool solve_indexer(Solver& s) {
  const Kinds form = form_of_input(s);
  const auto items = read_index(s);
  if (!form || !items) return false;
  if (form == kind::value) return solve_tuple(s, *items);
  s.same_type("input", "output");
  return solve_tensor(s, *items);
}

struct PlacedItem {
  IndexItem item;
  int64_t axis;
};

// The items in the order in which they are applied, from the ellipsis outwards. Items before the
// ellipsis count axes from the start, items after it from the end, so the rank need not be known,
// and an item does not change the numbers of the axes of later items.
std::vector<PlacedItem> placed(const IndexItems& items) {
  const auto dots = std::find_if(items.begin(), items.end(), [](const IndexItem& item) {
    return item.kind() == kind::ellipsis;
  });
  std::vector<PlacedItem> result;
  int64_t axis = 0;
  for (auto item = items.begin(); item != dots; ++item) {
    result.push_back({*item, axis});
    axis += item->takes_axis();
  }
  std::reverse(result.begin(), result.end());
  if (dots == items.end()) return result;
  axis = -static_cast<int64_t>(axes_taken({dots + 1, items.end()}));
  for (auto item = dots + 1; item != items.end(); ++item) {
    result.push_back({*item, item->kind() == kind::none ? axis - 1 : axis});
    axis += item->takes_axis();
  }
  return result;
}

// Applies all slices together, without those that select everything.
Expression apply_slices(const Expression& x, const std::vector<PlacedItem>& items) {
  Tuple starts, stops, steps, axes;
  for (const auto& [item, axis] : items) {
    if (item.kind() != kind::slice) continue;
    const auto& [start, stop, step] = item.value.slice();
    if (start.is_none() && stop.is_none() && step.is_none()) continue;
    starts.push_back(start);
    stops.push_back(stop);
    steps.push_back(step);
    axes.push_back(axis);
  }
  if (axes.empty()) return x;
  return call("slice", {x, Datum(starts), Datum(stops), Datum(steps), Datum(axes)});
}

void expand_indexer(ExpandContext& c) {
  IndexItems given;
  for (int k = 0; k < c.list_size(); ++k) {
    given.push_back(c.has("index", k) ? IndexItem{Datum(), k} : IndexItem{c.value("index", k)});
  }
  const std::vector<PlacedItem> items = placed(spread(std::move(given)));
  Expression x = apply_slices(c.in("input"), items);
  for (const auto& [item, axis] : items) {
    const Kinds kind = item.kind();
    if (kind == kind::int_tensor) x = call("gather", {x, c.in("index", item.tensor), Datum(axis)});
    if (kind == kind::int_value) x = call("gather", {x, item.value, Datum(axis)});
    if (kind == kind::none) x = call("expand_dims", {x, Datum(axis)});
  }
  c.become(x);
}

}  // namespace

OpDef define_indexer() {
  return {
      .name = "indexer",
      .doc =
          "input[...] by NumPy's rules, with ints, slices, None, an ellipsis and at most one "
          "tensor of ints. A tuple is indexed by one int or one slice. Ints and a tensor with a "
          "slice or None between them are an error, because NumPy and PyTorch disagree about them. "
          "Sizes of slices are inferred as for `slice`.",
      .inputs = {{"input", "*s", "any|value tuple"},
                 list("index", "*each", "int|value int|slice|none|ellipsis|tuple")},
      .outputs = {{"output", "*o", "any|value any"}},
      .solve = solve_indexer,
      .expand = expand_indexer,
      .dtype_from = "input",
  };
}

}  // namespace mithril
