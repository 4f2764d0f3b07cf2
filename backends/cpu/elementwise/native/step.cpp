#include "backends/cpu/elementwise/native/step.hpp"

#include <algorithm>
#include <array>

#include "backends/cpu/elementwise/clamp.hpp"
#include "backends/cpu/kernels/blocking.hpp"
#include "backends/cpu/kernels/half_kernels.hpp"
#include "backends/cpu/runtime/broadcast_iteration.hpp"
#include "backends/cpu/runtime/elements.hpp"
#include "backends/cpu/runtime/work_partition.hpp"

namespace mithril::cpu_backend {
namespace {

constexpr size_t most_pointers = 96;
template <typename T>
class NativeStep final : public ElementStep {
 public:
  NativeStep(const NativeStepOptions& options, const BufferRefs& refs)
      : ElementStep(element_count(options.program.dims),
                    in_place_clamp(options.shaped, options.program, refs)),
        function_(options.function),
        threads_(options.threads),
        work_(count_ * options.program.cost()) {
    const ShapedGraph& shaped = options.shaped;
    for (size_t i = 0; i < options.program.inputs.size(); ++i) {
      const ValueId id = options.program.inputs[i];
      inputs_.push_back({{id, shaped.dtype(id)},
                         options.native.readings[i],
                         BroadcastIteration(options.program.input_dims[i], options.program.dims)});
      gathers_ = gathers_ || options.native.readings[i] == Reading::staged;
    }
    for (const ElementwiseProgram::Made& made : options.program.outputs) {
      outputs_.push_back({made.value, shaped.dtype(made.value)});
      gathers_ = gathers_ || is_converted_after(shaped.dtype(made.value));
    }
    for (const double constant : options.program.constants) {
      constants_.push_back(static_cast<T>(constant));
    }
    for (const Operation operation : options.native.calls) {
      operations_.push_back(
          {.kernel = kernels_.operations[static_cast<size_t>(operation)], .from = {0}, .to = 0});
    }
  }

  void run(const BufferTable& buffers) const override {
    const Work work{.amount = work_, .pieces = count_, .grain_size = elementwise_grain_size};
    run_ranges(work, threads_, [&](int64_t begin, int64_t end, int) {
      run_rows(buffers, {.begin = begin, .size = end - begin});
    });
  }

  void run_rows(const BufferTable& buffers, const ElementRows& rows) const override {
    Scratch scratch;
    for (int64_t row = 0; row < rows.rows; ++row) {
      const int64_t begin = rows.begin + row * rows.step, end = begin + rows.size;
      const int64_t rounds = up(rows.size, at_once);
      iterate(buffers.direction(), 0, rounds, [&](int64_t round) {
        int64_t at = begin + round * at_once;
        const int64_t last = std::min(at + at_once, end);
        while (at < last) at = run_from(buffers, scratch, at, last);
      });
    }
  }

 private:
  static constexpr int64_t block = native_block_bytes / int64_t{sizeof(T)};
  static constexpr int64_t at_once = 8 * block;  // elements, in one direction
  struct Input {
    TypedValue value;
    Reading reading;
    BroadcastIteration iteration;
  };
  struct Scratch {
    std::array<const void*, most_pointers> from;
    std::array<void*, most_pointers> to;
    alignas(64) T staged[most_staged][static_cast<size_t>(block)];
  };

  // Runs as many elements as one call can. Returns the first element of the next call.
  int64_t run_from(const BufferTable& buffers, Scratch& scratch, int64_t begin, int64_t end) const {
    if (gathers_) end = std::min(end, begin + block);
    for (const Input& input : inputs_) {
      if (input.reading != Reading::run) continue;
      const int64_t size = input.iteration.run_size();
      end = std::min(end, begin + size - begin % size);
    }
    size_t staged = 0;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const Input& input = inputs_[i];
      if (input.reading == Reading::staged) {
        T* const to = scratch.staged[staged++];
        gather_elements(buffers, input.value, input.iteration, begin, end, to);
        scratch.from[i] = to;
      } else {
        scratch.from[i] = buffers.read<std::byte>(input.value.id) + offset(input, begin);
      }
    }
    for (size_t i = 0; i < outputs_.size(); ++i) {
      const auto bytes = static_cast<int64_t>(size_of(outputs_[i].dtype));
      scratch.to[i] = is_converted_after(outputs_[i].dtype)
                          ? static_cast<void*>(scratch.staged[staged++])
                          : buffers.write<std::byte>(outputs_[i].id) + begin * bytes;
    }
    function_(scratch.to.data(), scratch.from.data(), constants_.data(), call, this, end - begin);
    for (size_t i = 0; i < outputs_.size(); ++i) {
      if (!is_converted_after(outputs_[i].dtype)) continue;
      store_elements(buffers, outputs_[i], begin, static_cast<const T*>(scratch.to[i]),
                     end - begin);
    }
    return end;
  }

  // Runs a kernel in place on at most a block of elements. Pads them to whole vectors with 0.
  static void call(const void* context, int64_t which, void* elements, int64_t count) {
    const auto& step = *static_cast<const NativeStep*>(context);
    T* const values = static_cast<T*>(elements);
    const int64_t padded = round_up(count, step.lanes_);
    std::fill(values + count, values + padded, T{});
    const Source<T> slot{values, each_element};
    step.kernels_.run(&step.operations_[static_cast<size_t>(which)], &slot, 0,
                      static_cast<size_t>(padded), {});
  }

  // The offset, in bytes, of the input element that output element `at` reads.
  static int64_t offset(const Input& input, int64_t at) {
    int64_t elements = 0;
    if (input.reading == Reading::dense) elements = at;
    if (input.reading == Reading::run) {
      input.iteration.each_run(at, at + 1,
                               [&](int64_t, int64_t from, int64_t, int64_t) { elements = from; });
    }
    return elements * static_cast<int64_t>(size_of(input.value.dtype));
  }

  NativeFunction function_;
  int threads_;
  int64_t work_;
  std::vector<Input> inputs_;
  std::vector<TypedValue> outputs_;
  bool gathers_ = false;  // an input or an output is staged
  std::vector<T> constants_;
  const ElementwiseKernels<T>& kernels_ = elementwise_kernels<T>();
  int64_t lanes_ = static_cast<int64_t>(kernels_.lanes);
  std::vector<EncodedInstruction> operations_;  // the kernels that the function calls
};

}  // namespace

std::unique_ptr<ElementStep> make_native_step(const NativeStepOptions& options,
                                              const BufferRefs& refs) {
  if (options.program.dtype == DType::float32) {
    return std::make_unique<NativeStep<float>>(options, refs);
  }
  return std::make_unique<NativeStep<double>>(options, refs);
}

}  // namespace mithril::cpu_backend
