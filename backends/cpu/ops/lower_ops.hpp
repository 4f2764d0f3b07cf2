// Lowering of attention, norms, pooling, reductions, scans, sorting, and ops that move
// elements. Each function
// lowers the kernel calls that its comment spells.
#pragma once

#include <optional>

#include "backends/cpu/descriptors/kernel_call.hpp"

namespace mithril::cpu_backend {

// Lowers "attention(query, key, value, attn_mask, is_causal, scale)", and "attention_weights(query,
// key, attn_mask, is_causal, scale)", whose result is the weights. The step computes a block of
// query rows at a time, so that its scores stay in the second-level cache. None for dtypes without
// kernels and for empty tensors.
Lowering lower_attention;

// Lowers "gather(input, index, axis)", for elements of any dtype. None if `index` is a number or
// the output is empty.
Lowering lower_gather;

// Lowers "swapaxes(input, axis1, axis2)", "permute(input, axes)", where axes None reverses all
// axes, "slice(input, starts, stops, steps, axes)", its gradient "slice_grad(input, like, starts,
// stops, steps, axes)", which is zeros with the dims of `like`, except that the slice holds the
// input, or "pad(input, pad_width, value)". None if the dims of the slice do not fit, and for
// widths below 0.
Lowering lower_movement;

// Lowers "all_reduce_start(inputs, group, reduction)": the tensors are exchanged side by side,
// while the next steps run. None if they have several dtypes, or if something else than one wait
// reads the outputs: then `eval` performs the whole exchange.
Lowering lower_all_reduce_start;

// Lowers "all_reduce_wait(inputs)". None if the start was not lowered.
Lowering lower_all_reduce_wait;

// Lowers "concat(input, axis)", where axis None joins the flattened inputs. None if an input has
// another dtype than the output.
Lowering lower_concat;

// Lowers "roll(input, shift, axis)", where axis None rolls the flattened input. None if there is
// no axis.
Lowering lower_roll;

// Whether the node is a slice of all elements in their order.
bool is_whole_slice(const ShapedGraph& shaped, size_t node);

// The source of which the node's output is the transpose (last two axes); none for any other node.
std::optional<ValueId> transposed_by(const ShapedGraph& shaped, size_t node);

// Lowers "layer_norm(input, weight, bias, eps)", whose outputs are the result, the means and the
// reciprocal standard deviations, or "layer_norm_grad(grad, input, mean, rstd, weight)", whose
// outputs are the gradients of input, weight and bias. None for dtypes without kernels and for
// empty rows.
Lowering lower_norm;

// Lowers "scatter(input, index, source, axis, reduce)". The step may write into the buffer of
// `input`; then it writes only the elements of `source`. None if `reduce` is not "set" or the
// output is empty.
Lowering lower_scatter;

// Lowers "max_pool(input, kernel_size, stride, padding, dilation)" or "average_pool(...)" with the
// same arguments. The second output of max_pool, the positions of the maxima, is computed only if
// it is used. None for dtypes without kernels.
Lowering lower_pooling;

// Lowers "max_pool_grad(grad, input, places, kernel_size, stride, padding, dilation)" or
// "average_pool_grad(grad, input, kernel_size, stride, padding, dilation)".
Lowering lower_pooling_grad;

// Lowers "sum(input, axis)", "mean(input, axis)", "max(input, axis)", "min(input, axis)", and
// "sum_to(input, like)", which sums over the axes along which `like` would be broadcast. None for
// dtypes without kernels and for empty inputs.
Lowering lower_reduction;

// Whether the node reduces the last two axes of a float32 tensor [N, C, H, W]. The input may then
// have the blocked layout.
bool reduces_planes(const CallReader& call);

// Lowers "linear_scan(input, decay, axis, reverse, exclusive)", "cumsum(input, axis, reverse)" or
// "cumprod(input, axis, reverse, exclusive)". None for dtypes without kernels, and for few elements
// after the axis.
Lowering lower_scan;

// Lowers "scatter_add(input, index, like, axis)". None if `index` is a number, the output is empty,
// or the elements are not float32 or float64.
Lowering lower_scatter_add;

// Lowers "argsort(input, axis, descending)", of which the output may have only the first elements.
// None for other elements than float32.
Lowering lower_sorting;

// Lowers "softmax(input, axis)", "log_softmax(input, axis)", "softmax_grad(grad, result, axis)" or
// "log_softmax_grad(grad, result, axis)". None for another axis than the last, and for dtypes
// without kernels.
Lowering lower_rows;

}  // namespace mithril::cpu_backend
