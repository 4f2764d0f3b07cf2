// scatter_add: adds elements at the indices from which gather takes them.
#include "mithril/ops/support/batching.hpp"
#include "mithril/ops/support/gathering.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/spelling.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

namespace {

std::string spell_scatter_add(const SpellingContext& c) {
  const Dims& dims = c.out();
  const size_t axis = axis_of(c.integer("axis"), dims.size());
  const std::string at = spell_number(static_cast<int64_t>(axis));
  if (!c.value("index").is_none()) {
    return spell_call("aten::select_backward", {"input", to_string(dims), at, "index"});
  }
  Dims flat = dims;
  flat[axis] = product(c.dims("index"), 0, c.dims("index").size());
  return spell_call("aten::index_add",
                    {spell_call("aten::zeros", {to_string(dims)}), at, spell_flat_index(dims[axis]),
                     spell_reshape("input", flat)});
}

void samples_of_scatter_add(SampleContext& c) {
  const SampleAxis at = c.in("input"), index = c.in("index");
  const size_t axis = axis_of(c.value("axis").integer(), c.out().size());
  const size_t chosen = c.dims("input").size() + 1 - c.out().size();  // axes of the index
  if (c.is_number("index")) {
    const bool own = at == SampleAxis::along(axis + index.axis, index.outer);
    if (own && c.out()[axis] == c.batch()) return c.put(SampleAxis::along(axis));
    return c.couple("it chooses by the number of the sample in the batch");
  }
  if (at.is_each() && at.axis >= axis && at.axis < axis + chosen) {
    const bool meet = index.is_each() && SampleAxis::along(axis + index.axis, index.outer) == at;
    return meet ? c.add_up() : c.couple("its input and its index do not hold the same samples");
  }
  if (!at.is_each()) return c.couple("it adds up samples times values that belong to none");
  if (index.is_each()) return c.couple("two axes that hold the samples meet");
  c.put(SampleAxis::along(at.axis < axis ? at.axis : at.axis + 1 - chosen, at.outer));
}

// Each index of the new axis has its own indices: all elements of a tensor are scattered along the
// axis, which comes first.
Expression scatter_each(BatchContext& c, size_t axis) {
  const size_t chosen = c.rank("index");
  const std::vector<Dim> whole = c.out_dims();
  std::vector<Dim> rest = whole;
  rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(axis));
  // [batch, indices, the other axes]
  Tuple order{Datum(0)};
  const auto at = [](size_t i) { return Datum(static_cast<int64_t>(i)); };
  for (size_t i = 0; i < chosen; ++i) order.push_back(at(1 + axis + i));
  for (size_t i = 0; i < axis; ++i) order.push_back(at(1 + i));
  for (size_t i = axis; i < rest.size(); ++i) order.push_back(at(1 + chosen + i));
  std::vector<Dim> shape{product(c.dims("index"))};
  shape.insert(shape.end(), rest.begin(), rest.end());
  const Expression source =
      c.reshaped(call("transpose", {c.batched("input"), Datum(order)}), shape);
  std::vector<Dim> column(shape.size(), Dim(1));
  column[0] = shape[0];
  const Expression index =
      call("broadcast_to", {c.reshaped(c.batched("index"), column), c.shape(shape)});
  std::vector<Dim> into = rest;
  into.insert(into.begin(), whole[axis]);
  const Expression zeros = call_in(source, "zeros", {c.shape(into), Datum(source.dtype())});
  const Expression sums = call("scatter", {zeros, index, source, 1, Datum("add")});
  Tuple back{Datum(0)};
  for (size_t i = 0; i < axis; ++i) back.push_back(at(2 + i));
  back.push_back(Datum(1));
  for (size_t i = axis + 1; i < whole.size(); ++i) back.push_back(at(1 + i));
  return call("transpose", {sums, Datum(back)});
}

void batch_scatter_add(BatchContext& c) {
  const size_t axis = axis_of(c.value("axis").integer(), c.rank("like"));
  if (c.has("index") && c.is_batched("index")) return c.become(scatter_each(c, axis));
  c.become(call("scatter_add", {c.batched("input"), c.operand("index"), c.batched("like"),
                                Datum(static_cast<int64_t>(axis) + 1)}));
}

}  // namespace

OpDef define_scatter_add() {
  return {
      .name = "scatter_add",
      .doc =
          "The gradient of gather: adds each element of `input` to zeros in the shape of `like`, "
          "at the place from which `gather` takes it.",
      .internal = true,
      .inputs = {{"input", "*g", "T=number"},
                 {"index", "*i", "int|value int"},
                 {"like", "*s", "any"},
                 value("axis", "int", 0)},
      .outputs = {{"output", "*s", "T"}},
      .solve = [](Solver& s) { return solve_gathered(s, "like", "input"); },
      .eval =
          [](EvalContext& c) {
            c.typed([&](auto zero) {
              using T = decltype(zero);
              const auto x = c.read<T>("input");
              auto y = c.write<T>();
              each_gathered(c, c.out().dims(), [&](int64_t row, int64_t at, int64_t inner) {
                for (int64_t i = 0; i < inner; ++i) y[at + i] += x[row * inner + i];
              });
            });
          },
      .grad =
          [](GradContext& g) {
            g.flow("input", call("gather", {g.out_grad(), g.operand("index"), g.value("axis")}));
          },
      .batch = batch_scatter_add,
      .samples = samples_of_scatter_add,
      .linear = {"input"},
      .integers = IntegerUse::bits,
      .spell = {{"jax", "scatter_add({input}, {index}, {like.shape}, {axis})"},
                {"onnx", "scatter_add(input, index.raw, like.shape, axis)"},
                {"torch", "aten::select_backward of a number, aten::index_add of a tensor",
                 spell_scatter_add},
                {"cpu", "scatter_add(input, index, like, axis)"}},
  };
}

}  // namespace mithril
