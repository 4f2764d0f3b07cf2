// concat_grad: the gradient of concat for one input of unknown rank.
#include "mithril/ops/support/batching.hpp"
#include "mithril/ops/support/broadcasting.hpp"
#include "mithril/ops/support/joining.hpp"
#include "mithril/ops/support/moving.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/spelling.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

bool solve_concat_grad(Solver& s) {
  const bool joined = solve_joined(s, "like", "input");
  const Datum* part = s.value("part");
  int64_t number = 0;
  std::vector<Dim> dims;
  if (!part || !s.number(part->dim(), number)) return false;
  if (number < 0 || number >= s.count("like")) {
    s.reject("there is no part " + std::to_string(number),
             "0 to " + std::to_string(s.count("like") - 1), std::to_string(number));
  }
  if (!s.shape("like", dims, static_cast<int>(number))) return false;
  s.set_shape("output", dims);
  return joined;
}

// Rows of the part are `stride` elements apart in the concatenated tensor, and start after all
// parts before it.
void eval_concat_grad(EvalContext& c) {
  const bool flat = c.value("axis").is_none();
  const auto part = static_cast<int>(c.integer("part"));
  int64_t before = 0, stride = 0, width = 0;
  for (int k = 0; k < c.list_size(); ++k) {
    const Dims& dims = c.dims("like", k);
    const size_t axis = flat ? 0 : axis_of(c.integer("axis"), dims.size());
    const int64_t row = product(dims, axis, dims.size());
    if (k < part) before += row;
    if (k == part) width = row;
    stride += row;
  }
  const int64_t rows = width == 0 ? 0 : c.out().size() / width;
  if (rows * stride > c.in("input").size()) {
    reject(c, "the input is not a concat of these parts",
           std::to_string(rows * stride) + " elements", to_string(c.dims("input")));
  }
  c.typed([&](auto zero) {
    using T = decltype(zero);
    const auto x = c.read<T>("input");
    auto y = c.write<T>();
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t i = 0; i < width; ++i) y[r * width + i] = x[r * stride + before + i];
    }
  });
}

std::string spell_concat_grad(const SpellingContext& c) {
  const bool flat = c.value("axis").is_none();
  const Dims& whole = c.dims("input");
  const size_t axis = flat ? 0 : axis_of(c.integer("axis"), whole.size());
  const auto width = [&](int64_t part) {
    const Dims& dims = c.dims("like", static_cast<int>(part));
    return flat ? element_count(dims) : dims[axis];
  };
  int64_t before = 0;
  for (int64_t part = 0; part < c.integer("part"); ++part) before += width(part);
  const std::string part =
      spell_call("aten::narrow", {"input", spell_number(static_cast<int64_t>(axis)),
                                  spell_number(before), spell_number(width(c.integer("part")))});
  return flat ? spell_reshape(part, c.out()) : part;
}

void samples_of_concat_grad(SampleContext& c) {
  const SampleAxis at = c.in("input");
  const Datum& axis = c.value("axis");
  if (!at.is_each()) return c.put_all({});  // only `like` carries samples
  if (axis.is_none() || axis_of(axis.integer(), c.out().size()) == at.axis)
    return couple_along(c, at.axis);
  c.put(at);
}

void batch_concat_grad(BatchContext& c) {
  if (!c.value("axis").is_none()) {
    const size_t rank = c.rank("input");
    std::vector<Operand> operands{c.batched("input")};
    for (int k = 0; k < c.list_size(); ++k) operands.push_back(c.batched("like", k));
    operands.insert(operands.end(), {batched_axis(c.value("axis"), rank), c.value("part")});
    return c.become(call("concat_grad", std::move(operands)));
  }
  Dim start = 0;
  const auto part = static_cast<int>(c.value("part").integer());
  for (int k = 0; k < part; ++k) start = start + product(c.dims("like", k));
  const Dim stop = start + product(c.out_dims());
  const Expression row =
      call("slice", {c.batched("input"), Datum(Tuple{Datum(start)}), Datum(Tuple{Datum(stop)}),
                     Datum(), Datum(Tuple{Datum(1)})});
  c.become(c.reshaped(row, c.out_dims()));
}

}  // namespace

OpDef define_concat_grad() {
  return {
      .name = "concat_grad",
      .doc =
          "The gradient of concat: part number `part` of `input`, which has the shape of a concat "
          "of tensors shaped as `like`.",
      .internal = true,
      .inputs = {{"input", "*g", "T=any"},
                 list("like", "*each", "any"),
                 value("axis", "int|none"),
                 value("part", "int")},
      .outputs = {{"output", "*o", "T"}},
      .solve = solve_concat_grad,
      .eval = eval_concat_grad,
      .grad =
          [](GradContext& g) {
            std::vector<Operand> parts;
            for (int k = 0; k < g.list_size(); ++k) {
              parts.push_back(k == g.value("part").integer() ? g.out_grad()
                                                             : fill_like(g.in("like", k), 0));
            }
            parts.push_back(g.value("axis"));
            g.flow("input", call("concat", std::move(parts)));
          },
      .batch = batch_concat_grad,
      .samples = samples_of_concat_grad,
      .linear = {"input"},
      .spell = {{"jax", "concat_grad({input}, {like.shape}, {axis}, {part})"},
                {"onnx", "concat_grad(input, like.raw, axis, part)"},
                {"torch", "aten::narrow of the joined tensor", spell_concat_grad}},
  };
}

}  // namespace mithril
