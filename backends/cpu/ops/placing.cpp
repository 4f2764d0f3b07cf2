#include "backends/cpu/ops/lower_ops.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "backends/cpu/descriptors/kernel_call.hpp"
#include "backends/cpu/descriptors/reference_steps.hpp"
#include "backends/cpu/runtime/axes.hpp"

namespace mithril::cpu_backend {
namespace {

struct Placing {
  std::vector<Axis> axes;  // of the source; steps of the output, 0 along the axis of the indices
  int64_t size = 1, step = 1;  // of the output along the axis of the indices
  int64_t count = 0;           // number of elements of the source
  int64_t bytes = 0;           // of the output
};

struct PlacingBuffers {
  BufferRef input, index, source, output;
};

// Element: an integer of the size of the elements.
template <typename Element, typename Index>
class PlacingStep final : public Step {
 public:
  // `reference` runs `eval` if an index is out of range, which raises the error.
  PlacingStep(Placing placing, PlacingBuffers refs, std::unique_ptr<Step> reference)
      : p_(std::move(placing)), refs_(refs), reference_(std::move(reference)) {}

  void run(const BufferTable& buffers) const override {
    const Index* index = buffers.read<Index>(refs_.index);
    const bool fits = std::all_of(index, index + p_.count,
                                  [&](Index at) { return at >= -p_.size && at < p_.size; });
    if (!fits) return reference_->run(buffers);
    const Element* input = buffers.read<Element>(refs_.input);
    const Element* source = buffers.read<Element>(refs_.source);
    Element* output = buffers.write<Element>(refs_.output);
    if (output != input) std::memcpy(output, input, static_cast<size_t>(p_.bytes));
    const Axis row = p_.axes.back();
    for (int64_t first = 0; first < p_.count; first += row.size) {
      const int64_t origin = offset(p_.axes, first);
      for (int64_t i = 0; i < row.size; ++i) {
        const auto at = static_cast<int64_t>(index[first + i]);
        output[origin + i * row.step + (at < 0 ? at + p_.size : at) * p_.step] = source[first + i];
      }
    }
  }

 private:
  Placing p_;
  PlacingBuffers refs_;
  std::unique_ptr<Step> reference_;
};

Placing placing_of(const ShapedGraph& shaped, ValueId source, ValueId made, int64_t axis) {
  const Dims &whole = shaped.dims(made), &part = shaped.dims(source);
  const AroundAxis around(whole, axis);
  Placing placing{.size = around.size,
                  .step = around.inner,
                  .count = shaped.count(source),
                  .bytes = shaped.bytes(made)};
  const auto chosen = static_cast<size_t>(axis < 0 ? axis + std::ssize(whole) : axis);
  int64_t step = 1;
  for (size_t i = whole.size(); i-- > 0; step *= whole[i]) {
    placing.axes.insert(placing.axes.begin(), {part[i], i == chosen ? 0 : step});
  }
  return placing;
}

template <typename Element>
std::unique_ptr<Step> placing_step(bool is_long, const Placing& placing, const PlacingBuffers& refs,
                                   std::unique_ptr<Step> reference) {
  if (is_long) {
    return std::make_unique<PlacingStep<Element, int64_t>>(placing, refs, std::move(reference));
  }
  return std::make_unique<PlacingStep<Element, int32_t>>(placing, refs, std::move(reference));
}

}  // namespace

std::optional<StepDescriptor> lower_placing(const LoweringContext& context, size_t node,
                                            const SpelledExpression& call) {
  const ShapedGraph& shaped = context.shaped;
  const CallReader reader(shaped, node, call);
  const auto input = reader.tensor(0), index = reader.tensor(1), source = reader.tensor(2);
  const ValueId made = shaped.node(node).outputs.front();
  if (!input || !index || !source || reader.value(4).text() != "set") return std::nullopt;
  const DType dtype = shaped.dtype(made);
  if (shaped.dtype(*input) != dtype || shaped.dtype(*source) != dtype) return std::nullopt;
  if (shaped.count(made) == 0 || shaped.dims(made).empty()) return std::nullopt;
  const size_t bytes = size_of(dtype);
  if (bytes != 4 && bytes != 8) return std::nullopt;
  const bool is_long = shaped.dtype(*index) == DType::int64;
  if (!is_long && shaped.dtype(*index) != DType::int32) return std::nullopt;
  const Placing placing = placing_of(shaped, *source, made, reader.value(3).integer());
  StepDescriptor descriptor = evaluated(shaped, node);
  descriptor.in_place_pairs = {{made, *input}};
  descriptor.make = [=, input = *input, index = *index, source = *source,
                     reference = std::move(descriptor.make)](const BufferRefs& refs,
                                                             BufferRef scratch) {
    const PlacingBuffers at{refs[mithril::index(input)], refs[mithril::index(index)],
                            refs[mithril::index(source)], refs[mithril::index(made)]};
    const auto step = bytes == 4 ? placing_step<uint32_t> : placing_step<uint64_t>;
    return step(is_long, placing, at, reference(refs, scratch));
  };
  return descriptor;
}

}  // namespace mithril::cpu_backend
