// pad: with more elements at either end of each axis.
#include "mithril/ops/support/axes.hpp"
#include "mithril/ops/support/moving.hpp"
#include "mithril/ops/support/sizes.hpp"
#include "mithril/ops/support/spelling.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

bool solve_pad(Solver& s) {
  const Datum* widths = s.value("pad_width");
  if (!widths) return false;
  const Tuple& pairs = widths->tuple();
  std::vector<Dim> in, out;
  if (!s.shape("input", in)) {
    in = fresh_dims(s, pairs.size());
    s.set_shape("input", in);
  }
  if (pairs.size() != in.size()) {
    s.reject("the pad widths do not fit rank " + std::to_string(in.size()),
             std::to_string(in.size()) + " pairs", to_string(*widths));
  }
  for (size_t i = 0; i < in.size(); ++i) {
    const std::vector<Dim> ends = dims_of(s, pairs[i]);
    if (ends.size() != 2)
      s.reject("a pad width is not a pair", "(before, after)", to_string(pairs[i]));
    out.push_back(ends[0] + in[i] + ends[1]);
  }
  s.set_shape("output", out);
  return true;
}

void eval_pad(EvalContext& c) {
  const Dims &in = c.dims("input"), &out = c.out().dims(), steps = strides(out);
  const Tuple& pairs = c.value("pad_width").tuple();
  int64_t start = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    const int64_t before = pairs[i].tuple()[0].integer(), after = pairs[i].tuple()[1].integer();
    if (before < 0 || after < 0 || before + in[i] + after != out[i]) {
      reject(c, "the pad widths do not fit", to_string(out), to_string(c.value("pad_width")));
    }
    start += before * steps[i];
  }
  c.typed([&](auto zero) {
    using T = decltype(zero);
    const auto x = c.read<T>("input");
    T* y = c.write<T>();
    const T filler = c.read<T>("value")[0];
    for (int64_t i = 0; i < c.out().size(); ++i) y[i] = filler;
    each_strided(in, steps, start, [&](int64_t i, int64_t at) { y[at] = x[i]; });
  });
}

// Where the input ends within the output: from the end, unless what follows may be nothing.
Datum end_of(const Dim& before, const Dim& after, const Expression& input, size_t axis) {
  const Dim width = resolve(after);
  if (width.is_constant(0)) return Datum();
  if (width.is_constant()) return Dim(0) - width;
  if (input.ranked()) return before + input.dims()[axis];
  raise({.kind = ErrorKind::gradient,
         .code = "E0503",
         .path = input.value().name,
         .message = "pad: the gradient needs the rank of 'input', or a pad_width of numbers",
         .help = "state the shape of the input, with None for sizes that vary"});
}

void grad_pad(GradContext& g) {
  Tuple starts, stops;
  for (const Datum& pair : g.value("pad_width").tuple()) {
    const Dim before = pair.tuple()[0].dim(), after = pair.tuple()[1].dim();
    stops.push_back(end_of(before, after, g.in("input"), starts.size()));
    starts.push_back(before);
  }
  g.flow("input", call("slice", {g.out_grad(), Datum(starts), Datum(stops)}));
}

std::string spell_pad(const SpellingContext& c) {
  Dims widths;
  const Tuple& pairs = c.value("pad_width").tuple();
  for (size_t i = pairs.size(); i-- > 0;) {
    for (const Datum& end : pairs[i].tuple()) widths.push_back(end.integer());
  }
  return spell_call("aten::constant_pad_nd", {"input", to_string(widths), "value"});
}

}  // namespace

OpDef define_pad() {
  return {
      .name = "pad",
      .doc =
          "With pad_width[i] = (before, after) more elements at the ends of axis i, all of them "
          "`value`.",
      .inputs = {{"input", "*s", "T=any"},
                 value("pad_width", "tuple"),
                 value("value", "bool|int|float", 0)},
      .outputs = {{"output", "*o", "T"}},
      .solve = solve_pad,
      .eval = eval_pad,
      .grad = grad_pad,
      .operations = no_arithmetic,
      .spell = {{"torch", "aten::constant_pad_nd, with the widths flat and from the last axis on",
                 spell_pad},
                {"c", "unsupported: a loop nest"}},
  };
}

}  // namespace mithril
