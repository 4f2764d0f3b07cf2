// pad: with more elements at either end of each axis, or fewer.
#include <algorithm>

#include "mithril/ops/support/axes.hpp"
#include "mithril/ops/support/batching.hpp"
#include "mithril/ops/support/moving.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/sizes.hpp"
#include "mithril/ops/support/spelling.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

// The size after removing elements by negative widths at both ends.
Dim rest_of(const Dim& size, const Dim& before, const Dim& after) {
  const auto cut = [](const Dim& width) {
    const Dim now = resolve(width);
    return now.is_constant() && now.constant() < 0 ? now : Dim(0);
  };
  return resolve(size + cut(before) + cut(after));
}

Dim padded(Solver& s, const Datum& pair, const Dim& size) {
  const Tuple ends = items_of(pair);
  if (ends.size() != 2 || ends[0].kind() != kind::int_value || ends[1].kind() != kind::int_value)
    s.reject("a pad width is not a pair", "(before, after)", to_string(pair));
  const Dim rest = rest_of(size, ends[0].dim(), ends[1].dim());
  if (rest.is_constant() && rest.constant() < 0) {
    s.reject("a negative pad width leaves out more than there is",
             "at most " + to_string(resolve(size)), to_string(pair));
  }
  return ends[0].dim() + size + ends[1].dim();
}

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
  for (size_t i = 0; i < in.size(); ++i) out.push_back(padded(s, pairs[i], in[i]));
  s.set_shape("output", out);
  return true;
}

void eval_pad(EvalContext& c) {
  const Dims &in = c.dims("input"), &out = c.out().dims();
  const Dims from_steps = strides(in), to_steps = strides(out);
  const Tuple& pairs = c.value("pad_width").tuple();
  Dims rest = in;  // without the elements that negative widths remove
  int64_t from = 0, to = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    const int64_t before = pairs[i].tuple()[0].integer(), after = pairs[i].tuple()[1].integer();
    rest[i] += std::min<int64_t>(before, 0) + std::min<int64_t>(after, 0);
    if (rest[i] < 0 || before + in[i] + after != out[i]) {
      reject(c, "the pad widths do not fit", to_string(out), to_string(c.value("pad_width")));
    }
    from += std::max<int64_t>(-before, 0) * from_steps[i];
    to += std::max<int64_t>(before, 0) * to_steps[i];
  }
  std::vector<int64_t> sources;
  each_strided(rest, from_steps, from, [&](int64_t, int64_t at) { sources.push_back(at); });
  c.typed([&](auto zero) {
    using T = decltype(zero);
    const auto x = c.read<T>("input");
    auto y = c.write<T>();
    const T filler = c.read<T>("value")[0];
    const int64_t size = c.out().size();
    for (int64_t i = 0; i < size; ++i) y[i] = filler;
    each_strided(rest, to_steps, to,
                 [&](int64_t i, int64_t at) { y[at] = x[sources[static_cast<size_t>(i)]]; });
  });
}

// Pads with the opposite widths: added elements are removed, and removed ones come back as zeros.
// If nothing was removed this is a slice, for which backends have a kernel.
void grad_pad(GradContext& g) {
  Tuple starts, stops, widths;
  bool grows = true;
  for (const Datum& pair : g.value("pad_width").tuple()) {
    const Dim before = resolve(pair.tuple()[0].dim()), after = resolve(pair.tuple()[1].dim());
    for (const Dim& width : {before, after})
      grows = grows && width.is_constant() && width.constant() >= 0;
    starts.push_back(before);
    stops.push_back(after.is_constant(0) ? Datum() : Datum(Dim(0) - after));
    widths.push_back(Tuple{Dim(0) - before, Dim(0) - after});
  }
  const Expression dy = g.out_grad();
  g.flow("input", grows ? call("slice", {dy, Datum(starts), Datum(stops)})
                        : call("pad", {dy, Datum(widths)}));
}

std::string spell_pad(const SpellingContext& c) {
  Dims widths;
  const Tuple& pairs = c.value("pad_width").tuple();
  for (size_t i = pairs.size(); i-- > 0;) {
    for (const Datum& end : pairs[i].tuple()) widths.push_back(end.integer());
  }
  return spell_call("aten::constant_pad_nd", {"input", to_string(widths), "value"});
}

void samples_of_pad(SampleContext& c) {
  const SampleAxis at = c.in("input");
  const Tuple& widths = c.value("pad_width").tuple();
  const auto is_zero = [](const Datum& width) { return width.integer() == 0; };
  const Tuple& ends = widths[at.axis].tuple();
  if (!std::all_of(ends.begin(), ends.end(), is_zero)) return couple_along(c, at.axis);
  c.put(at);
}

void batch_pad(BatchContext& c) {
  Tuple widths = c.value("pad_width").tuple();
  widths.insert(widths.begin(), Datum::ints({0, 0}));
  c.become(call("pad", {c.in("input"), Datum(widths), c.value("value")}));
}

}  // namespace

OpDef define_pad() {
  return {
      .name = "pad",
      .doc =
          "Adds pad_width[i] = (before, after) elements, all equal to `value`, at the ends of axis "
          "i. A negative width removes elements.",
      .inputs = {{"input", "*s", "T=any"},
                 value("pad_width", "tuple"),
                 value("value", "bool|int|float", 0)},
      .outputs = {{"output", "*o", "T"}},
      .solve = solve_pad,
      .eval = eval_pad,
      .grad = grad_pad,
      .batch = batch_pad,
      .samples = samples_of_pad,
      .spell = {{"jax", "pad({input}, {pad_width}, {value})"},
                {"onnx", "pad(input, pad_width, value)"},
                {"torch", "aten::constant_pad_nd, with the widths flat and from the last axis on",
                 spell_pad},
                {"cpu", "pad(input, pad_width, value)"}},
  };
}

}  // namespace mithril
