// A function for each op: relu(x), softmax(x, 1). An argument is a connection, a name or a value.
// Made by tools/make_op_headers from the records; do not edit.
// clang-format off
#pragma once
#include <vector>

#include "mithril/model/model.hpp"

namespace mithril {

inline Connection buffer(const Binding& input) {
  return apply("buffer", {Binding(input)});
}
inline Connection watch(
    const Binding& input,
    const Binding& hook = -1,
    const Binding& gradient_hook = -1) {
  return apply("watch", {Binding(input), Binding(hook), Binding(gradient_hook)});
}
inline Connection stop_gradient(const Binding& input) {
  return apply("stop_gradient", {Binding(input)});
}
inline Connection add(const Binding& left, const Binding& right) {
  return apply("add", {Binding(left), Binding(right)});
}
inline Connection subtract(const Binding& left, const Binding& right) {
  return apply("subtract", {Binding(left), Binding(right)});
}
inline Connection multiply(const Binding& left, const Binding& right) {
  return apply("multiply", {Binding(left), Binding(right)});
}
inline Connection divide(const Binding& numerator, const Binding& denominator) {
  return apply("divide", {Binding(numerator), Binding(denominator)});
}
inline Connection remainder(const Binding& numerator, const Binding& denominator) {
  return apply("remainder", {Binding(numerator), Binding(denominator)});
}
inline Connection power(
    const Binding& base,
    const Binding& exponent,
    const Binding& robust = false,
    const Binding& threshold = none) {
  return apply("power", {Binding(base), Binding(exponent), Binding(robust), Binding(threshold)});
}
inline Connection shift_left(const Binding& input, const Binding& shift) {
  return apply("shift_left", {Binding(input), Binding(shift)});
}
inline Connection shift_right(const Binding& input, const Binding& shift) {
  return apply("shift_right", {Binding(input), Binding(shift)});
}
inline Connection minimum(const Binding& left, const Binding& right) {
  return apply("minimum", {Binding(left), Binding(right)});
}
inline Connection maximum(const Binding& left, const Binding& right) {
  return apply("maximum", {Binding(left), Binding(right)});
}
inline Connection sum_to(const Binding& input, const Binding& like) {
  return apply("sum_to", {Binding(input), Binding(like)});
}
inline Connection expand_like(const Binding& input, const Binding& like) {
  return apply("expand_like", {Binding(input), Binding(like)});
}
inline Connection fill_like(const Binding& like, const Binding& number) {
  return apply("fill_like", {Binding(like), Binding(number)});
}
inline Connection zeros_like(const Binding& input) {
  return apply("zeros_like", {Binding(input)});
}
inline Connection negate(const Binding& input) {
  return apply("negate", {Binding(input)});
}
inline Connection abs(const Binding& input) {
  return apply("abs", {Binding(input)});
}
inline Connection sign(const Binding& input) {
  return apply("sign", {Binding(input)});
}
inline Connection stable_reciprocal(const Binding& input, const Binding& threshold = none) {
  return apply("stable_reciprocal", {Binding(input), Binding(threshold)});
}
inline Connection norm_modifier(const Binding& input) {
  return apply("norm_modifier", {Binding(input)});
}
inline Connection floor(const Binding& input) {
  return apply("floor", {Binding(input)});
}
inline Connection square(const Binding& input) {
  return apply("square", {Binding(input)});
}
inline Connection sqrt(
    const Binding& input,
    const Binding& robust = false,
    const Binding& threshold = none) {
  return apply("sqrt", {Binding(input), Binding(robust), Binding(threshold)});
}
inline Connection exp(const Binding& input) {
  return apply("exp", {Binding(input)});
}
inline Connection log(
    const Binding& input,
    const Binding& robust = false,
    const Binding& threshold = none) {
  return apply("log", {Binding(input), Binding(robust), Binding(threshold)});
}
inline Connection robust_log_grad(
    const Binding& grad,
    const Binding& input,
    const Binding& threshold) {
  return apply("robust_log_grad", {Binding(grad), Binding(input), Binding(threshold)});
}
inline Connection sin(const Binding& input) {
  return apply("sin", {Binding(input)});
}
inline Connection cos(const Binding& input) {
  return apply("cos", {Binding(input)});
}
inline Connection tanh(const Binding& input) {
  return apply("tanh", {Binding(input)});
}
inline Connection sigmoid(const Binding& input) {
  return apply("sigmoid", {Binding(input)});
}
inline Connection erf(const Binding& input) {
  return apply("erf", {Binding(input)});
}
inline Connection relu(const Binding& input) {
  return apply("relu", {Binding(input)});
}
inline Connection relu_grad(const Binding& grad, const Binding& result) {
  return apply("relu_grad", {Binding(grad), Binding(result)});
}
inline Connection leaky_relu(const Binding& input, const Binding& slope = 0.01) {
  return apply("leaky_relu", {Binding(input), Binding(slope)});
}
inline Connection gelu(const Binding& input, const Binding& approximate = false) {
  return apply("gelu", {Binding(input), Binding(approximate)});
}
inline Connection gelu_grad(
    const Binding& grad,
    const Binding& input,
    const Binding& approximate = false) {
  return apply("gelu_grad", {Binding(grad), Binding(input), Binding(approximate)});
}
inline Connection softplus(const Binding& input) {
  return apply("softplus", {Binding(input)});
}
inline Connection greater(const Binding& left, const Binding& right) {
  return apply("greater", {Binding(left), Binding(right)});
}
inline Connection less(const Binding& left, const Binding& right) {
  return apply("less", {Binding(left), Binding(right)});
}
inline Connection greater_equal(const Binding& left, const Binding& right) {
  return apply("greater_equal", {Binding(left), Binding(right)});
}
inline Connection less_equal(const Binding& left, const Binding& right) {
  return apply("less_equal", {Binding(left), Binding(right)});
}
inline Connection equal(const Binding& left, const Binding& right) {
  return apply("equal", {Binding(left), Binding(right)});
}
inline Connection not_equal(const Binding& left, const Binding& right) {
  return apply("not_equal", {Binding(left), Binding(right)});
}
inline Connection logical_and(const Binding& left, const Binding& right) {
  return apply("logical_and", {Binding(left), Binding(right)});
}
inline Connection logical_or(const Binding& left, const Binding& right) {
  return apply("logical_or", {Binding(left), Binding(right)});
}
inline Connection logical_not(const Binding& input) {
  return apply("logical_not", {Binding(input)});
}
inline Connection logical_xor(const Binding& left, const Binding& right) {
  return apply("logical_xor", {Binding(left), Binding(right)});
}
inline Connection where(const Binding& cond, const Binding& input1, const Binding& input2) {
  return apply("where", {Binding(cond), Binding(input1), Binding(input2)});
}
inline Connection is_nan(const Binding& input) {
  return apply("is_nan", {Binding(input)});
}
inline Connection nan_to_num(
    const Binding& input,
    const Binding& nan = 0.0,
    const Binding& posinf = none,
    const Binding& neginf = none) {
  return apply("nan_to_num", {Binding(input), Binding(nan), Binding(posinf), Binding(neginf)});
}
inline Connection clamp(
    const Binding& input,
    const Binding& min_val = none,
    const Binding& max_val = none) {
  return apply("clamp", {Binding(input), Binding(min_val), Binding(max_val)});
}
inline Connection cast(const Binding& input, const Binding& dtype) {
  return apply("cast", {Binding(input), Binding(dtype)});
}
inline Connection squared_error(const Binding& input, const Binding& target) {
  return apply("squared_error", {Binding(input), Binding(target)});
}
inline Connection absolute_error(const Binding& input, const Binding& target) {
  return apply("absolute_error", {Binding(input), Binding(target)});
}
inline Connection hinge_loss(const Binding& input, const Binding& target) {
  return apply("hinge_loss", {Binding(input), Binding(target)});
}
inline Connection quad_hinge_loss(const Binding& input, const Binding& target) {
  return apply("quad_hinge_loss", {Binding(input), Binding(target)});
}
inline Connection quantile_loss(
    const Binding& input,
    const Binding& target,
    const Binding& quantile = 0.5) {
  return apply("quantile_loss", {Binding(input), Binding(target), Binding(quantile)});
}
inline Connection kl_divergence(
    const Binding& input,
    const Binding& target,
    const Binding& threshold = none) {
  return apply("kl_divergence", {Binding(input), Binding(target), Binding(threshold)});
}
inline Connection binary_cross_entropy(
    const Binding& input,
    const Binding& target,
    const Datum& input_type = "logits",
    const Binding& pos_weight = 1.0,
    const Binding& robust = false,
    const Binding& threshold = none) {
  return apply("binary_cross_entropy", {
    Binding(input),
    Binding(target),
    Binding(input_type),
    Binding(pos_weight),
    Binding(robust),
    Binding(threshold)});
}
inline Connection cross_entropy(
    const Binding& input,
    const Binding& target,
    const Datum& input_type = "logits",
    const Datum& weights = false,
    const Binding& categorical = true,
    const Binding& robust = false,
    const Binding& threshold = none) {
  return apply("cross_entropy", {
    Binding(input),
    Binding(target),
    Binding(input_type),
    Binding(weights),
    Binding(categorical),
    Binding(robust),
    Binding(threshold)});
}
inline Connection pick_class(const Binding& input, const Binding& index) {
  return apply("pick_class", {Binding(input), Binding(index)});
}
inline Connection place_class(const Binding& input, const Binding& index, const Binding& like) {
  return apply("place_class", {Binding(input), Binding(index), Binding(like)});
}
inline Connection reshape(const Binding& input, const Binding& shape) {
  return apply("reshape", {Binding(input), Binding(shape)});
}
inline Connection reshape_like(const Binding& input, const Binding& like) {
  return apply("reshape_like", {Binding(input), Binding(like)});
}
inline Connection flatten(
    const Binding& input,
    const Binding& start_dim = 0,
    const Binding& end_dim = -1) {
  return apply("flatten", {Binding(input), Binding(start_dim), Binding(end_dim)});
}
inline Connection squeeze(const Binding& input, const Binding& axis = none) {
  return apply("squeeze", {Binding(input), Binding(axis)});
}
inline Connection expand_dims(const Binding& input, const Binding& axis) {
  return apply("expand_dims", {Binding(input), Binding(axis)});
}
inline Connection transpose(const Binding& input, const Binding& axes = none) {
  return apply("transpose", {Binding(input), Binding(axes)});
}
inline Connection swapaxes(
    const Binding& input,
    const Binding& axis1 = 0,
    const Binding& axis2 = 1) {
  return apply("swapaxes", {Binding(input), Binding(axis1), Binding(axis2)});
}
inline Connection at_least1d(const Binding& input) {
  return apply("at_least1d", {Binding(input)});
}
inline Connection broadcast_to(const Binding& input, const Binding& shape) {
  return apply("broadcast_to", {Binding(input), Binding(shape)});
}
inline Connection concat(const std::vector<Binding>& input, const Binding& axis = 0) {
  return apply("concat", {Binding(input), Binding(axis)});
}
inline Connection concat_grad(
    const Binding& input,
    const std::vector<Binding>& like,
    const Binding& axis,
    const Binding& part) {
  return apply("concat_grad", {Binding(input), Binding(like), Binding(axis), Binding(part)});
}
inline std::vector<Connection> split(
    const Binding& input,
    const Binding& sizes,
    const Binding& axis = 0) {
  return Model::op("split").apply(std::vector<Binding>{
    Binding(input),
    Binding(sizes),
    Binding(axis)});
}
inline Connection slice_grad(
    const Binding& input,
    const Binding& like,
    const Binding& starts,
    const Binding& stops,
    const Binding& steps = none,
    const Binding& axes = none) {
  return apply("slice_grad", {
    Binding(input),
    Binding(like),
    Binding(starts),
    Binding(stops),
    Binding(steps),
    Binding(axes)});
}
inline Connection gather(const Binding& input, const Binding& index, const Binding& axis = 0) {
  return apply("gather", {Binding(input), Binding(index), Binding(axis)});
}
inline Connection permute_tensor(const Binding& input, const Binding& indices) {
  return apply("permute_tensor", {Binding(input), Binding(indices)});
}
inline Connection scatter_add(
    const Binding& input,
    const Binding& index,
    const Binding& like,
    const Binding& axis = 0) {
  return apply("scatter_add", {Binding(input), Binding(index), Binding(like), Binding(axis)});
}
inline Connection embedding(const Binding& input, const Binding& weight) {
  return apply("embedding", {Binding(input), Binding(weight)});
}
inline Connection pad(const Binding& input, const Binding& pad_width, const Binding& value = 0) {
  return apply("pad", {Binding(input), Binding(pad_width), Binding(value)});
}
inline Connection indexer(const Binding& input, const std::vector<Binding>& index) {
  return apply("indexer", {Binding(input), Binding(index)});
}
inline Connection arange(
    const Binding& stop,
    const Binding& start = 0,
    const Binding& step = 1,
    const Binding& dtype = none) {
  return apply("arange", {Binding(stop), Binding(start), Binding(step), Binding(dtype)});
}
inline Connection ones(const Binding& shape, const Binding& dtype = none) {
  return apply("ones", {Binding(shape), Binding(dtype)});
}
inline Connection zeros(const Binding& shape, const Binding& dtype = none) {
  return apply("zeros", {Binding(shape), Binding(dtype)});
}
inline Connection full(
    const Binding& shape,
    const Binding& fill_value,
    const Binding& dtype = none) {
  return apply("full", {Binding(shape), Binding(fill_value), Binding(dtype)});
}
inline Connection eye(const Binding& N, const Binding& M = none, const Binding& dtype = none) {
  return apply("eye", {Binding(N), Binding(M), Binding(dtype)});
}
inline Connection eye_complement(
    const Binding& N,
    const Binding& M = none,
    const Binding& dtype = none) {
  return apply("eye_complement", {Binding(N), Binding(M), Binding(dtype)});
}
inline Connection eye_like(const Binding& like) {
  return apply("eye_like", {Binding(like)});
}
inline Connection positions(const Binding& like) {
  return apply("positions", {Binding(like)});
}
inline Connection random_uniform(const Binding& like, const Binding& key) {
  return apply("random_uniform", {Binding(like), Binding(key)});
}
inline Connection randn(const Binding& shape, const Binding& key, const Binding& dtype = none) {
  return apply("randn", {Binding(shape), Binding(key), Binding(dtype)});
}
inline Connection randint(
    const Binding& shape,
    const Binding& key,
    const Binding& low,
    const Binding& high,
    const Binding& dtype = none) {
  return apply("randint", {
    Binding(shape),
    Binding(key),
    Binding(low),
    Binding(high),
    Binding(dtype)});
}
inline Connection by_mode(
    const Binding& training,
    const Binding& inference,
    const Binding& is_inference = none) {
  return apply("by_mode", {Binding(training), Binding(inference), Binding(is_inference)});
}
inline Connection to_tensor(const Binding& input, const Binding& dtype = none) {
  return apply("to_tensor", {Binding(input), Binding(dtype)});
}
inline Connection shape(const Binding& input) {
  return apply("shape", {Binding(input)});
}
inline Connection size(const Binding& input, const Binding& dim = none) {
  return apply("size", {Binding(input), Binding(dim)});
}
inline Connection length(const Binding& input) {
  return apply("length", {Binding(input)});
}
inline Connection item(const Binding& input) {
  return apply("item", {Binding(input)});
}
inline Connection dtype(const Binding& input) {
  return apply("dtype", {Binding(input)});
}
inline Connection to_tuple(const std::vector<Binding>& input) {
  return apply("to_tuple", {Binding(input)});
}
inline Connection to_list(const std::vector<Binding>& input) {
  return apply("to_list", {Binding(input)});
}
inline Connection make_slice(const Binding& start, const Binding& stop, const Binding& step) {
  return apply("make_slice", {Binding(start), Binding(stop), Binding(step)});
}
inline Connection sum(
    const Binding& input,
    const Binding& axis = none,
    const Binding& keepdim = false) {
  return apply("sum", {Binding(input), Binding(axis), Binding(keepdim)});
}
inline Connection mean(
    const Binding& input,
    const Binding& axis = none,
    const Binding& keepdim = false) {
  return apply("mean", {Binding(input), Binding(axis), Binding(keepdim)});
}
inline Connection variance(
    const Binding& input,
    const Binding& axis = none,
    const Binding& keepdim = false,
    const Binding& correction = 0.0) {
  return apply("variance", {Binding(input), Binding(axis), Binding(keepdim), Binding(correction)});
}
inline Connection prod(
    const Binding& input,
    const Binding& axis = none,
    const Binding& keepdim = false) {
  return apply("prod", {Binding(input), Binding(axis), Binding(keepdim)});
}
inline Connection max(
    const Binding& input,
    const Binding& axis = none,
    const Binding& keepdim = false) {
  return apply("max", {Binding(input), Binding(axis), Binding(keepdim)});
}
inline Connection min(
    const Binding& input,
    const Binding& axis = none,
    const Binding& keepdim = false) {
  return apply("min", {Binding(input), Binding(axis), Binding(keepdim)});
}
inline Connection argmax(
    const Binding& input,
    const Binding& axis = none,
    const Binding& keepdim = false) {
  return apply("argmax", {Binding(input), Binding(axis), Binding(keepdim)});
}
inline Connection argmin(
    const Binding& input,
    const Binding& axis = none,
    const Binding& keepdim = false) {
  return apply("argmin", {Binding(input), Binding(axis), Binding(keepdim)});
}
inline Connection softmax(const Binding& input, const Binding& axis = -1) {
  return apply("softmax", {Binding(input), Binding(axis)});
}
inline Connection softmax_grad(
    const Binding& grad,
    const Binding& result,
    const Binding& axis = -1) {
  return apply("softmax_grad", {Binding(grad), Binding(result), Binding(axis)});
}
inline Connection log_softmax(const Binding& input, const Binding& axis = -1) {
  return apply("log_softmax", {Binding(input), Binding(axis)});
}
inline Connection log_softmax_grad(
    const Binding& grad,
    const Binding& result,
    const Binding& axis = -1) {
  return apply("log_softmax_grad", {Binding(grad), Binding(result), Binding(axis)});
}
inline Connection expand_reduced(
    const Binding& input,
    const Binding& like,
    const Binding& axis = none,
    const Binding& keepdim = false,
    const Binding& correction = none) {
  return apply("expand_reduced", {
    Binding(input),
    Binding(like),
    Binding(axis),
    Binding(keepdim),
    Binding(correction)});
}
inline Connection prod_of_others(const Binding& input, const Binding& axis = none) {
  return apply("prod_of_others", {Binding(input), Binding(axis)});
}
inline Connection trapezoid(const Binding& y, const Binding& x) {
  return apply("trapezoid", {Binding(y), Binding(x)});
}
inline Connection auc_core(const Binding& input, const Binding& label) {
  return apply("auc_core", {Binding(input), Binding(label)});
}
inline Connection unique(const Binding& input, const Binding& size) {
  return apply("unique", {Binding(input), Binding(size)});
}
inline std::vector<Connection> layer_norm(
    const Binding& input,
    const Binding& weight = none,
    const Binding& bias = none,
    const Binding& eps = 1e-05) {
  return Model::op("layer_norm").apply(std::vector<Binding>{
    Binding(input),
    Binding(weight),
    Binding(bias),
    Binding(eps)});
}
inline std::vector<Connection> layer_norm_grad(
    const Binding& grad,
    const Binding& input,
    const Binding& mean,
    const Binding& rstd,
    const Binding& weight = none) {
  return Model::op("layer_norm_grad").apply(std::vector<Binding>{
    Binding(grad),
    Binding(input),
    Binding(mean),
    Binding(rstd),
    Binding(weight)});
}
inline std::vector<Connection> batch_norm_training(
    const Binding& input,
    const Binding& running_mean,
    const Binding& running_var,
    const Binding& weight = none,
    const Binding& bias = none,
    const Binding& momentum = 0.1,
    const Binding& eps = 1e-05) {
  return Model::op("batch_norm_training").apply(std::vector<Binding>{
    Binding(input),
    Binding(running_mean),
    Binding(running_var),
    Binding(weight),
    Binding(bias),
    Binding(momentum),
    Binding(eps)});
}
inline Connection batch_norm_inference(
    const Binding& input,
    const Binding& mean,
    const Binding& variance,
    const Binding& weight = none,
    const Binding& bias = none,
    const Binding& eps = 1e-05) {
  return apply("batch_norm_inference", {
    Binding(input),
    Binding(mean),
    Binding(variance),
    Binding(weight),
    Binding(bias),
    Binding(eps)});
}
inline std::vector<Connection> batch_norm_grad(
    const Binding& grad,
    const Binding& input,
    const Binding& mean,
    const Binding& rstd,
    const Binding& weight = none,
    const Binding& training = true) {
  return Model::op("batch_norm_grad").apply(std::vector<Binding>{
    Binding(grad),
    Binding(input),
    Binding(mean),
    Binding(rstd),
    Binding(weight),
    Binding(training)});
}
inline Connection linear(const Binding& input, const Binding& weight, const Binding& bias = none) {
  return apply("linear", {Binding(input), Binding(weight), Binding(bias)});
}
inline Connection cartesian_difference(const Binding& left, const Binding& right) {
  return apply("cartesian_difference", {Binding(left), Binding(right)});
}
inline Connection distance_matrix(const Binding& left, const Binding& right, const Binding& norm) {
  return apply("distance_matrix", {Binding(left), Binding(right), Binding(norm)});
}
inline std::vector<Connection> bell_widths(
    const Binding& squared_distances,
    const Binding& target_perplexity,
    const Binding& threshold = none) {
  return Model::op("bell_widths").apply(std::vector<Binding>{
    Binding(squared_distances),
    Binding(target_perplexity),
    Binding(threshold)});
}
inline Connection tsne_p_joint(
    const Binding& squared_distances,
    const Binding& target_perplexity,
    const Binding& threshold = none) {
  return apply("tsne_p_joint", {
    Binding(squared_distances),
    Binding(target_perplexity),
    Binding(threshold)});
}
inline Connection monomials(const Binding& variables, const Binding& degree) {
  return apply("monomials", {Binding(variables), Binding(degree)});
}
inline Connection polynomial_features(const Binding& input, const Binding& degree) {
  return apply("polynomial_features", {Binding(input), Binding(degree)});
}
inline Connection attention_weights(
    const Binding& query,
    const Binding& key,
    const Binding& attn_mask = none,
    const Binding& is_causal = true,
    const Binding& scale = none) {
  return apply("attention_weights", {
    Binding(query),
    Binding(key),
    Binding(attn_mask),
    Binding(is_causal),
    Binding(scale)});
}
inline Connection scaled_dot_product(
    const Binding& query,
    const Binding& key,
    const Binding& value,
    const Binding& attn_mask = none,
    const Binding& is_causal = true,
    const Binding& scale = none,
    const Binding& dropout_p = 0.0) {
  return apply("scaled_dot_product", {
    Binding(query),
    Binding(key),
    Binding(value),
    Binding(attn_mask),
    Binding(is_causal),
    Binding(scale),
    Binding(dropout_p)});
}
inline Connection transposed_diagonal(const Binding& input) {
  return apply("transposed_diagonal", {Binding(input)});
}
inline Connection tril(const Binding& input) {
  return apply("tril", {Binding(input)});
}
inline Connection cholesky(const Binding& input) {
  return apply("cholesky", {Binding(input)});
}
inline Connection solve_triangular(
    const Binding& matrix,
    const Binding& right,
    const Binding& upper = false) {
  return apply("solve_triangular", {Binding(matrix), Binding(right), Binding(upper)});
}
inline Connection eigenvalues(const Binding& input) {
  return apply("eigenvalues", {Binding(input)});
}
inline Connection eigenvectors(const Binding& input) {
  return apply("eigenvectors", {Binding(input)});
}
inline Connection eigvalsh(
    const Binding& K_term,
    const Binding& L = none,
    const Binding& threshold = none) {
  return apply("eigvalsh", {Binding(K_term), Binding(L), Binding(threshold)});
}
inline Connection gpr_alpha(const Binding& label_mu_diff, const Binding& L, const Binding& K_term) {
  return apply("gpr_alpha", {Binding(label_mu_diff), Binding(L), Binding(K_term)});
}
inline Connection gpr_v_outer(const Binding& K, const Binding& K_term, const Binding& L) {
  return apply("gpr_v_outer", {Binding(K), Binding(K_term), Binding(L)});
}
inline Connection positional_encoding(
    const Binding& input,
    const Binding& hidden_dim,
    const Binding& max_len = 5000) {
  return apply("positional_encoding", {Binding(input), Binding(hidden_dim), Binding(max_len)});
}
inline Connection conv1d(
    const Binding& input,
    const Binding& weight,
    const Binding& bias = none,
    const Binding& stride = 1,
    const Binding& padding = 0,
    const Binding& dilation = 1,
    const Binding& groups = 1) {
  return apply("conv1d", {
    Binding(input),
    Binding(weight),
    Binding(bias),
    Binding(stride),
    Binding(padding),
    Binding(dilation),
    Binding(groups)});
}
inline Connection conv2d(
    const Binding& input,
    const Binding& weight,
    const Binding& bias = none,
    const Binding& stride = 1,
    const Binding& padding = 0,
    const Binding& dilation = 1,
    const Binding& groups = 1) {
  return apply("conv2d", {
    Binding(input),
    Binding(weight),
    Binding(bias),
    Binding(stride),
    Binding(padding),
    Binding(dilation),
    Binding(groups)});
}
inline Connection conv2d_input_grad(
    const Binding& grad,
    const Binding& input,
    const Binding& weight,
    const Binding& stride = 1,
    const Binding& padding = 0,
    const Binding& dilation = 1,
    const Binding& groups = 1) {
  return apply("conv2d_input_grad", {
    Binding(grad),
    Binding(input),
    Binding(weight),
    Binding(stride),
    Binding(padding),
    Binding(dilation),
    Binding(groups)});
}
inline Connection conv2d_weight_grad(
    const Binding& grad,
    const Binding& input,
    const Binding& weight,
    const Binding& stride = 1,
    const Binding& padding = 0,
    const Binding& dilation = 1,
    const Binding& groups = 1) {
  return apply("conv2d_weight_grad", {
    Binding(grad),
    Binding(input),
    Binding(weight),
    Binding(stride),
    Binding(padding),
    Binding(dilation),
    Binding(groups)});
}
inline Connection max_pool1d(
    const Binding& input,
    const Binding& kernel_size,
    const Binding& stride = none,
    const Binding& padding = 0,
    const Binding& dilation = 1) {
  return apply("max_pool1d", {
    Binding(input),
    Binding(kernel_size),
    Binding(stride),
    Binding(padding),
    Binding(dilation)});
}
inline std::vector<Connection> max_pool2d(
    const Binding& input,
    const Binding& kernel_size,
    const Binding& stride = none,
    const Binding& padding = 0,
    const Binding& dilation = 1) {
  return Model::op("max_pool2d").apply(std::vector<Binding>{
    Binding(input),
    Binding(kernel_size),
    Binding(stride),
    Binding(padding),
    Binding(dilation)});
}
inline Connection max_pool2d_grad(
    const Binding& grad,
    const Binding& input,
    const Binding& kernel_size,
    const Binding& stride = none,
    const Binding& padding = 0,
    const Binding& dilation = 1,
    const Binding& places = none) {
  return apply("max_pool2d_grad", {
    Binding(grad),
    Binding(input),
    Binding(kernel_size),
    Binding(stride),
    Binding(padding),
    Binding(dilation),
    Binding(places)});
}
inline Connection max_pool2d_pick(
    const Binding& values,
    const Binding& input,
    const Binding& kernel_size,
    const Binding& stride = none,
    const Binding& padding = 0,
    const Binding& dilation = 1) {
  return apply("max_pool2d_pick", {
    Binding(values),
    Binding(input),
    Binding(kernel_size),
    Binding(stride),
    Binding(padding),
    Binding(dilation)});
}
inline Connection avg_pool1d(
    const Binding& input,
    const Binding& kernel_size,
    const Binding& stride = none,
    const Binding& padding = 0,
    const Binding& dilation = 1) {
  return apply("avg_pool1d", {
    Binding(input),
    Binding(kernel_size),
    Binding(stride),
    Binding(padding),
    Binding(dilation)});
}
inline Connection avg_pool2d(
    const Binding& input,
    const Binding& kernel_size,
    const Binding& stride = none,
    const Binding& padding = 0,
    const Binding& dilation = 1) {
  return apply("avg_pool2d", {
    Binding(input),
    Binding(kernel_size),
    Binding(stride),
    Binding(padding),
    Binding(dilation)});
}
inline Connection avg_pool2d_grad(
    const Binding& grad,
    const Binding& like,
    const Binding& kernel_size,
    const Binding& stride = none,
    const Binding& padding = 0,
    const Binding& dilation = 1) {
  return apply("avg_pool2d_grad", {
    Binding(grad),
    Binding(like),
    Binding(kernel_size),
    Binding(stride),
    Binding(padding),
    Binding(dilation)});
}

}  // namespace mithril
