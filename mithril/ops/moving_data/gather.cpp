// gather: elements along an axis, chosen by index.
#include "mithril/ops/support/batching.hpp"
#include "mithril/ops/support/gathering.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/spelling.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

// A number that is out of range is found before anything runs.
bool solve_gather(Solver& s) {
  if (!solve_gathered(s, "input", "output")) return false;
  if (s.form("index") != kind::value) return true;
  const Datum* index = s.value("index");
  int64_t axis = 0;
  std::vector<Dim> in;
  if (!index || !s.shape("input", in) || !s.number(s.value("axis")->dim(), axis)) return false;
  return check_number(s, index->dim(), in[axis_of(s, axis, in.size())]);
}

// torch does not count from the end.
std::string spell_gather(const SpellingContext& c) {
  const Dims& dims = c.dims("input");
  const size_t axis = axis_of(c.integer("axis"), dims.size());
  const std::string at = spell_number(static_cast<int64_t>(axis));
  if (!c.value("index").is_none()) return spell_call("aten::select", {"input", at, "index"});
  return spell_reshape(
      spell_call("aten::index_select", {"input", at, spell_flat_index(dims[axis])}), c.out());
}

void samples_of_gather(SampleContext& c) {
  const SampleAxis at = c.in("input"), index = c.in("index");
  const size_t axis = axis_of(c.value("axis").integer(), c.dims("input").size());
  if (c.is_number("index")) {
    // Sample i takes element i, which is its own.
    if (at == SampleAxis::along(axis) && c.dims("input")[axis] == c.batch())
      return c.put(SampleAxis::along(axis + index.axis, index.outer));
    return c.couple("it chooses by the number of the sample in the batch");
  }
  if (!at.is_each()) return c.put(SampleAxis::along(axis + index.axis, index.outer));
  if (index.is_each()) return c.couple("two axes that hold the samples meet");
  if (at.axis == axis) return couple_along(c, axis);
  const size_t chosen = c.out().size() + 1 - c.dims("input").size();  // axes of the index
  c.put(SampleAxis::along(at.axis < axis ? at.axis : at.axis - 1 + chosen, at.outer));
}

// Each index of the new axis chooses from its own tensor, in one row.
Expression gather_each(BatchContext& c, size_t axis) {
  const std::vector<Dim> dims = c.dims("input");
  const Expression front = moved_to_front(c.in("input"), axis + 1);  // [size of axis, batch, ...]
  const Expression rows = call("swapaxes", {front, 0, 1});
  const Dim count = product(c.dims("index"));
  std::vector<Dim> shape{count};
  shape.insert(shape.end(), dims.begin(), dims.end());
  shape.erase(shape.begin() + 1 + static_cast<std::ptrdiff_t>(axis));
  std::vector<Dim> column(shape.size(), Dim(1));
  column[0] = count;
  const Expression index =
      call("broadcast_to", {c.reshaped(c.in("index"), column), c.shape(shape)});
  const Expression taken = call("take_along_axis", {rows, index, 1});  // [batch, count, ...]
  Tuple order{Datum(0)};
  for (size_t i = 0; i < axis; ++i) order.push_back(Datum(static_cast<int64_t>(i) + 2));
  order.push_back(Datum(1));
  for (size_t i = axis + 2; i < shape.size() + 1; ++i)
    order.push_back(Datum(static_cast<int64_t>(i)));
  return c.reshaped(call("transpose", {taken, Datum(order)}), c.out_dims());
}

void batch_gather(BatchContext& c) {
  const size_t axis = axis_of(c.value("axis").integer(), c.rank("input"));
  const bool indices = c.has("index") && c.is_batched("index");
  if (indices && c.is_batched("input")) return c.become(gather_each(c, axis));
  if (!indices) {
    return c.become(
        call("gather", {c.in("input"), c.operand("index"), Datum(static_cast<int64_t>(axis) + 1)}));
  }
  c.become(moved_to_front(
      call("gather", {c.in("input"), c.in("index"), Datum(static_cast<int64_t>(axis))}), axis));
}

}  // namespace

OpDef define_gather() {
  return {
      .name = "gather",
      .doc =
          "Takes the elements of `input` at `index` along `axis`, as numpy.take. The dims of "
          "`index` replace the axis; an int removes it. Negative indices count from the end. An "
          "index out of range is an error.",
      .inputs = {{"input", "*s", "T=any"},
                 {"index", "*i", "int|value int"},
                 value("axis", "int", 0)},
      .outputs = {{"output", "*o", "T"}},
      .solve = solve_gather,
      .eval =
          [](EvalContext& c) {
            c.typed([&](auto zero) {
              using T = decltype(zero);
              const auto x = c.read<T>("input");
              auto y = c.write<T>();
              each_gathered(c, c.dims("input"), [&](int64_t row, int64_t at, int64_t inner) {
                for (int64_t i = 0; i < inner; ++i) y[row * inner + i] = x[at + i];
              });
            });
          },
      .grad =
          [](GradContext& g) {
            g.flow("input", call("scatter_add", {g.out_grad(), g.operand("index"), g.in("input"),
                                                 g.value("axis")}));
          },
      .batch = batch_gather,
      .samples = samples_of_gather,
      .linear = {"input"},
      .spell = {{"jax", "jnp.take({input}, {index}, axis={axis})"},
                {"onnx", "gather(input, index.raw, axis)"},
                {"torch", "aten::select of a number, aten::index_select of a tensor", spell_gather},
                {"cpu", "gather(input, index, axis)"}},
  };
}

}  // namespace mithril
