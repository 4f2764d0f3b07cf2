// arange: numbers in equal steps.
#include <algorithm>
#include <cmath>

#include "mithril/ops/support/arithmetic.hpp"
#include "mithril/ops/support/making.hpp"
#include "mithril/ops/support/moving.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/slicing.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

// Infers the size for ints: the number of start, start + step, ... before stop. max(0, ...) is not
// a Dim, so the size is unknown while the sign of the span is.
bool count_ints(Solver& s, const Dim& start, const Dim& stop, const Dim& step) {
  int64_t stride = 0;
  if (!s.number(step, stride)) return false;
  if (stride == 0) s.reject("the step is 0", "another step", "0");
  const Dim span = resolve(stride > 0 ? stop - start : start - stop);
  if (is_size(resolve(Dim(0) - span))) {
    s.set("count", 0);
  } else if (is_size(span)) {
    s.set("count", steps_in(span, stride));
  } else {
    return s.await(span);
  }
  return true;
}

bool solve_arange(Solver& s) {
  const Datum *start = s.value("start"), *stop = s.value("stop"), *step = s.value("step");
  if (!start || !stop || !step) return false;
  const bool real = is_float(*start) || is_float(*stop) || is_float(*step);
  const bool decided = solve_dtype(s, real ? kind::float_tensor : kind::int_tensor);
  if (!real) return count_ints(s, start->dim(), stop->dim(), step->dim()) && decided;
  const auto from = real_of(s, *start), to = real_of(s, *stop), by = real_of(s, *step);
  if (!from || !to || !by) return false;
  const double count = std::ceil((*to - *from) / *by);
  if (!(count < 9e18))
    s.reject("the range has no end", "a step that reaches stop", to_string(*step));
  s.set("count", static_cast<int64_t>(std::max(count, 0.0)));
  return decided;
}

// 0, 1, ..., batch - 1 are the numbers of the samples.
void samples_of_arange(SampleContext& c) {
  const Datum &start = c.value("start"), &step = c.value("step");
  const bool counts = !is_float(start) && !is_float(step) && start.integer() == 0 &&
                      step.integer() == 1 && c.out()[0] == c.batch();
  if (counts) c.offer({.kind = SampleAxis::Kind::each, .numbers = true});
  samples_by_place(c);
}

}  // namespace

OpDef define_arange() {
  return {
      .name = "arange",
      .doc =
          "start, start + step, ..., up to but excluding stop. The dtype is an int if all three "
          "are ints and `dtype` is None. The size stays unknown until it is known whether stop is "
          "beyond start.",
      .inputs = {value("stop", "int|float"), value("start", "int|float", 0),
                 value("step", "int|float", 1), value("dtype", "dtype|none", Datum())},
      .outputs = {{"output", "count", "int|float"}},
      .solve = solve_arange,
      .eval =
          [](EvalContext& c) {
            const Datum &start = c.value("start"), &step = c.value("step");
            const bool real = is_float(start) || is_float(step);
            c.typed([&](auto zero) {
              using T = decltype(zero);
              auto y = c.write<T>();
              for (int64_t i = 0; i < c.out().size(); ++i) {
                if (real) {
                  y[i] = static_cast<T>(start.real() + static_cast<double>(i) * step.real());
                } else {
                  y[i] = static_cast<T>(start.integer() + i * step.integer());
                }
              }
            });
          },
      .not_differentiable = "it has no tensor among its inputs",
      .dtype_from = "dtype",
      .samples = samples_of_arange,
      .spell = {{"jax",
                 "({start} + {step} * jnp.arange({output.shape}[0])).astype({output.dtype})"},
                {"onnx", "arange(start, step, output.shape)"},
                {"torch", "aten::arange(start, stop, step)"}},
  };
}

}  // namespace mithril
