// A maker for each op, by its class: Relu(), Softmax({.axis = 1}).
// Made by tools/make_op_headers from the records; do not edit.
// clang-format off
#pragma once
#include <string>

#include "mithril/models/op_options.hpp"

namespace mithril {

// Names that mithril itself declares (Embedding with its options, the struct Slice) stand before
// these. An option that is left out has its default; one without a default stays an input.
namespace makers {

// The input itself: a tensor or a value. Ports: input: [*s] T, output: [*s] T.
inline Model Buffer() { return Model::op("buffer"); }

struct WatchOptions {
  int64_t hook = -1;
  int64_t gradient_hook = -1;
};
// The input itself, shown to hook number `hook` of a compiled model, and its gradient to number
// `gradient_hook`; -1: to none. Ports: input: [*s] T, hook: value int, gradient_hook: value int,
// output: [*s] T.
inline Model Watch(const WatchOptions& options = {}) {
  return op_with_options("watch", {
    {"hook", options.hook},
    {"gradient_hook", options.gradient_hook}});
}

// The input; no gradient passes it. Ports: input: [*s] T=any, output: [*s] T.
inline Model StopGradient() { return Model::op("stop_gradient"); }

// left + right. Of two bools: whether any is true. Ports: left: [*a] T=operand, right: [*b]
// U=operand, output: [*o] promote(T, U).
inline Model Add() { return Model::op("add"); }

// left - right; not of two bools. Ports: left: [*a] T=operand, right: [*b] U=operand, output: [*o]
// promote(T, U).
inline Model Subtract() { return Model::op("subtract"); }

// left * right, element by element. Of two bools: whether both are true. Ports: left: [*a]
// T=operand, right: [*b] U=operand, output: [*o] promote(T, U).
inline Model Multiply() { return Model::op("multiply"); }

// numerator / denominator; of ints a float too. Ports: numerator: [*a] operand, denominator: [*b]
// operand, output: [*o] operand.
inline Model Divide() { return Model::op("divide"); }

// The quotient rounded down, as Python's //: (numerator - remainder(numerator, denominator)) /
// denominator, which is not floor(numerator / denominator) where that quotient is rounded up (1 //
// 0.1 is 9); an int for ints; not of two bools. Ports: numerator: [*a] T=operand, denominator:
// [*b] U=operand, output: [*o] promote(T, U).
inline Model FloorDivide() { return Model::op("floor_divide"); }

// What a division rounded down leaves, as Python's %: fmod(numerator, denominator), plus
// denominator where that has the other sign; an int for ints; not of two bools. Ports: numerator:
// [*a] T=operand, denominator: [*b] U=operand, output: [*o] promote(T, U).
inline Model Remainder() { return Model::op("remainder"); }

struct PowerOptions {
  bool robust = false;
  OptionValue threshold = none;  // float, none
};
// base ** exponent, an int for ints; not of two bools. An int with a negative number as exponent
// is refused; with a tensor of negative ints the power is rounded towards zero, as PyTorch does: 2
// ** -1 is 0. With robust=True of |base|, and below the threshold (None: the smallest normal
// number) a straight line through 0 where the power would be steeper. Ports: base: [*a] T=operand,
// exponent: [*b] U=operand, robust: value bool, threshold: value float|none, output: [*o]
// promote(T, U).
inline Model Power(const PowerOptions& options = {}) {
  return op_with_options("power", {{"robust", options.robust}, {"threshold", options.threshold}});
}

// input * 2^shift, of ints and bools; a shift that is negative or as wide as the element shifts
// all bits out. Ports: input: [*a] bool|int|value bool|int, shift: [*b] bool|int|value bool|int,
// output: [*o] int|value int.
inline Model ShiftLeft() { return Model::op("shift_left"); }

// floor(input / 2^shift), of ints and bools; a shift that is negative or as wide as the element
// shifts all bits out. Ports: input: [*a] bool|int|value bool|int, shift: [*b] bool|int|value
// bool|int, output: [*o] int|value int.
inline Model ShiftRight() { return Model::op("shift_right"); }

// The smaller of left and right, NaN where one of them is; equals share the gradient. Ports: left:
// [*a] T=operand, right: [*b] U=operand, output: [*o] promote(T, U).
inline Model Minimum() { return Model::op("minimum"); }

// The larger of left and right, NaN where one of them is; equals share the gradient. Ports: left:
// [*a] T=operand, right: [*b] U=operand, output: [*o] promote(T, U).
inline Model Maximum() { return Model::op("maximum"); }

// The input summed over what `like` would be broadcast along to have its dims. Ports: input: [*s]
// T=number, like: [*o] any, output: [*o] T.
inline Model SumTo() { return Model::op("sum_to"); }

// The input broadcast to the dims of `like`. Ports: input: [*s] T=any, like: [*o] any, output:
// [*o] T.
inline Model ExpandLike() { return Model::op("expand_like"); }

struct FillLikeOptions {
  OptionValue number = {};  // float, int, bool
};
// A tensor of one number, with the dims and the dtype of `like`. Ports: like: [*s] T=any, number:
// value float|int|bool, output: [*s] T.
inline Model FillLike(const FillLikeOptions& options = {}) {
  return op_with_options("fill_like", {{"number", options.number}});
}

// Zeros in the dims and the dtype of the input. Ports: input: [*s] T=any, output: [*s] T.
inline Model ZerosLike() { return Model::op("zeros_like"); }

// -input Ports: input: [*s] T=operand, output: [*s] T.
inline Model Negate() { return Model::op("negate"); }

// |input|; its slope at 0 is 0. Ports: input: [*s] T=operand, output: [*s] T.
inline Model Absolute() { return Model::op("abs"); }

// -1, 0 or 1 with the sign of each element; 0 of NaN, as in PyTorch. Ports: input: [*s] T=number,
// output: [*s] T.
inline Model Sign() { return Model::op("sign"); }

struct StableReciprocalOptions {
  OptionValue threshold = none;  // float, none
};
// 1 / input; where |input| is below `threshold` the tangent there, 2 / threshold at 0. None: the
// root of the smallest normal number, of float64 its tenfold. Ports: input: [*s] number,
// threshold: value float|none, output: [*s] float.
inline Model StableReciprocal(const StableReciprocalOptions& options = {}) {
  return op_with_options("stable_reciprocal", {{"threshold", options.threshold}});
}

// 5 - |(input - 1) mod 8 - 4|, a wave of straight lines between 1 and 5: the input itself between
// 1 and 5. At its peaks its slope is 0. Ports: input: [*s] float, output: [*s] float.
inline Model NormModifier() { return Model::op("norm_modifier"); }

// The largest whole number that is at most the element, in the type of the input; its slope is 0.
// Ports: input: [*s] T=operand, output: [*s] T.
inline Model Floor() { return Model::op("floor"); }

// input * input Ports: input: [*s] T=number, output: [*s] T.
inline Model Square() { return Model::op("square"); }

struct SqrtOptions {
  bool robust = false;
  OptionValue threshold = none;  // float, none
};
// The square root; with robust=True of |input|, and below the threshold (None: the smallest normal
// number) a straight line through 0. Ports: input: [*s] operand, robust: value bool, threshold:
// value float|none, output: [*s] operand.
inline Model Sqrt(const SqrtOptions& options = {}) {
  return op_with_options("sqrt", {{"robust", options.robust}, {"threshold", options.threshold}});
}

// The exponential function of each element. Ports: input: [*s] any, output: [*s] float.
inline Model Exponential() { return Model::op("exp"); }

struct LogOptions {
  bool robust = false;
  OptionValue threshold = none;  // float, none
};
// The natural logarithm; with robust=True of |input|, and below the threshold (None: the smallest
// normal number) its tangent at the threshold. Ports: input: [*s] any, robust: value bool,
// threshold: value float|none, output: [*s] float.
inline Model Log(const LogOptions& options = {}) {
  return op_with_options("log", {{"robust", options.robust}, {"threshold", options.threshold}});
}

struct RobustLogGradOptions {
  OptionValue threshold = {};  // float
};
// The gradient of the robust logarithm: `grad` divided by the larger of |input| and `threshold`,
// and with the sign of the input. At 0 the sign is 1; on torch, as for the gradient of abs, 0.
// Ports: grad: [*s] float, input: [*s] float, threshold: value float, output: [*s] float.
inline Model RobustLogGrad(const RobustLogGradOptions& options = {}) {
  return op_with_options("robust_log_grad", {{"threshold", options.threshold}});
}

// The sine of each element, in radians. Ports: input: [*s] any, output: [*s] float.
inline Model Sine() { return Model::op("sin"); }

// The cosine of each element, in radians. Ports: input: [*s] any, output: [*s] float.
inline Model Cosine() { return Model::op("cos"); }

// The hyperbolic tangent of each element. Ports: input: [*s] number, output: [*s] float.
inline Model Tanh() { return Model::op("tanh"); }

// 1 / (1 + exp(-input)) Ports: input: [*s] number, output: [*s] float.
inline Model Sigmoid() { return Model::op("sigmoid"); }

// The error function: 2 / sqrt(pi) times the integral of exp(-t * t) from 0 to input. Ports:
// input: [*s] number, output: [*s] float.
inline Model Erf() { return Model::op("erf"); }

// max(input, 0); its slope at 0 is 0. Ports: input: [*s] T=number, output: [*s] T.
inline Model Relu() { return Model::op("relu"); }

// The gradient of relu, which gave `result`: 0 where that is 0, else `grad`. Ports: grad: [*s]
// float, result: [*s] float, output: [*s] float.
inline Model ReluGrad() { return Model::op("relu_grad"); }

struct LeakyReluOptions {
  double slope = 0.01;
};
// input where it is positive, slope * input elsewhere. Ports: input: [*s] number, slope: value
// float|int, output: [*s] float.
inline Model LeakyRelu(const LeakyReluOptions& options = {}) {
  return op_with_options("leaky_relu", {{"slope", options.slope}});
}

struct GeluOptions {
  bool approximate = false;
};
// input * P(X <= input) for a standard normal X (https://arxiv.org/abs/1606.08415);
// approximate=True writes P with tanh. Ports: input: [*s] number, approximate: value bool, output:
// [*s] float.
inline Model Gelu(const GeluOptions& options = {}) {
  return op_with_options("gelu", {{"approximate", options.approximate}});
}

struct GeluGradOptions {
  bool approximate = false;
};
// The gradient of gelu: grad times its slope at input. Ports: grad: [*s] float, input: [*s] float,
// approximate: value bool, output: [*s] float.
inline Model GeluGrad(const GeluGradOptions& options = {}) {
  return op_with_options("gelu_grad", {{"approximate", options.approximate}});
}

// log(1 + exp(input)) Ports: input: [*s] number, output: [*s] float.
inline Model Softplus() { return Model::op("softplus"); }

// Whether left is greater than right. Ports: left: [*a] operand, right: [*b] operand, output: [*o]
// operand.
inline Model Greater() { return Model::op("greater"); }

// Whether left is less than right. Ports: left: [*a] operand, right: [*b] operand, output: [*o]
// operand.
inline Model Less() { return Model::op("less"); }

// Whether left is at least right. Ports: left: [*a] operand, right: [*b] operand, output: [*o]
// operand.
inline Model GreaterEqual() { return Model::op("greater_equal"); }

// Whether left is at most right. Ports: left: [*a] operand, right: [*b] operand, output: [*o]
// operand.
inline Model LessEqual() { return Model::op("less_equal"); }

// Whether left equals right; NaN equals nothing. Ports: left: [*a] operand, right: [*b] operand,
// output: [*o] operand.
inline Model Equal() { return Model::op("equal"); }

// Whether left differs from right; NaN differs from itself. Ports: left: [*a] operand, right: [*b]
// operand, output: [*o] operand.
inline Model NotEqual() { return Model::op("not_equal"); }

// Whether both are true; of bools only. Ports: left: [*a] T=operand, right: [*b] U=operand,
// output: [*o] promote(T, U).
inline Model LogicalAnd() { return Model::op("logical_and"); }

// Whether any of the two is true; of bools only. Ports: left: [*a] T=operand, right: [*b]
// U=operand, output: [*o] promote(T, U).
inline Model LogicalOr() { return Model::op("logical_or"); }

// Whether the input is false; of bools only. Ports: input: [*s] T=operand, output: [*s] T.
inline Model LogicalNot() { return Model::op("logical_not"); }

// Whether exactly one of the two is true; of bools only. Ports: left: [*a] T=operand, right: [*b]
// U=operand, output: [*o] promote(T, U).
inline Model LogicalXOr() { return Model::op("logical_xor"); }

// input1 where cond is true, input2 elsewhere; not both may be values. Ports: cond: [*c] bool,
// input1: [*a] T=operand, input2: [*b] U=operand, output: [*o] promote(T, U).
inline Model Where() { return Model::op("where"); }

// Whether each element is NaN: differs from itself. Ints and bools never do. Ports: input: [*s]
// any, output: [*s] bool.
inline Model IsNan() { return Model::op("is_nan"); }

struct NanToNumOptions {
  double nan = 0.0;
  OptionValue posinf = none;  // float, int, none
  OptionValue neginf = none;  // float, int, none
};
// The input with `nan` in place of NaN, `posinf` of infinity and `neginf` of minus infinity; None:
// the largest and the smallest number of the dtype. Ints and bools stay. Ports: input: [*s] T=any,
// nan: value float|int, posinf: value float|int|none, neginf: value float|int|none, output: [*s]
// T.
inline Model NanToNum(const NanToNumOptions& options = {}) {
  return op_with_options("nan_to_num", {
    {"nan", options.nan},
    {"posinf", options.posinf},
    {"neginf", options.neginf}});
}

struct ClampOptions {
  OptionValue min_val = none;  // float, int, none
  OptionValue max_val = none;  // float, int, none
};
// The input, but at least min_val and then at most max_val; None is no limit. The slope at a limit
// is 1, and 0 at NaN. A float as limit is for floats only. Ports: input: [*s] T=number, min_val:
// value float|int|none, max_val: value float|int|none, output: [*s] T.
inline Model Clamp(const ClampOptions& options = {}) {
  return op_with_options("clamp", {{"min_val", options.min_val}, {"max_val", options.max_val}});
}

struct CastOptions {
  OptionValue dtype = {};  // dtype
};
// The input in another dtype, as NumPy's astype: to bool is "not zero", to an int is towards zero.
// Ports: input: [*s] any, dtype: value dtype, output: [*s] any.
inline Model Cast(const CastOptions& options = {}) {
  return op_with_options("cast", {{"dtype", options.dtype}});
}

// (input - target)², element by element. Ports: input: [*a] T=any, target: [*b] U=any, output:
// [*o] promote(T, U).
inline Model SquaredError() { return Model::op("squared_error"); }

// |input - target|, element by element. Ports: input: [*a] T=any, target: [*b] U=any, output: [*o]
// promote(T, U).
inline Model AbsoluteError() { return Model::op("absolute_error"); }

// max(0, 1 - target * input), element by element, for targets 1 and -1; at the margin its slope is
// half of that on the wrong side. Ports: input: [*a] number, target: [*b] any, output: [*o] float.
inline Model HingeLoss() { return Model::op("hinge_loss"); }

// max(0, 1 - target * input)², element by element, for targets 1 and -1. Ports: input: [*a]
// number, target: [*b] any, output: [*o] float.
inline Model QuadHingeLoss() { return Model::op("quad_hinge_loss"); }

// The larger of quantile * error and (quantile - 1) * error with error = target - input, element
// by element; where there is no error its slope is the mean of both. Ports: input: [*a] number,
// target: [*b] number, quantile: operand, output: [*o] float.
inline Model QuantileLoss() { return Model::op("quantile_loss"); }

struct KLDivergenceOptions {
  OptionValue threshold = none;  // float, none
};
// target * (log(target) - log(input)), element by element, of two distributions
// (https://en.wikipedia.org/wiki/Kullback-Leibler_divergence); the logarithms are robust: below
// `threshold` (None: the smallest normal number) their tangent there. Ports: input: [*a] number,
// target: [*b] number, threshold: value float|none, output: [*o] float.
inline Model KLDivergence(const KLDivergenceOptions& options = {}) {
  return op_with_options("kl_divergence", {{"threshold", options.threshold}});
}

struct BinaryCrossEntropyOptions {
  std::string input_type = "logits";
  OptionValue pos_weight = 1.0;  // float, int, bool
  bool robust = false;
  OptionValue threshold = none;  // float, none
};
// -(pos_weight * target * log(p) + (1 - target) * log(1 - p)), element by element, where p is
// sigmoid(input) for input_type="logits" and input for "probs"; robust and threshold are those of
// log. pos_weight=True makes up for fewer positive targets. Ports: input: [*s] float, target: [*s]
// any, input_type: value str, pos_weight: value float|int|bool, robust: value bool, threshold:
// value float|none, output: [*s] float.
inline Model BinaryCrossEntropy(const BinaryCrossEntropyOptions& options = {}) {
  return op_with_options("binary_cross_entropy", {
    {"input_type", options.input_type},
    {"pos_weight", options.pos_weight},
    {"robust", options.robust},
    {"threshold", options.threshold}});
}

struct CrossEntropyOptions {
  std::string input_type = "logits";
  OptionValue weights = false;  // bool, str, tuple
  bool categorical = true;
  bool robust = false;
  OptionValue threshold = none;  // float, none
};
// -log(p[target]) for each sample, where the second axis of the input [N, C, ...] holds the
// classes and p is its softmax for input_type="logits", the input for "probs", its exp for
// "log_probs". The target [N, ...] holds the classes as ints, or, with categorical=False, as [N,
// C, ...] their probabilities: -sum(target * log(p)). Weights are a number for each class, or True
// or "auto" to make up for classes with fewer samples; robust and threshold are those of log, for
// "probs". Ports: input: [N C *s] number, target: [*t] any, input_type: value str, weights: value
// bool|str|tuple, categorical: value bool, robust: value bool, threshold: value float|none,
// output: [N *s] float.
inline Model CrossEntropy(const CrossEntropyOptions& options = {}) {
  return op_with_options("cross_entropy", {
    {"input_type", options.input_type},
    {"weights", options.weights},
    {"categorical", options.categorical},
    {"robust", options.robust},
    {"threshold", options.threshold}});
}

// output[n, ...] = input[n, index[n, ...], ...]; a ValueError where there is no such class. Ports:
// input: [N C *s] T=any, index: [N *s] int, output: [N *s] T.
inline Model PickClass() { return Model::op("pick_class"); }

// output[n, index[n, ...], ...] = input[n, ...], and 0 elsewhere, in the shape of `like`; a
// ValueError where there is no such class. Ports: input: [N *s] T=any, index: [N *s] int, like: [N
// C *s] any, output: [N C *s] T.
inline Model PlaceClass() { return Model::op("place_class"); }

struct ReshapeOptions {
  OptionValue shape = {};  // tuple, int
};
// The same elements, in row-major order, in another shape. One size may be -1: what the others
// leave over; a size of None is left to inference. Ports: input: [*s] T=any, shape: value
// tuple|int, output: [*o] T.
inline Model Reshape(const ReshapeOptions& options = {}) {
  return op_with_options("reshape", {{"shape", options.shape}});
}

// The elements of `input`, in row-major order, in the shape of `like`. Ports: input: [*s] T=any,
// like: [*o] any, output: [*o] T.
inline Model ReshapeLike() { return Model::op("reshape_like"); }

struct FlattenOptions {
  int64_t start_dim = 0;
  int64_t end_dim = -1;
};
// The axes from `start_dim` to `end_dim`, both included, as one; a scalar becomes a vector of one.
// Ports: input: [*s] T=any, start_dim: value int, end_dim: value int, output: [*o] T.
inline Model Flatten(const FlattenOptions& options = {}) {
  return op_with_options("flatten", {
    {"start_dim", options.start_dim},
    {"end_dim", options.end_dim}});
}

struct SqueezeOptions {
  OptionValue axis = none;  // int, tuple, none
};
// Without the axes of size 1: those that `axis` names, which must have that size, or all. Without
// `axis` the shape is known once every size is. Ports: input: [*s] T=any, axis: value
// int|tuple|none, output: [*o] T.
inline Model Squeeze(const SqueezeOptions& options = {}) {
  return op_with_options("squeeze", {{"axis", options.axis}});
}

struct ExpandDimsOptions {
  OptionValue axis = {};  // int, tuple
};
// With new axes of size 1; `axis` says where they stand in the output. Ports: input: [*s] T=any,
// axis: value int|tuple, output: [*o] T.
inline Model ExpandDims(const ExpandDimsOptions& options = {}) {
  return op_with_options("expand_dims", {{"axis", options.axis}});
}

struct TransposeOptions {
  OptionValue axes = none;  // tuple, int, none
};
// The axes in another order: axis i of the output is axis axes[i] of the input; None reverses
// them. Ports: input: [*s] T=any, axes: value tuple|int|none, output: [*o] T.
inline Model Transpose(const TransposeOptions& options = {}) {
  return op_with_options("transpose", {{"axes", options.axes}});
}

struct SwapAxesOptions {
  int64_t axis1 = 0;
  int64_t axis2 = 1;
};
// Two axes exchanged. Ports: input: [*s] T=any, axis1: value int, axis2: value int, output: [*o]
// T.
inline Model SwapAxes(const SwapAxesOptions& options = {}) {
  return op_with_options("swapaxes", {{"axis1", options.axis1}, {"axis2", options.axis2}});
}

// A tensor of rank 0 as a vector of one element; any other as it is. Ports: input: [*s] T=any,
// output: [*o] T.
inline Model AtLeast1D() { return Model::op("at_least1d"); }

struct BroadcastToOptions {
  OptionValue shape = {};  // tuple, int
};
// Repeated along new leading axes and along axes of size 1, so as to have the given shape. Ports:
// input: [*s] T=any, shape: value tuple|int, output: [*o] T.
inline Model BroadcastTo(const BroadcastToOptions& options = {}) {
  return op_with_options("broadcast_to", {{"shape", options.shape}});
}

struct ConcatOptions {
  OptionValue axis = 0;  // int, none
};
// Tensors one after the other along `axis`; None joins all their elements in one row. Ports:
// input: [*each] T=any, axis: value int|none, output: [*o] T.
inline Model Concat(const ConcatOptions& options = {}) {
  return op_with_options("concat", {{"axis", options.axis}});
}

struct ConcatGradOptions {
  OptionValue axis = {};  // int, none
  OptionValue part = {};  // int
};
// Part number `part` of a concat of tensors shaped as `like`: the gradient of concat. Ports:
// input: [*g] T=any, like: [*each] any, axis: value int|none, part: value int, output: [*o] T.
inline Model ConcatGrad(const ConcatGradOptions& options = {}) {
  return op_with_options("concat_grad", {{"axis", options.axis}, {"part", options.part}});
}

struct PrimitiveSplitOptions {
  OptionValue sizes = {};  // tuple
  int64_t axis = 0;
};
// A tensor cut along `axis` into parts of the given sizes, which add up to its own. Ports: input:
// [*s] T=any, sizes: value tuple, axis: value int, output: [*each] T.
inline Model PrimitiveSplit(const PrimitiveSplitOptions& options = {}) {
  return op_with_options("split", {{"sizes", options.sizes}, {"axis", options.axis}});
}

struct PrimitiveSliceOptions {
  OptionValue starts = {};  // tuple
  OptionValue stops = {};  // tuple
  OptionValue steps = none;  // tuple, none
  OptionValue axes = none;  // tuple, none
};
// The elements whose index is one of start, start + step, ... before stop, by Python's rules,
// along each of `axes` (None: the leading ones); None where a bound is left out. A size that
// depends on whether the slice reaches past the end (1: of n) stays open until that can be told.
// Ports: input: [*s] T=any, starts: value tuple, stops: value tuple, steps: value tuple|none,
// axes: value tuple|none, output: [*o] T.
inline Model PrimitiveSlice(const PrimitiveSliceOptions& options = {}) {
  return op_with_options("slice", {
    {"starts", options.starts},
    {"stops", options.stops},
    {"steps", options.steps},
    {"axes", options.axes}});
}

struct SliceGradOptions {
  OptionValue starts = {};  // tuple
  OptionValue stops = {};  // tuple
  OptionValue steps = none;  // tuple, none
  OptionValue axes = none;  // tuple, none
};
// Zeros in the shape of `like`, with `input` where `slice` takes its elements: the gradient of
// slice. Ports: input: [*g] T=any, like: [*s] any, starts: value tuple, stops: value tuple, steps:
// value tuple|none, axes: value tuple|none, output: [*s] T.
inline Model SliceGrad(const SliceGradOptions& options = {}) {
  return op_with_options("slice_grad", {
    {"starts", options.starts},
    {"stops", options.stops},
    {"steps", options.steps},
    {"axes", options.axes}});
}

struct GatherOptions {
  int64_t axis = 0;
};
// Elements of `input` along `axis`, chosen by index: the dims of `index` stand in place of the
// axis, which an int removes. Negative indices count from the end; one out of range is an error.
// Ports: input: [*s] T=any, index: [*i] int|value int, axis: value int, output: [*o] T.
inline Model Gather(const GatherOptions& options = {}) {
  return op_with_options("gather", {{"axis", options.axis}});
}

// input[indices]: along the first axis the elements that `indices`, a permutation, names. Negative
// indices count from the end; one out of range is an error. Ports: input: [N *s] T=any, indices:
// [N] int, output: [N *s] T.
inline Model PermuteTensor() { return Model::op("permute_tensor"); }

struct ScatterAddOptions {
  int64_t axis = 0;
};
// Zeros in the shape of `like`, with each element of `input` added where `gather` takes it from:
// the gradient of gather. Ports: input: [*g] T=number, index: [*i] int|value int, like: [*s] any,
// axis: value int, output: [*s] T.
inline Model ScatterAdd(const ScatterAddOptions& options = {}) {
  return op_with_options("scatter_add", {{"axis", options.axis}});
}

// Row input[...] of `weight` for each index. Ports: input: [*n] int, weight: [V D] float, output:
// [*n D] float.
inline Model PrimitiveEmbedding() { return Model::op("embedding"); }

struct PadOptions {
  OptionValue pad_width = {};  // tuple
  OptionValue value = 0;  // bool, int, float
};
// With pad_width[i] = (before, after) more elements at the ends of axis i, all of them `value`.
// Ports: input: [*s] T=any, pad_width: value tuple, value: value bool|int|float, output: [*o] T.
inline Model Pad(const PadOptions& options = {}) {
  return op_with_options("pad", {{"pad_width", options.pad_width}, {"value", options.value}});
}

// x[...] by NumPy's rules: ints, slices, None, an ellipsis and at most one tensor of ints; a tuple
// takes one int or slice. Ints and a tensor with a slice or None between them are refused, because
// NumPy and PyTorch disagree about them. Sizes: see slice. Ports: input: [*s] any|value tuple,
// index: [*each] int|value int|slice|none|ellipsis|tuple, output: [*o] any|value any.
inline Model Indexer() { return Model::op("indexer"); }

struct ArangeOptions {
  OptionValue stop = {};  // int, float
  OptionValue start = 0;  // int, float
  OptionValue step = 1;  // int, float
  OptionValue dtype = none;  // dtype, none
};
// start, start + step, ... up to but without stop; ints where all three are and `dtype` is None. A
// size that depends on whether stop lies beyond start stays open until that can be told. Ports:
// stop: value int|float, start: value int|float, step: value int|float, dtype: value dtype|none,
// output: [count] int|float.
inline Model Arange(const ArangeOptions& options = {}) {
  return op_with_options("arange", {
    {"stop", options.stop},
    {"start", options.start},
    {"step", options.step},
    {"dtype", options.dtype}});
}

struct OnesOptions {
  OptionValue shape = {};  // tuple, int
  OptionValue dtype = none;  // dtype, none
};
// A tensor of ones; float where `dtype` is None. Ports: shape: value tuple|int, dtype: value
// dtype|none, output: [*o] any.
inline Model Ones(const OnesOptions& options = {}) {
  return op_with_options("ones", {{"shape", options.shape}, {"dtype", options.dtype}});
}

struct ZerosOptions {
  OptionValue shape = {};  // tuple, int
  OptionValue dtype = none;  // dtype, none
};
// A tensor of zeros; float where `dtype` is None. Ports: shape: value tuple|int, dtype: value
// dtype|none, output: [*o] any.
inline Model Zeros(const ZerosOptions& options = {}) {
  return op_with_options("zeros", {{"shape", options.shape}, {"dtype", options.dtype}});
}

struct FullOptions {
  OptionValue shape = {};  // tuple, int
  OptionValue fill_value = {};  // bool, int, float
  OptionValue dtype = none;  // dtype, none
};
// A tensor of one number, whose kind it has where `dtype` is None. Ports: shape: value tuple|int,
// fill_value: value bool|int|float, dtype: value dtype|none, output: [*o] any.
inline Model Full(const FullOptions& options = {}) {
  return op_with_options("full", {
    {"shape", options.shape},
    {"fill_value", options.fill_value},
    {"dtype", options.dtype}});
}

struct EyeOptions {
  OptionValue N = {};  // int
  OptionValue M = none;  // int, none
  OptionValue dtype = none;  // dtype, none
};
// N rows and M columns (N where M is None) of zeros, with ones on the diagonal; float where
// `dtype` is None. Ports: N: value int, M: value int|none, dtype: value dtype|none, output: [rows
// columns] any.
inline Model Eye(const EyeOptions& options = {}) {
  return op_with_options("eye", {{"N", options.N}, {"M", options.M}, {"dtype", options.dtype}});
}

struct EyeComplementOptions {
  OptionValue N = {};  // int
  OptionValue M = none;  // int, none
  OptionValue dtype = none;  // dtype, none
};
// N rows and M columns (N where M is None) of ones, with zeros on the diagonal; float where
// `dtype` is None. Ports: N: value int, M: value int|none, dtype: value dtype|none, output: [rows
// columns] int|float.
inline Model EyeComplement(const EyeComplementOptions& options = {}) {
  return op_with_options("eye_complement", {
    {"N", options.N},
    {"M", options.M},
    {"dtype", options.dtype}});
}

// A matrix in the dims and the dtype of `like`: ones on its diagonal, zeros elsewhere. Ports:
// like: [N M] T=any, output: [N M] T.
inline Model EyeLike() { return Model::op("eye_like"); }

// 0, 1, 2, ... for the last axis but one of a tensor. Ports: like: [*b T H] any, output: [T] int.
inline Model Positions() { return Model::op("positions"); }

// Numbers in [0, 1), shaped as `like`, drawn from a key: the same key gives the same numbers.
// Ports: like: [*s] float, key: int, output: [*s] float.
inline Model RandomUniform() { return Model::op("random_uniform"); }

struct PrimitiveRandnOptions {
  OptionValue shape = {};  // tuple, int
  OptionValue dtype = none;  // dtype, none
};
// Numbers of mean 0 and deviation 1 in a shape, drawn from a key: the same key gives the same
// numbers. Ports: shape: value tuple|int, key: int|value int, dtype: value dtype|none, output:
// [*o] float.
inline Model PrimitiveRandn(const PrimitiveRandnOptions& options = {}) {
  return op_with_options("randn", {{"shape", options.shape}, {"dtype", options.dtype}});
}

struct PrimitiveRandIntOptions {
  OptionValue shape = {};  // tuple, int
  OptionValue low = {};  // int
  OptionValue high = {};  // int
  OptionValue dtype = none;  // dtype, none
};
// Ints from `low` up to but without `high` in a shape, drawn from a key: the same key gives the
// same numbers. Ports: shape: value tuple|int, key: int|value int, low: value int, high: value
// int, dtype: value dtype|none, output: [*o] int.
inline Model PrimitiveRandInt(const PrimitiveRandIntOptions& options = {}) {
  return op_with_options("randint", {
    {"shape", options.shape},
    {"low", options.low},
    {"high", options.high},
    {"dtype", options.dtype}});
}

struct ByModeOptions {
  OptionValue is_inference = none;  // bool, none
};
// `training` while training and `inference` in inference. is_inference fixes the mode; None
// follows what ml.compile is asked for. What serves only the other mode is not computed. Ports:
// training: [*s] T, inference: [*s] T, is_inference: value bool|none, output: [*s] T.
inline Model ByMode(const ByModeOptions& options = {}) {
  return op_with_options("by_mode", {{"is_inference", options.is_inference}});
}

struct ToTensorOptions {
  OptionValue input = {};  // bool, int, float, tuple
  OptionValue dtype = none;  // dtype, none
};
// A number or nested tuples of numbers as a tensor; where `dtype` is None, float if there is a
// float or no number at all, else int if there is an int, else bool. Ports: input: value
// bool|int|float|tuple, dtype: value dtype|none, output: [*o] any.
inline Model ToTensor(const ToTensorOptions& options = {}) {
  return op_with_options("to_tensor", {{"input", options.input}, {"dtype", options.dtype}});
}

// The dims of a tensor as a tuple of ints, symbolic until they are known. Ports: input: [*s] any,
// output: value tuple.
inline Model Shape() { return Model::op("shape"); }

struct SizeOptions {
  OptionValue dim = none;  // int, tuple, none
};
// The number of elements of a tensor, symbolic until it is known; along `dim` where that is an
// int, and one number for each of its items where it is a tuple. Ports: input: [*s] any, dim:
// value int|tuple|none, output: value int|tuple.
inline Model Size(const SizeOptions& options = {}) {
  return op_with_options("size", {{"dim", options.dim}});
}

// The size of the first axis of a tensor as an int, symbolic until it is known. Ports: input:
// [length *s] any, output: value int.
inline Model Length() { return Model::op("length"); }

// The only element of a tensor, as a tensor of rank 0: what it is shows when the graph runs, so it
// can stand wherever a tensor can. Ports: input: [*s] T=any, output: T.
inline Model Item() { return Model::op("item"); }

// The dtype of a tensor. While composing only bool is one; the width of ints and floats is decided
// later. Ports: input: [*s] any, output: value dtype.
inline Model Dtype() { return Model::op("dtype"); }

struct ToTupleOptions {
  OptionValue input = {};  // any
};
// The values of `input` as one tuple. Ports: input: value any, output: value tuple.
inline Model ToTuple(const ToTupleOptions& options = {}) {
  return op_with_options("to_tuple", {{"input", options.input}});
}

struct ToListOptions {
  OptionValue input = {};  // any
};
// The values of `input` as one tuple, which is also what a list is. Ports: input: value any,
// output: value tuple.
inline Model ToList(const ToListOptions& options = {}) {
  return op_with_options("to_list", {{"input", options.input}});
}

struct SliceOptions {
  OptionValue start = {};  // int, none
  OptionValue stop = {};  // int, none
  OptionValue step = {};  // int, none
};
// A slice, to index with: each of its bounds is an int or None. Ports: start: value int|none,
// stop: value int|none, step: value int|none, output: value slice.
inline Model Slice(const SliceOptions& options = {}) {
  return op_with_options("make_slice", {
    {"start", options.start},
    {"stop", options.stop},
    {"step", options.step}});
}

struct SumOptions {
  OptionValue axis = none;  // int, tuple, none
  bool keepdim = false;
};
// Sum along an axis, several axes, or all of them (None); 0 where there is nothing to add. Ports:
// input: [*s] any, axis: value int|tuple|none, keepdim: value bool, output: [*o] number.
inline Model Sum(const SumOptions& options = {}) {
  return op_with_options("sum", {{"axis", options.axis}, {"keepdim", options.keepdim}});
}

struct MeanOptions {
  OptionValue axis = none;  // int, tuple, none
  bool keepdim = false;
};
// Mean along an axis, several axes, or all of them (None); NaN where there is nothing to average.
// Ports: input: [*s] any, axis: value int|tuple|none, keepdim: value bool, output: [*o] float.
inline Model Mean(const MeanOptions& options = {}) {
  return op_with_options("mean", {{"axis", options.axis}, {"keepdim", options.keepdim}});
}

struct VarianceOptions {
  OptionValue axis = none;  // int, tuple, none
  bool keepdim = false;
  double correction = 0.0;
};
// Variance along an axis, several axes, or all of them (None): sum((x - mean)**2) / max(n -
// correction, 0). Ports: input: [*s] any, axis: value int|tuple|none, keepdim: value bool,
// correction: value float|int, output: [*o] float.
inline Model Variance(const VarianceOptions& options = {}) {
  return op_with_options("variance", {
    {"axis", options.axis},
    {"keepdim", options.keepdim},
    {"correction", options.correction}});
}

struct ProdOptions {
  OptionValue axis = none;  // int, tuple, none
  bool keepdim = false;
};
// Product along an axis, several axes, or all of them (None); 1 where there is nothing to
// multiply. Ports: input: [*s] any, axis: value int|tuple|none, keepdim: value bool, output: [*o]
// number.
inline Model Prod(const ProdOptions& options = {}) {
  return op_with_options("prod", {{"axis", options.axis}, {"keepdim", options.keepdim}});
}

struct MaxOptions {
  OptionValue axis = none;  // int, tuple, none
  bool keepdim = false;
};
// The largest element along an axis, several axes, or of all (None); NaN where one is NaN. The
// gradient goes to all that are equal to it, in equal shares. Ports: input: [*s] T=any, axis:
// value int|tuple|none, keepdim: value bool, output: [*o] T.
inline Model Max(const MaxOptions& options = {}) {
  return op_with_options("max", {{"axis", options.axis}, {"keepdim", options.keepdim}});
}

struct MinOptions {
  OptionValue axis = none;  // int, tuple, none
  bool keepdim = false;
};
// The smallest element along an axis, several axes, or of all (None); NaN where one is NaN. The
// gradient goes to all that are equal to it, in equal shares. Ports: input: [*s] T=any, axis:
// value int|tuple|none, keepdim: value bool, output: [*o] T.
inline Model Min(const MinOptions& options = {}) {
  return op_with_options("min", {{"axis", options.axis}, {"keepdim", options.keepdim}});
}

struct ArgMaxOptions {
  OptionValue axis = none;  // int, none
  bool keepdim = false;
};
// Index of the largest element along an axis, or, with None, in the flattened input; the first of
// equals, or of those that are NaN. Ports: input: [*s] any, axis: value int|none, keepdim: value
// bool, output: [*o] int.
inline Model ArgMax(const ArgMaxOptions& options = {}) {
  return op_with_options("argmax", {{"axis", options.axis}, {"keepdim", options.keepdim}});
}

struct ArgMinOptions {
  OptionValue axis = none;  // int, none
  bool keepdim = false;
};
// Index of the smallest element along an axis, or, with None, in the flattened input; the first of
// equals, or of those that are NaN. Ports: input: [*s] any, axis: value int|none, keepdim: value
// bool, output: [*o] int.
inline Model ArgMin(const ArgMinOptions& options = {}) {
  return op_with_options("argmin", {{"axis", options.axis}, {"keepdim", options.keepdim}});
}

struct SoftmaxOptions {
  int64_t axis = -1;
};
// exp(x) / sum(exp(x)) along an axis. Ports: input: [*s] number, axis: value int, output: [*s]
// float.
inline Model Softmax(const SoftmaxOptions& options = {}) {
  return op_with_options("softmax", {{"axis", options.axis}});
}

struct SoftmaxGradOptions {
  int64_t axis = -1;
};
// The gradient of softmax, which gave `result`: result * (grad - sum(grad * result)) along its
// axis. Ports: grad: [*s] float, result: [*s] float, axis: value int, output: [*s] float.
inline Model SoftmaxGrad(const SoftmaxGradOptions& options = {}) {
  return op_with_options("softmax_grad", {{"axis", options.axis}});
}

struct LogSoftmaxOptions {
  int64_t axis = -1;
};
// x - log(sum(exp(x))) along an axis: the logarithm of softmax, without loss where softmax is near
// 0. Ports: input: [*s] number, axis: value int, output: [*s] float.
inline Model LogSoftmax(const LogSoftmaxOptions& options = {}) {
  return op_with_options("log_softmax", {{"axis", options.axis}});
}

struct LogSoftmaxGradOptions {
  int64_t axis = -1;
};
// The gradient of log_softmax, which gave `result`: grad - exp(result) * sum(grad) along its axis.
// Ports: grad: [*s] float, result: [*s] float, axis: value int, output: [*s] float.
inline Model LogSoftmaxGrad(const LogSoftmaxGradOptions& options = {}) {
  return op_with_options("log_softmax_grad", {{"axis", options.axis}});
}

struct ExpandReducedOptions {
  OptionValue axis = none;  // int, tuple, none
  bool keepdim = false;
  OptionValue correction = none;  // float, int, none
};
// Repeats what a reduction of `like` gave along the reduced axes, so that it has the shape of
// `like`; with a correction, divided by the number of elements that were reduced to one, less
// that. Ports: input: [*o] T=any, like: [*s] any, axis: value int|tuple|none, keepdim: value bool,
// correction: value float|int|none, output: [*s] T.
inline Model ExpandReduced(const ExpandReducedOptions& options = {}) {
  return op_with_options("expand_reduced", {
    {"axis", options.axis},
    {"keepdim", options.keepdim},
    {"correction", options.correction}});
}

struct ProdOfOthersOptions {
  OptionValue axis = none;  // int, tuple, none
};
// For each element the product of the others along an axis, several axes, or all of them (None).
// Its own gradient divides by the element, so that it is not finite where one is 0. Ports: input:
// [*s] float, axis: value int|tuple|none, output: [*s] float.
inline Model ProdOfOthers(const ProdOfOthersOptions& options = {}) {
  return op_with_options("prod_of_others", {{"axis", options.axis}});
}

// The area between the axis and the line through the points (x, y), along the last axis: sum((x[i
// + 1] - x[i]) * (y[i + 1] + y[i]) / 2). Ports: y: [*b N] any, x: [*b N] any, output: [*b] float.
inline Model Trapezoid() { return Model::op("trapezoid"); }

// The shares of positive and of negative samples whose score is at least that of each sample, from
// the highest score down, as two rows: the points of a receiver operating characteristic, as often
// as samples share a score. Ports: input: [N] float, label: [N] bool, output: [2 N] float.
inline Model AUCCore() { return Model::op("auc_core"); }

struct UniqueOptions {
  OptionValue size = {};  // int
};
// The distinct elements of `input`, sorted; NaN, which equals nothing, stands last and as often as
// it comes. Their number follows from elements, but sizes are known before anything runs: so
// `size` says how long the output is. What is left of it repeats the last element; more distinct
// elements than that are an error. Ports: input: [*s] T=any, size: value int, output: [count] T.
inline Model Unique(const UniqueOptions& options = {}) {
  return op_with_options("unique", {{"size", options.size}});
}

struct PrimitiveLayerNormOptions {
  double eps = 1e-05;
};
// (input - mean) * rstd * weight + bias, for the mean of each row along the last axis and rstd = 1
// / sqrt(variance + eps) (https://arxiv.org/abs/1607.06450). Ports: input: [*lead D] number,
// weight: [D] float|none, bias: [D] float|none, eps: value float|int, output: [*lead D] float,
// mean: [*lead 1] float, rstd: [*lead 1] float.
inline Model PrimitiveLayerNorm(const PrimitiveLayerNormOptions& options = {}) {
  return op_with_options("layer_norm", {{"eps", options.eps}});
}

// The gradients of layer_norm in its input, weight and bias, for the mean and rstd that it gave.
// Ports: grad: [*lead D] float, input: [*lead D] float, mean: [*lead 1] float, rstd: [*lead 1]
// float, weight: [D] float|none, input_grad: [*lead D] float, weight_grad: [D] float, bias_grad:
// [D] float.
inline Model LayerNormGrad() { return Model::op("layer_norm_grad"); }

struct BatchNormTrainingOptions {
  double momentum = 0.1;
  double eps = 1e-05;
};
// (input - mean) * rstd * weight + bias, for the mean of each channel (the second axis) over the
// batch and rstd = 1 / sqrt(variance + eps) (https://arxiv.org/abs/1502.03167); the running
// statistics move to those of the batch, the variance with n - 1 for n, by `momentum`. Ports:
// input: [N C *s] number, running_mean: [C] float, running_var: [C] float, weight: [C] float|none,
// bias: [C] float|none, momentum: value float|int, eps: value float|int, output: [N C *s] float,
// mean: [C] float, rstd: [C] float, new_running_mean: [C] float, new_running_var: [C] float.
inline Model BatchNormTraining(const BatchNormTrainingOptions& options = {}) {
  return op_with_options("batch_norm_training", {
    {"momentum", options.momentum},
    {"eps", options.eps}});
}

struct BatchNormInferenceOptions {
  double eps = 1e-05;
};
// (input - mean) / sqrt(variance + eps) * weight + bias, with a mean and a variance for each
// channel, the second axis. Ports: input: [N C *s] number, mean: [C] float, variance: [C] float,
// weight: [C] float|none, bias: [C] float|none, eps: value float|int, output: [N C *s] float.
inline Model BatchNormInference(const BatchNormInferenceOptions& options = {}) {
  return op_with_options("batch_norm_inference", {{"eps", options.eps}});
}

struct BatchNormGradOptions {
  bool training = true;
};
// The gradients of batch_norm_training in its input, weight and bias, for the mean and rstd that
// it gave; with training=False those of batch_norm_inference. Ports: grad: [N C *s] float, input:
// [N C *s] float, mean: [C] float, rstd: [C] float, weight: [C] float|none, training: value bool,
// input_grad: [N C *s] float, weight_grad: [C] float, bias_grad: [C] float.
inline Model BatchNormGrad(const BatchNormGradOptions& options = {}) {
  return op_with_options("batch_norm_grad", {{"training", options.training}});
}

// Matrix product over the last two axes; the axes before them broadcast. Ports: left: [*a M K]
// T=number, right: [*b K N] U=number, output: [*o M N] promote(T, U).
inline Model MatrixMultiply() { return Model::op("matmul"); }

// input @ weight.T + bias, over the last axis of the input. Ports: input: [*n M I] number, weight:
// [O I] float, bias: [O] float|none, output: [*n M O] float.
inline Model PrimitiveLinear() { return Model::op("linear"); }

// left[i] - right[j] for all pairs of rows: [N, D] and [M, D] give [N, M, D]. Ports: left: [N D]
// T=number, right: [M D] U=number, output: [N M D] promote(T, U).
inline Model CartesianDifference() { return Model::op("cartesian_difference"); }

// sum(|left[i] - right[j]| ** norm) for all pairs of rows: [N, D] and [M, D] give [N, M]; `norm`
// is one number. Ports: left: [N D] number, right: [M D] number, norm: [*n] operand, output: [N M]
// float.
inline Model DistanceMatrix() { return Model::op("distance_matrix"); }

struct BellWidthsOptions {
  OptionValue threshold = none;  // float, none
};
// For each point the sigma, at most 1001, of the bell exp(-d² / (2 sigma²)) over its squared
// distances to the others that gives `target_perplexity` (probabilities count from `threshold`,
// None: 2**-52, up to 1 - threshold), and the least of the distances. Ports: squared_distances: [N
// N] float, target_perplexity: operand, threshold: value float|none, output: [N 1] float, nearest:
// [N 1] float.
inline Model BellWidths(const BellWidthsOptions& options = {}) {
  return op_with_options("bell_widths", {{"threshold", options.threshold}});
}

struct TsnePJointOptions {
  OptionValue threshold = none;  // float, none
};
// The joint probabilities of t-SNE (https://jmlr.org/papers/v9/vandermaaten08a.html): for each
// point a bell over its squared distances, as wide as gives `target_perplexity`, at most 1001;
// probabilities count from `threshold` (None: 2**-52) up to 1 - threshold. Ports:
// squared_distances: [N N] float, target_perplexity: operand, threshold: value float|none, output:
// [N N] float.
inline Model TsnePJoint(const TsnePJointOptions& options = {}) {
  return op_with_options("tsne_p_joint", {{"threshold", options.threshold}});
}

struct MonomialsOptions {
  OptionValue variables = {};  // int
  OptionValue degree = {};  // int
};
// All products of up to `degree` of so many variables but the empty one, each as a row of factors
// in rising order: variables count from 1, and 0 stands for 1. Ports: variables: value int,
// degree: value int, output: [count degrees] int.
inline Model Monomials(const MonomialsOptions& options = {}) {
  return op_with_options("monomials", {
    {"variables", options.variables},
    {"degree", options.degree}});
}

struct PolynomialFeaturesOptions {
  OptionValue degree = {};  // int
};
// The products of up to `degree` columns, in the order of degrees: of [a, b] and 2 they are [a, b,
// a², ab, b²]. Ports: input: [N D] T=number, degree: value int, output: [N F] T.
inline Model PolynomialFeatures(const PolynomialFeaturesOptions& options = {}) {
  return op_with_options("polynomial_features", {{"degree", options.degree}});
}

struct AttentionWeightsOptions {
  bool is_causal = true;
  OptionValue scale = none;  // float, int, none
};
// softmax(query @ key.T * scale + attn_mask) along the last axis: what scaled_dot_product weighs
// the values with. Ports as there. Ports: query: [*q L E] number, key: [*k S E] number, attn_mask:
// [*m] bool|float|none, is_causal: value bool, scale: value float|int|none, output: [*o L S]
// float.
inline Model AttentionWeights(const AttentionWeightsOptions& options = {}) {
  return op_with_options("attention_weights", {
    {"is_causal", options.is_causal},
    {"scale", options.scale}});
}

struct PrimitiveScaledDotProductOptions {
  bool is_causal = true;
  OptionValue scale = none;  // float, int, none
  double dropout_p = 0.0;
};
// softmax(query @ key.T * scale + attn_mask) @ value (https://arxiv.org/abs/1706.03762); a scale
// of None is 1/sqrt(E), a mask of bools is true where a query [L, E] may attend to a key [S, E],
// one of floats is added, and is_causal=True keeps row i from columns after i. A query that may
// attend to nothing gets zeros. Ports: query: [*q L E] number, key: [*k S E] number, value: [*v S
// F] number, attn_mask: [*m] bool|float|none, is_causal: value bool, scale: value float|int|none,
// dropout_p: value float|int, output: [*o L F] float.
inline Model PrimitiveScaledDotProduct(const PrimitiveScaledDotProductOptions& options = {}) {
  return op_with_options("scaled_dot_product", {
    {"is_causal", options.is_causal},
    {"scale", options.scale},
    {"dropout_p", options.dropout_p}});
}

// The diagonal of a square matrix as a matrix of one column. Ports: input: [N N] T=number, output:
// [N 1] T.
inline Model TransposedDiagonal() { return Model::op("transposed_diagonal"); }

// Each matrix with zeros above its diagonal. Ports: input: [*b N M] T=any, output: [*b N M] T.
inline Model Tril() { return Model::op("tril"); }

// The lower triangle L with L Lᵀ = (A + Aᵀ) / 2, of each square matrix A; an error where that is
// not positive definite. Ports: input: [*b N N] float, output: [*b N N] float.
inline Model Cholesky() { return Model::op("cholesky"); }

struct SolveTriangularOptions {
  bool upper = false;
};
// X with matrix X = right, where of each matrix the lower triangle is read, or with upper=True the
// upper one. Ports: matrix: [*b N N] T=float, right: [*b N K] T, upper: value bool, output: [*b N
// K] T.
inline Model SolveTriangular(const SolveTriangularOptions& options = {}) {
  return op_with_options("solve_triangular", {{"upper", options.upper}});
}

// The eigenvalues of the symmetric part (A + Aᵀ) / 2 of each square matrix, in rising order.
// Ports: input: [*b N N] float, output: [*b N] float.
inline Model Eigenvalues() { return Model::op("eigenvalues"); }

// The eigenvectors of the symmetric part (A + Aᵀ) / 2 of each square matrix, as columns in the
// order of their eigenvalues; of length 1, with that sign which makes the first element of a size
// of at least 0.6/sqrt(N) positive. Those of equal eigenvalues are no function of the matrix:
// gradients leave them out. Ports: input: [*b N N] float, output: [*b N N] float.
inline Model Eigenvectors() { return Model::op("eigenvectors"); }

struct EigvalshOptions {
  OptionValue threshold = none;  // float, none
};
// The diagonal of L, a Cholesky factor of K_term, as a column; without L the eigenvalues of the
// symmetric matrix K_term in rising order, none below `threshold` (None: the spacing of numbers at
// 1). Ports: K_term: [N N] float, L: [N N] float|none, threshold: value float|none, output: [N 1]
// float.
inline Model Eigvalsh(const EigvalshOptions& options = {}) {
  return op_with_options("eigvalsh", {{"threshold", options.threshold}});
}

// (L Lᵀ)⁻¹ label_mu_diff, for the Cholesky factor L of the kernel matrix K_term, which is not
// read. Ports: label_mu_diff: [N 1] float, L: [N N] float, K_term: [N N] float, output: [N 1]
// float.
inline Model GPRAlpha() { return Model::op("gpr_alpha"); }

// Kᵀ (L Lᵀ)⁻¹ K, for the Cholesky factor L of the kernel matrix K_term, which is not read. Ports:
// K: [N M] float, K_term: [N N] float, L: [N N] float, output: [M M] float.
inline Model GPRVOuter() { return Model::op("gpr_v_outer"); }

struct PositionalEncodingOptions {
  OptionValue hidden_dim = {};  // int
  int64_t max_len = 5000;
};
// The input [..., T, hidden_dim] plus, at position t, sin(t / 10000**(2 i / hidden_dim)) in column
// 2 i and the cosine in column 2 i + 1 (https://arxiv.org/abs/1706.03762); T is at most `max_len`.
// Ports: input: [*b T H] number, hidden_dim: value int, max_len: value int, output: [*b T H]
// float.
inline Model PositionalEncoding(const PositionalEncodingOptions& options = {}) {
  return op_with_options("positional_encoding", {
    {"hidden_dim", options.hidden_dim},
    {"max_len", options.max_len}});
}

struct PrimitiveConvolution1DOptions {
  int64_t stride = 1;
  OptionValue padding = 0;  // int, tuple
  int64_t dilation = 1;
  int64_t groups = 1;
};
// Convolution over one axis, as deep learning has it (cross-correlation): input [N, Ci, W], weight
// [Co, Ci / groups, K], bias [Co]. Padding, with zeros, is an int or (before, after). Ports:
// input: [N Ci W] number, weight: [Co Cg K] float, bias: [Co] float|none, stride: value int,
// padding: value int|tuple, dilation: value int, groups: value int, output: [N Co Wo] float.
inline Model PrimitiveConvolution1D(const PrimitiveConvolution1DOptions& options = {}) {
  return op_with_options("conv1d", {
    {"stride", options.stride},
    {"padding", options.padding},
    {"dilation", options.dilation},
    {"groups", options.groups}});
}

struct PrimitiveConvolution2DOptions {
  OptionValue stride = 1;  // int, tuple
  OptionValue padding = 0;  // int, tuple
  OptionValue dilation = 1;  // int, tuple
  int64_t groups = 1;
};
// Convolution over two axes, as deep learning has it (cross-correlation): input [N, Ci, H, W],
// weight [Co, Ci / groups, Kh, Kw], bias [Co]. Stride and dilation are an int or one for each
// axis; padding, with zeros, an int, one for each axis, or (before, after) for each axis. Ports:
// input: [N Ci H W] number, weight: [Co Cg Kh Kw] float, bias: [Co] float|none, stride: value
// int|tuple, padding: value int|tuple, dilation: value int|tuple, groups: value int, output: [N Co
// Ho Wo] float.
inline Model PrimitiveConvolution2D(const PrimitiveConvolution2DOptions& options = {}) {
  return op_with_options("conv2d", {
    {"stride", options.stride},
    {"padding", options.padding},
    {"dilation", options.dilation},
    {"groups", options.groups}});
}

struct Conv2dInputGradOptions {
  OptionValue stride = 1;  // int, tuple
  OptionValue padding = 0;  // int, tuple
  OptionValue dilation = 1;  // int, tuple
  int64_t groups = 1;
};
// The gradient of conv2d in its input, which gives only its shape, for the gradient of the output.
// Ports: grad: [N Co Ho Wo] float, input: [N Ci H W] any, weight: [Co Cg Kh Kw] float, stride:
// value int|tuple, padding: value int|tuple, dilation: value int|tuple, groups: value int, output:
// [N Ci H W] float.
inline Model Conv2dInputGrad(const Conv2dInputGradOptions& options = {}) {
  return op_with_options("conv2d_input_grad", {
    {"stride", options.stride},
    {"padding", options.padding},
    {"dilation", options.dilation},
    {"groups", options.groups}});
}

struct Conv2dWeightGradOptions {
  OptionValue stride = 1;  // int, tuple
  OptionValue padding = 0;  // int, tuple
  OptionValue dilation = 1;  // int, tuple
  int64_t groups = 1;
};
// The gradient of conv2d in its weight, which gives only its shape, for the gradient of the
// output. Ports: grad: [N Co Ho Wo] float, input: [N Ci H W] number, weight: [Co Cg Kh Kw] any,
// stride: value int|tuple, padding: value int|tuple, dilation: value int|tuple, groups: value int,
// output: [Co Cg Kh Kw] float.
inline Model Conv2dWeightGrad(const Conv2dWeightGradOptions& options = {}) {
  return op_with_options("conv2d_weight_grad", {
    {"stride", options.stride},
    {"padding", options.padding},
    {"dilation", options.dilation},
    {"groups", options.groups}});
}

struct PrimitiveMaxPool1DOptions {
  OptionValue kernel_size = {};  // int
  OptionValue stride = none;  // int, none
  OptionValue padding = 0;  // int, tuple
  int64_t dilation = 1;
};
// The largest element of each window over the last axis: max_pool2d with windows of one row.
// Padding is an int or (before, after). Ports: input: [*lead R W] T=number, kernel_size: value
// int, stride: value int|none, padding: value int|tuple, dilation: value int, output: [*lead R Wo]
// T.
inline Model PrimitiveMaxPool1D(const PrimitiveMaxPool1DOptions& options = {}) {
  return op_with_options("max_pool1d", {
    {"kernel_size", options.kernel_size},
    {"stride", options.stride},
    {"padding", options.padding},
    {"dilation", options.dilation}});
}

struct PrimitiveMaxPool2DOptions {
  OptionValue kernel_size = {};  // int, tuple
  OptionValue stride = none;  // int, tuple, none
  OptionValue padding = 0;  // int, tuple
  OptionValue dilation = 1;  // int, tuple
};
// The largest element of each window over the last two axes; the gradient goes to the first that
// is. Kernel, stride (None: the kernel) and dilation are an int or one for each axis; padding,
// never the largest, an int, one for each axis, or (before, after) for each axis, of at most half
// the window. `places` are the indices of these elements in their planes. Ports: input: [*lead H
// W] T=number, kernel_size: value int|tuple, stride: value int|tuple|none, padding: value
// int|tuple, dilation: value int|tuple, output: [*lead Ho Wo] T, places: [*lead Ho Wo] int.
inline Model PrimitiveMaxPool2D(const PrimitiveMaxPool2DOptions& options = {}) {
  return op_with_options("max_pool2d", {
    {"kernel_size", options.kernel_size},
    {"stride", options.stride},
    {"padding", options.padding},
    {"dilation", options.dilation}});
}

struct MaxPool2dGradOptions {
  OptionValue kernel_size = {};  // int, tuple
  OptionValue stride = none;  // int, tuple, none
  OptionValue padding = 0;  // int, tuple
  OptionValue dilation = 1;  // int, tuple
};
// Gives each element of `grad` to the first largest element of its window of `input`, and adds up.
// `places`, where max_pool2d found them, spare the search. Ports: grad: [*lead Ho Wo] T=float,
// input: [*lead H W] number, kernel_size: value int|tuple, stride: value int|tuple|none, padding:
// value int|tuple, dilation: value int|tuple, places: [*lead Ho Wo] int|none, output: [*lead H W]
// T.
inline Model MaxPool2dGrad(const MaxPool2dGradOptions& options = {}) {
  return op_with_options("max_pool2d_grad", {
    {"kernel_size", options.kernel_size},
    {"stride", options.stride},
    {"padding", options.padding},
    {"dilation", options.dilation}});
}

struct MaxPool2dPickOptions {
  OptionValue kernel_size = {};  // int, tuple
  OptionValue stride = none;  // int, tuple, none
  OptionValue padding = 0;  // int, tuple
  OptionValue dilation = 1;  // int, tuple
};
// The element of `values` at the place of the first largest element of each window of `input`; 0
// for a window of padding alone. Ports: values: [*lead H W] T=float, input: [*lead H W] number,
// kernel_size: value int|tuple, stride: value int|tuple|none, padding: value int|tuple, dilation:
// value int|tuple, output: [*lead Ho Wo] T.
inline Model MaxPool2dPick(const MaxPool2dPickOptions& options = {}) {
  return op_with_options("max_pool2d_pick", {
    {"kernel_size", options.kernel_size},
    {"stride", options.stride},
    {"padding", options.padding},
    {"dilation", options.dilation}});
}

struct PrimitiveAvgPool1DOptions {
  OptionValue kernel_size = {};  // int
  OptionValue stride = none;  // int, none
  OptionValue padding = 0;  // int, tuple
  int64_t dilation = 1;
};
// The mean of each window over the last axis: avg_pool2d with windows of one row. Padding is an
// int or (before, after). Ports: input: [*lead R W] number, kernel_size: value int, stride: value
// int|none, padding: value int|tuple, dilation: value int, output: [*lead R Wo] float.
inline Model PrimitiveAvgPool1D(const PrimitiveAvgPool1DOptions& options = {}) {
  return op_with_options("avg_pool1d", {
    {"kernel_size", options.kernel_size},
    {"stride", options.stride},
    {"padding", options.padding},
    {"dilation", options.dilation}});
}

struct PrimitiveAvgPool2DOptions {
  OptionValue kernel_size = {};  // int, tuple
  OptionValue stride = none;  // int, tuple, none
  OptionValue padding = 0;  // int, tuple
  OptionValue dilation = 1;  // int, tuple
};
// The mean of each window over the last two axes, in which padding counts as zeros. Kernel, stride
// (None: the kernel) and dilation are an int or one for each axis; padding an int, one for each
// axis, or (before, after) for each axis. Ports: input: [*lead H W] number, kernel_size: value
// int|tuple, stride: value int|tuple|none, padding: value int|tuple, dilation: value int|tuple,
// output: [*lead Ho Wo] float.
inline Model PrimitiveAvgPool2D(const PrimitiveAvgPool2DOptions& options = {}) {
  return op_with_options("avg_pool2d", {
    {"kernel_size", options.kernel_size},
    {"stride", options.stride},
    {"padding", options.padding},
    {"dilation", options.dilation}});
}

struct AvgPool2dGradOptions {
  OptionValue kernel_size = {};  // int, tuple
  OptionValue stride = none;  // int, tuple, none
  OptionValue padding = 0;  // int, tuple
  OptionValue dilation = 1;  // int, tuple
};
// Shares each element of `grad` equally among the elements of its window, in the shape of `like`.
// Ports: grad: [*lead Ho Wo] T=float, like: [*lead H W] any, kernel_size: value int|tuple, stride:
// value int|tuple|none, padding: value int|tuple, dilation: value int|tuple, output: [*lead H W]
// T.
inline Model AvgPool2dGrad(const AvgPool2dGradOptions& options = {}) {
  return op_with_options("avg_pool2d_grad", {
    {"kernel_size", options.kernel_size},
    {"stride", options.stride},
    {"padding", options.padding},
    {"dilation", options.dilation}});
}

}  // namespace makers
using namespace makers;

}  // namespace mithril
