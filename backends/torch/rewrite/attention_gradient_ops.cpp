// The records of gradients of attention, spelled with torch's backward operators.
#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "backends/torch/rewrite/attention_gradient.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/patterns.hpp"
#include "mithril/op/registry.hpp"
#include "mithril/op/spelling.hpp"
#include "mithril/ops/support/attention.hpp"
#include "mithril/ops/support/spelling.hpp"

namespace mithril::torch_backend {
namespace {

// Without a mask there are no dims.
bool has_mask(const SpellingContext& c) { return !c.dims("attn_mask").empty(); }

struct Spelled {
  std::string query, key, value, grad, bias, causal, scale;
  int64_t sequences, heads, rows, columns, width;
  size_t missing;  // axes below the four that the kernels take
};

std::string times(size_t count, const char* op, std::string of) {
  for (; count > 0; --count) of = spell_call(op, {of, "0"});
  return of;
}

std::string spelled_real(double number) {
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, number).ptr};
}

// The bias that a mask adds to the scores, with four axes; "None" without one. The kernels know the
// causal mask only if there is no other.
std::string spell_bias(const SpellingContext& c) {
  if (!has_mask(c)) return "None";
  const std::string as_output = spell_call("aten::to", {"attn_mask", "output.dtype"});
  const std::string bias =
      "attn_mask.kind == \"bool\" ? " + spell_call("aten::log", {as_output}) + " : " + as_output;
  if (!c.value("is_causal").flag())
    return times(4 - c.dims("attn_mask").size(), "aten::unsqueeze", bias);
  const size_t rank = std::max<size_t>(c.dims("attn_mask").size(), 2);
  return times(4 - rank, "aten::unsqueeze",
               spell_call("aten::add",
                          {bias, spell_call("aten::to", {spell_causal_bias(c), "output.dtype"})}));
}

Spelled arguments_of(const SpellingContext& c) {
  const Dims &query = c.dims("query"), &key = c.dims("key");
  const size_t missing = 4 - query.size();
  const auto port = [&](const char* name) { return times(missing, "aten::unsqueeze", name); };
  // The kernels read rows without gaps, and that of the CPU does not check it.
  const auto dense = [&](const char* name) { return spell_call("aten::contiguous", {port(name)}); };
  return {dense("query"),
          dense("key"),
          dense("value"),
          port("grad"),
          spell_bias(c),
          c.value("is_causal").flag() && !has_mask(c) ? "True" : "False",
          spelled_real(c.value("scale").real()),
          missing == 0 ? query[0] : 1,
          query.end()[-3],
          query.end()[-2],
          key.end()[-2],
          query.back(),
          missing};
}

// The first three results of the backward operator, without the additional axes.
std::string results_of(const Spelled& s, const std::string& backward) {
  std::vector<std::string> items;
  for (const char* item : {"[0]", "[1]", "[2]"}) {
    items.push_back(times(s.missing, "aten::squeeze", backward + item));
  }
  return "[" + items[0] + ", " + items[1] + ", " + items[2] + "]";
}

std::string spell_written_out(const Spelled& s) {
  const std::string turned_key = spell_call("aten::transpose", {s.key, "-2", "-1"});
  std::string scores =
      spell_call("aten::matmul", {spell_call("aten::mul", {s.query, s.scale}), turned_key});
  if (s.causal == "True") {
    const std::string ones = spell_call("aten::ones", {to_string(Dims{s.rows, s.columns})});
    scores = spell_call("aten::add",
                        {scores, spell_call("aten::log", {spell_call("aten::tril", {ones})})});
  }
  const bool has_bias = s.bias != "None";
  if (has_bias) scores = spell_call("aten::add", {scores, s.bias});
  const std::string weights =
      spell_call(has_bias ? "aten::_safe_softmax" : "aten::softmax", {scores, "-1"});
  const std::string by_weights =
      spell_call("aten::matmul", {s.grad, spell_call("aten::transpose", {s.value, "-2", "-1"})});
  const std::string by_scores = spell_call(
      "aten::mul",
      {spell_call("aten::_softmax_backward_data", {by_weights, weights, "-1", "output.dtype"}),
       s.scale});
  const auto product = [](const std::string& left, const std::string& right) {
    return spell_call("aten::matmul", {left, right});
  };
  const std::string query = product(by_scores, s.key);
  const std::string key = product(spell_call("aten::transpose", {by_scores, "-2", "-1"}), s.query);
  const std::string value = product(spell_call("aten::transpose", {weights, "-2", "-1"}), s.grad);
  std::vector<std::string> items;
  for (const std::string& item : {query, key, value}) {
    items.push_back(times(s.missing, "aten::squeeze", item));
  }
  return "[" + items[0] + ", " + items[1] + ", " + items[2] + "]";
}

bool is_empty(const SpellingContext& c) {
  return element_count(c.dims("query")) == 0 || element_count(c.dims("key")) == 0;
}

// The fewest pairs of a query and a key for which the kernel of the CPU pays off: it computes the
// result again. With one thread and 64 columns, 128 x 128 take 1.13 of the written-out time, and
// 512 x 512 take 0.48.
constexpr int64_t min_pairs = 256 * 256;

std::string spell_on_cpu(const SpellingContext& c) {
  const Spelled s = arguments_of(c);
  if (is_empty(c) || s.rows * s.columns < min_pairs) return spell_written_out(s);
  const std::string op = "aten::_scaled_dot_product_flash_attention_for_cpu";
  const std::string mask = "attn_mask=" + s.bias, scale = "scale=" + s.scale;
  const std::string forward =
      spell_call(op, {s.query, s.key, s.value, "0.0", s.causal, mask, scale});
  return results_of(s,
                    spell_call(op + "_backward", {s.grad, s.query, s.key, s.value, forward + "[0]",
                                                  forward + "[1]", "0.0", s.causal, mask, scale}));
}

// The kernel reads rows of the bias that begin at multiples of 8 elements, and broadcasts all axes
// but the last.
std::string spell_aligned_bias(const SpellingContext& c, const Spelled& s) {
  if (!has_mask(c)) return "None";
  const Dims& mask = c.dims("attn_mask");
  std::string bias = s.bias;
  const bool one_column = mask.empty() || mask.back() == 1;
  if (one_column && !c.value("is_causal").flag())
    bias = spell_call("aten::expand", {bias, "[-1, -1, -1, " + spell_number(s.columns) + "]"});
  // As torch pads it. The copy has no odd strides along axes of one element.
  const std::string more = spell_number(8 - s.columns % 8);
  bias = spell_call("aten::constant_pad_nd",
                    {spell_call("aten::contiguous", {bias}), "[0, " + more + "]"});
  bias = spell_call("aten::slice", {bias, "-1", "0", spell_number(s.columns)});
  const Dims whole{s.sequences, s.heads, s.rows, s.columns};
  return spell_call("aten::expand", {bias, to_string(whole)});
}

// The kernels of GPUs take the sequences and the heads as blocks along the second and third axis of
// their grid, which CUDA limits.
constexpr int64_t most_blocks = 65535;

bool suits_gpu(const SpellingContext& c, const Spelled& s) {
  return s.width % 8 == 0 && s.sequences <= most_blocks && s.heads <= most_blocks && !is_empty(c);
}

std::string spell_memory_efficient(const SpellingContext& c) {
  const Spelled s = arguments_of(c);
  // torch pads a bias of one column in the order of its axes in memory. A mask in channels last
  // would get a last axis with gaps, which the kernel refuses.
  const bool may_have_gaps = has_mask(c) && s.columns == 1;
  if (!suits_gpu(c, s) || may_have_gaps) return spell_written_out(s);
  const std::string op = "aten::_scaled_dot_product_efficient_attention";
  const std::string bias = spell_aligned_bias(c, s), scale = "scale=" + s.scale;
  const std::string f =
      spell_call(op, {s.query, s.key, s.value, bias, "True", "0.0", s.causal, scale});
  return results_of(
      s, spell_call(op + "_backward",
                    {s.grad, s.query, s.key, s.value, bias, f + "[0]", f + "[1]", f + "[2]",
                     f + "[3]", "0.0", "[True, True, True, False]", s.causal, scale}));
}

// The causal mask of the flash kernel ends at the last column, ours begins at the first. It takes
// no other mask. On GPUs of compute capability 8.6, 8.9 and 12, its gradient has no heads of 200 to
// 224 columns.
std::string spell_flash(const SpellingContext& c) {
  const Spelled s = arguments_of(c);
  if (has_mask(c) || (s.width > 192 && s.width <= 224)) return spell_memory_efficient(c);
  const bool suits =
      suits_gpu(c, s) && s.width <= 256 && (s.causal == "False" || s.rows == s.columns);
  if (!suits) return spell_written_out(s);
  const std::string op = "aten::_scaled_dot_product_flash_attention";
  const std::string f =
      spell_call(op, {s.query, s.key, s.value, "0.0", s.causal, "False", "scale=" + s.scale});
  return results_of(s, spell_call(op + "_backward",
                                  {s.grad, s.query, s.key, s.value, f + "[0]", f + "[1]", f + "[2]",
                                   f + "[3]", spell_number(s.rows), spell_number(s.columns), "0.0",
                                   s.causal, f + "[6]", f + "[7]", "scale=" + s.scale}));
}

OpDef make_op(const char* name, std::string (*spell)(const SpellingContext&)) {
  OpDef op{
      .name = name,
      .doc = "The gradients of query, key and value of scaled_dot_product.",
      .internal = true,
      .inputs = {{"query", "*b L E", "T=float"},
                 {"key", "*b S E", "T"},
                 {"value", "*b S E", "T"},
                 {"grad", "*b L E", "T"},
                 optional("attn_mask", "*m", "bool|float"),
                 value("is_causal", "bool"),
                 value("scale", "float")},
      .outputs = {{"query_grad", "*b L E", "T"},
                  {"key_grad", "*b S E", "T"},
                  {"value_grad", "*b S E", "T"}},
      .eval = [](EvalContext&) { MITHRIL_CHECK(false, "an op for torch alone ran here"); },
      .not_differentiable = "only graphs inside of the backend contain it",
      .cast = CastPolicy::lower,  // the kernels of GPUs take half precision only
      .spell = {{"torch", "the backward operator of torch's attention", spell}},
  };
  compile_patterns(op);
  return op;
}

}  // namespace

const OpDef& attention_gradient(AttentionKernel kernel) {
  static const OpDef cpu = make_op("attention_gradient_cpu", spell_on_cpu),
                     flash = make_op("attention_gradient_flash", spell_flash),
                     efficient =
                         make_op("attention_gradient_memory_efficient", spell_memory_efficient);
  switch (kernel) {
    case AttentionKernel::cpu:
      return cpu;
    case AttentionKernel::flash:
      return flash;
    case AttentionKernel::memory_efficient:
      break;
  }
  return efficient;
}

}  // namespace mithril::torch_backend
