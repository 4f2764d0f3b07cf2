#include "backends/cpu/layout/assign_layouts.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "backends/cpu/conv/convolution.hpp"
#include "backends/cpu/descriptors/kernel_call.hpp"
#include "backends/cpu/elementwise/elementwise_dtype.hpp"
#include "backends/cpu/elementwise/program_builder.hpp"
#include "backends/cpu/elementwise/program_step.hpp"
#include "backends/cpu/kernels/blocking.hpp"
#include "backends/cpu/ops/lower_ops.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril::cpu_backend {
namespace {

constexpr size_t rank = 4;

// Assigns layouts to kinds of values. The values of a kind must have the same layout. One of its
// values, the root, identifies it.
class Choice {
 public:
  explicit Choice(const LoweringContext& context)
      : context_(context),
        shaped_(context.shaped),
        kind_(shaped_.graph().values().size()),
        is_refused_(kind_.size()),
        is_wanted_(kind_.size()),
        is_padded_(kind_.size()) {
    for (size_t i = 0; i < kind_.size(); ++i) kind_[i] = i;
  }

  BlockedLayouts run() {
    find_convolutions();
    if (convolutions_.empty()) return {};
    for (const ValueId id : shaped_.graph().inputs()) refuse(id);
    for (const Constant& constant : shaped_.graph().constants()) refuse(constant.value);
    for (const Output& output : shaped_.graph().outputs()) refuse(output.value);
    for (size_t node = 0; node < shaped_.node_count(); ++node) visit(node);
    std::vector<bool> chosen(kind_.size());
    for (size_t i = 0; i < kind_.size(); ++i) {
      const size_t kind = kind_of(i);
      chosen[i] = is_wanted_[kind] && !is_refused_[kind] && has_blocks(static_cast<ValueId>(i));
    }
    return {std::move(chosen), std::move(is_padded_), channels_};
  }

 private:
  // Marks the convolutions that have an NCHWc kernel, with the largest block of channels.
  void find_convolutions() {
    std::vector<int64_t> channels(shaped_.node_count());
    for (size_t node = 0; node < shaped_.node_count(); ++node) {
      if (const auto at = nchwc_convolution_for(context_, node)) {
        channels[node] = at->kernels->block;
      }
    }
    if (!channels.empty()) channels_ = *std::max_element(channels.begin(), channels.end());
    if (channels_ == 0) return;
    for (const int64_t block : channels) convolutions_.push_back(block == channels_);
  }

  size_t kind_of(size_t value) {
    while (kind_[value] != value) value = kind_[value] = kind_[kind_[value]];
    return value;
  }

  // Whether the blocked layout of the value exists and differs from NCHW.
  bool has_blocks(ValueId id) const {
    if (!is_known(id)) return false;
    constexpr int64_t most_places = std::numeric_limits<int32_t>::max();
    const Dims& dims = shaped_.dims(id);
    if (dims.size() != rank || !fills_blocks(dims[1])) return false;
    const int64_t places = dims[2] * dims[3];
    return places > 1 && places <= most_places;
  }
  // Whether fewer than half of the lanes are padding. An odd channel of bfloat16 would share a VNNI
  // pair with a padded lane, which need not be finite.
  bool fills_blocks(int64_t channels) const {
    const bool in_pairs = channels_ > channel_block;
    return 2 * channels > up(channels, channels_) * channels_ && (!in_pairs || channels % 2 == 0);
  }
  // Whether the value has dims and elements. A value that no node computes has no dims.
  bool is_known(ValueId id) const { return shaped_.count(id) > 0; }

  void refuse(ValueId id) { is_refused_[kind_of(index(id))] = true; }
  void want(ValueId id) { is_wanted_[kind_of(index(id))] = true; }
  void share_layout(ValueId a, ValueId b) {
    const size_t from = kind_of(index(a)), to = kind_of(index(b));
    kind_[from] = to;
    is_refused_[to] = is_refused_[to] || is_refused_[from];
    is_wanted_[to] = is_wanted_[to] || is_wanted_[from];
  }

  void visit(size_t node) {
    const Node& at = shaped_.node(node);
    const ValueId made = at.outputs.front();
    const SpelledExpression* call = kernel_of(*at.op);
    if (call && !at.op->keeps_elements) {
      const CallReader reader{shaped_, node, *call};
      if (convolutions_[node]) {
        want(*reader.tensor(0));
        return want(made);
      }
      if (pools(node, *call) && may_share_layout(*reader.tensor(0), made)) {
        return share_layout(*reader.tensor(0), made);
      }
      if (reduces_planes(reader)) return;
    } else if (is_loop(node)) {
      for (const ValueId id : shaped_.tensors(node)) visit_input(id, made);
      return;
    }
    for (const ValueId id : shaped_.tensors(node)) refuse(id);
    for (const ValueId id : at.outputs) refuse(id);
  }

  bool pools(size_t node, const SpelledExpression& call) const {
    const std::vector<ValueId>& outputs = shaped_.node(node).outputs;
    if (shaped_.dtype(outputs.front()) != DType::float32) return false;
    if (call.text == "average_pool") return true;
    return call.text == "max_pool" && context_.use_counts[index(outputs[1])] == 0;
  }

  bool is_loop(size_t node) const {
    if (shaped_.node(node).op->keeps_elements || !elementwise_dtype(shaped_, node)) return false;
    const size_t nodes[] = {node};
    const auto program = make_elementwise_program(shaped_, nodes, shaped_.node(node).outputs);
    return program && fits_a_step(*program);
  }

  // Whether a pool can read and write the blocked layout. A side with one pixel has no blocks.
  bool may_share_layout(ValueId from, ValueId to) {
    if (has_blocks(from) == has_blocks(to)) return true;
    return is_the_same_in_blocks(has_blocks(from) ? to : from);
  }

  // Relates an input of an elementwise node to its output.
  void visit_input(ValueId id, ValueId made) {
    if (has_blocks(id) && has_blocks(made) && shaped_.dims(id) == shaped_.dims(made)) {
      return share_layout(id, made);
    }
    const Dims& dims = shaped_.dims(id);
    if (dims.size() <= rank && is_the_same_in_blocks(id)) return;
    refuse(id);
    refuse(made);
  }

  // Whether a blocked program can read this value, which has no blocks: it has one channel, or one
  // pixel for each channel.
  bool is_the_same_in_blocks(ValueId id) {
    const Dims& dims = shaped_.dims(id);
    const auto from_end = [&](size_t i) { return dims.size() < i ? 1 : dims[dims.size() - i]; };
    if (from_end(3) == 1) return true;
    if (from_end(2) * from_end(1) != 1) return false;
    return from_end(3) % channels_ == 0 || (from_end(4) == 1 && pad(id));
  }

  // Makes the buffer of a vector of channels end at a whole block, if the plan allocates it.
  bool pad(ValueId id) {
    while (!shaped_.is_output(id)) {
      const size_t producer = shaped_.producer(id);
      const bool is_made = producer != ShapedGraph::no_node;
      if (!is_made || !shaped_.node(producer).op->keeps_elements) {
        return (is_made || context_.packed.find(id)) && (is_padded_[index(id)] = true);
      }
      id = *tensor_of(shaped_.node(producer).arguments.front());
    }
    return false;
  }

  const LoweringContext& context_;
  const ShapedGraph& shaped_;
  std::vector<size_t> kind_;      // per value: its parent in the kind; a root is its own parent
  std::vector<bool> is_refused_;  // per kind
  std::vector<bool> is_wanted_;
  std::vector<bool> is_padded_;     // per value
  std::vector<bool> convolutions_;  // per node; empty: none
  int64_t channels_ = 0;            // of a block
};

}  // namespace

BlockedLayouts assign_layouts(const LoweringContext& context) { return Choice(context).run(); }

}  // namespace mithril::cpu_backend
