#include "backends/cpu/ops/lower_ops.hpp"

#include <cstring>
#include <utility>

#include "backends/cpu/ops/indices.hpp"
#include "backends/cpu/runtime/broadcast_iteration.hpp"

namespace mithril::cpu_backend {
namespace {

struct Placing {
  std::vector<Axis> axes;  // of the source; steps of the output, 0 along the axis of the indices
  int64_t size = 1, step = 1;  // of the output along the axis of the indices
  int64_t count = 0;           // number of elements of the source
  int64_t bytes = 0;           // of the output
};

struct PlacingBuffers {
  BufferRef input, source, output;
};

// Element: an integer of the size of the elements. `reference` runs `eval`.
template <typename Element>
std::unique_ptr<Step> placing_step(const Placing& p, const Indices& indices, PlacingBuffers refs,
                                   std::unique_ptr<Step> reference) {
  return make_step([=, reference = std::move(reference)](const BufferTable& buffers) {
    const Element* input = buffers.read<Element>(refs.input);
    const Element* source = buffers.read<Element>(refs.source);
    Element* output = buffers.write<Element>(refs.output);
    const bool fits = indices.visit(buffers, [&](const auto& index) {
      if (output != input) std::memcpy(output, input, static_cast<size_t>(p.bytes));
      const Axis row = p.axes.back();
      for (int64_t first = 0; first < p.count; first += row.size) {
        const int64_t origin = offset(p.axes, first);
        for (int64_t i = 0; i < row.size; ++i) {
          output[origin + i * row.step + index(first + i) * p.step] = source[first + i];
        }
      }
    });
    if (!fits) reference->run(buffers);
  });
}

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

}  // namespace

std::optional<StepDescriptor> lower_placing(const KernelCall& call) {
  const ShapedGraph& shaped = call.shaped;
  const auto input = call.tensor(0), index = call.tensor(1), source = call.tensor(2);
  const ValueId made = call.made();
  if (!input || !index || !source || call.value(4).text() != "set") return std::nullopt;
  const DType dtype = shaped.dtype(made);
  if (shaped.dtype(*input) != dtype || shaped.dtype(*source) != dtype) return std::nullopt;
  if (shaped.count(made) == 0 || shaped.dims(made).empty()) return std::nullopt;
  const size_t bytes = size_of(dtype);
  if (bytes != 4 && bytes != 8) return std::nullopt;
  const DType index_dtype = shaped.dtype(*index);
  if (index_dtype != DType::int64 && index_dtype != DType::int32) return std::nullopt;
  const Placing placing = placing_of(shaped, *source, made, call.value(3).integer());
  const Indices indices{{}, index_dtype, placing.count, placing.size};
  StepDescriptor descriptor = evaluated(shaped, call.at);
  descriptor.in_place_pairs = {{made, *input}};
  descriptor.make = [=, input = *input, index = *index, source = *source,
                     reference = std::move(descriptor.make)](const BufferRefs& refs,
                                                             BufferRef scratch) {
    const PlacingBuffers at{refs[mithril::index(input)], refs[mithril::index(source)],
                            refs[mithril::index(made)]};
    const auto step = bytes == 4 ? placing_step<uint32_t> : placing_step<uint64_t>;
    return step(placing, indices.at(refs[mithril::index(index)]), at, reference(refs, scratch));
  };
  return descriptor;
}

}  // namespace mithril::cpu_backend
