#include "mithril/passes/per_sample/windows.hpp"

#include "mithril/ops/support/window.hpp"

namespace mithril {
namespace {

// [n, groups, q * places, width] of [n, q, groups, width, places].
Expression as_rows(const Expression& x, int64_t groups) {
  const Dims dims = dims_of(x);
  const Expression rows = permuted(x, {0, 2, 1, 4, 3});
  const int64_t length = dims[1] * dims[4];
  return reshaped(
      rows, groups == 1 ? Dims{dims[0], length, dims[3]} : Dims{dims[0], groups, length, dims[3]});
}

// One axis of the window.
struct Axis {
  int64_t stride, before, after, dilation;
  int64_t end(int64_t start, int64_t count) const { return start + (count - 1) * stride + 1; }
};

Axis axis_of_window(const SampleCopy& copy, NodeId id, size_t axis) {
  const auto [before, after] = padding_of(copy.value(id, "padding"), axis, 2);
  return {per_axis(copy.value(id, "stride"), axis).integer(), resolve(before).constant(),
          resolve(after).constant(), per_axis(copy.value(id, "dilation"), axis).integer()};
}

Tuple pair(int64_t a, int64_t b) { return {Datum(a), Datum(b)}; }

}  // namespace

Expression rows_of_windows(const Expression& grad, int64_t groups) {
  const Dims dims = dims_of(grad);
  return as_rows(reshaped(grad, {dims[0], dims[1], groups, dims[2] / groups, dims[3] * dims[4]}),
                 groups);
}

Expression columns_of_windows(SampleCopy& copy, NodeId id) {
  const Expression lifted = copy.lifted(id, "input");
  const Dims in = dims_of(lifted), out = copy.dims(copy.argument(id, "grad"));
  const Dims& kernel = copy.dims(copy.node(id).outputs.front());
  const int64_t images = in[0] * in[1], groups = copy.value(id, "groups").integer();
  const Axis down = axis_of_window(copy, id, 0), across = axis_of_window(copy, id, 1);
  Expression x = reshaped(lifted, {images, in[2], in[3], in[4]});
  if (down.before || down.after || across.before || across.after) {
    x = call("pad", {x, Datum(Tuple{pair(0, 0), pair(0, 0), pair(down.before, down.after),
                                    pair(across.before, across.after)})});
  }
  std::vector<Expression> taps;
  for (int64_t h = 0; h < kernel[2] * down.dilation; h += down.dilation) {
    for (int64_t w = 0; w < kernel[3] * across.dilation; w += across.dilation) {
      const Expression tap =
          call("slice",
               {x, Datum::ints({h, w}), Datum::ints({down.end(h, out[2]), across.end(w, out[3])}),
                Datum::ints({down.stride, across.stride}), Datum::ints({2, 3})});
      taps.push_back(reshaped(tap, {images, in[2], 1, out[2] * out[3]}));
    }
  }
  return as_rows(
      reshaped(joined(taps, 2),
               {in[0], in[1], groups, in[2] / groups * kernel[2] * kernel[3], out[2] * out[3]}),
      groups);
}

Expression weight_grads(SampleCopy& copy, NodeId id) {
  const Expression grad = copy.lifted(id, "grad"), input = copy.lifted(id, "input");
  const Dims dy = dims_of(grad), x = dims_of(input);
  const Dims& weight = copy.dims(copy.node(id).outputs.front());
  const int64_t n = dy[0], images = dy[1];
  // Sample i, image q as group i of image q.
  const Expression grads = reshaped(images == 1 ? grad : permuted(grad, {1, 0, 2, 3, 4}),
                                    {images, n * dy[2], dy[3], dy[4]});
  const Expression inputs = reshaped(images == 1 ? input : permuted(input, {1, 0, 2, 3, 4}),
                                     {images, n * x[2], x[3], x[4]});
  const Expression like = call_in(
      grad, "full",
      {Datum::ints({n * weight[0], weight[1], weight[2], weight[3]}), 0.0, Datum(grad.dtype())});
  const Expression made =
      call("conv2d_weight_grad",
           {grads, inputs, like, copy.value(id, "stride"), copy.value(id, "padding"),
            copy.value(id, "dilation"), Datum(n * copy.value(id, "groups").integer())});
  return reshaped(made, {n, weight[0], weight[1], weight[2], weight[3]});
}

}  // namespace mithril
