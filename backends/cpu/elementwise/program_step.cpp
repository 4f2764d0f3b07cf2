#include "backends/cpu/elementwise/program_step.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "backends/cpu/elementwise/clamp.hpp"
#include "backends/cpu/elementwise/instruction_order.hpp"
#include "backends/cpu/elementwise/native/code.hpp"
#include "backends/cpu/kernels/blocking.hpp"
#include "backends/cpu/kernels/half_kernels.hpp"
#include "backends/cpu/runtime/elements.hpp"
#include "backends/cpu/runtime/work_partition.hpp"
#include "mithril/base/thread_pool.hpp"

namespace mithril::cpu_backend {
namespace {

// The bytes of a block, and the most blocks that a thread has.
constexpr int64_t block_bytes = 2048;
constexpr int most_program_blocks = 24;
constexpr int most_slots = 96;
constexpr int most_lanes = 16;
// Inputs of at least this many bytes in all do not stay in the caches.
constexpr int64_t min_prefetch_bytes = 1 << 19;
// Extra work for the calling thread, in elements times cost. It offsets the latency of the other
// threads, which begin 0.2 microseconds late and report their end 0.2 microseconds late.
constexpr int64_t caller_head_start = 1 << 14;

// The blocks of slots. A slot has a block during its live range.
struct BlockAllocation {
  std::vector<int16_t> block_of;  // per slot; -1: constants and results that are only forwarded
  int blocks = 0;
};

BlockAllocation allocate_blocks(const ElementwiseProgram& program,
                                const std::vector<Forwarding>& forwardings) {
  std::vector<int> last = last_reads(program);
  const int count = static_cast<int>(program.instructions.size());
  BlockAllocation allocation{std::vector<int16_t>(static_cast<size_t>(program.slots), -1)};
  const auto keep = [&](Slot slot) {
    allocation.block_of[static_cast<size_t>(slot)] = static_cast<int16_t>(allocation.blocks++);
    last[static_cast<size_t>(slot)] = count;
  };
  for (size_t i = 0; i < program.inputs.size(); ++i) keep(static_cast<Slot>(i));
  for (const ElementwiseProgram::Made& made : program.outputs) {
    if (allocation.block_of[static_cast<size_t>(made.slot)] < 0) keep(made.slot);
  }
  std::vector<int16_t> free;
  for (int i = 0; i < count; ++i) {
    const Instruction& instruction = program.instructions[static_cast<size_t>(i)];
    const auto made = static_cast<size_t>(instruction.to);
    if (allocation.block_of[made] < 0 && forwardings[static_cast<size_t>(i)].written) {
      if (free.empty()) free.push_back(static_cast<int16_t>(allocation.blocks++));
      allocation.block_of[made] = free.back();
      free.pop_back();
    }
    std::array<Slot, 4> ending = instruction.from;
    std::sort(ending.begin(), ending.end());
    const auto end = std::unique(ending.begin(), ending.end());
    for (auto at = ending.begin(); at != end; ++at) {
      if (*at < program.first_made()) continue;
      const auto slot = static_cast<size_t>(*at);
      if (last[slot] == i && allocation.block_of[slot] >= 0)
        free.push_back(allocation.block_of[slot]);
    }
  }
  return allocation;
}

// Forwards each result to the next instruction. Writes it only if another instruction reads it or
// it is an output. A few vectors pass all instructions before the next ones do, so that reads from
// memory come at an even pace.
template <typename T>
std::vector<EncodedInstruction> encode(const ElementwiseProgram& program,
                                       const std::vector<Forwarding>& forwardings) {
  std::vector<EncodedInstruction> code;
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    const Instruction& at = program.instructions[i];
    EncodedInstruction encoded{
        .kernel = elementwise_kernels<T>().operations[static_cast<size_t>(at.operation)],
        .from = at.from,
        .to = forwardings[i].written ? at.to : no_slot,
        .last = i + 1 == program.instructions.size()};
    if (i > 0 && !forwardings[i - 1].last) {
      std::replace(encoded.from.begin(), encoded.from.end(), program.instructions[i - 1].to,
                   no_slot);
    }
    code.push_back(encoded);
  }
  return code;
}

template <typename T>
class ElementwiseProgramStep final : public ElementStep {
 public:
  ElementwiseProgramStep(const ShapedGraph& shaped, const ElementwiseProgram& program, int threads,
                         const BufferRefs& refs)
      : ElementStep(element_count(program.dims), in_place_clamp(shaped, program, refs)),
        allocation_(allocate_blocks(program, forwardings(program))),
        code_(encode<T>(program, forwardings(program))),
        threads_(threads),
        cost_(program.cost()),
        first_made_(static_cast<size_t>(program.first_made())),
        constants_(program.constants.size() * most_lanes) {
    for (size_t i = 0; i < program.inputs.size(); ++i) {
      const ValueId id = program.inputs[i];
      BroadcastIteration iteration = program.iteration(i);
      const DType dtype = shaped.dtype(id);
      const bool direct = dtype == dtype_of<T> && iteration.is_dense();
      const Reading reading = iteration.is_single() ? Reading::single
                              : direct              ? Reading::direct
                                                    : Reading::gathered;
      inputs_.push_back({{id, dtype}, std::move(iteration), reading});
    }
    find_prefetches(refs);
    for (const ElementwiseProgram::Made& made : program.outputs) {
      outputs_.push_back({{made.value, shaped.dtype(made.value)}, static_cast<size_t>(made.slot)});
    }
    for (size_t i = 0; i < program.constants.size(); ++i) {
      std::fill_n(constants_.begin() + static_cast<ptrdiff_t>(i * most_lanes), most_lanes,
                  static_cast<T>(program.constants[i]));
    }
  }

  void run(const BufferTable& buffers) const override {
    if (count_ == 0) return;
    const int64_t blocks = up(count_, block);
    const int tasks = task_count(
        {.amount = count_ * cost_, .pieces = blocks, .grain_size = elementwise_grain_size},
        threads_);
    const int64_t head_start =
        tasks > 1 ? std::min(caller_head_start / (cost_ * block), blocks / 4) : 0;
    // Each thread gets one contiguous range.
    ThreadPool::shared().run(tasks, threads_, [this, buffers, blocks, tasks, head_start](int task) {
      const auto begin = [&](int at) {
        return at == 0 ? 0 : head_start + (blocks - head_start) * at / tasks;
      };
      const int64_t first = begin(task), last = begin(task + 1);
      run_rows(buffers,
               {.begin = first * block, .size = std::min(count_, last * block) - first * block});
    });
  }

  void run_rows(const BufferTable& buffers, const ElementRows& rows) const override {
    Scratch scratch;
    begin_slots(buffers, scratch);
    const int64_t whole = rows.size / lanes_ * lanes_;
    const int64_t row_step = rows.rows > 1 ? rows.step : rows.size;
    for (int64_t row = 0; row < rows.rows; ++row) {
      const int64_t begin = rows.begin + row * rows.step;
      if (whole > 0) run_vectors(buffers, scratch, {begin, whole, row_step});
      if (whole < rows.size) run_rest(buffers, scratch, begin + whole, rows.size - whole);
    }
  }

 private:
  static constexpr int64_t block = block_bytes / int64_t{sizeof(T)};
  // single: one element for all; direct: read in place; gathered: copied or converted into a block.
  enum class Reading : uint8_t { single, direct, gathered };
  struct Input {
    TypedValue value;
    BroadcastIteration iteration;
    Reading reading;
  };
  struct Output {
    TypedValue value;
    size_t slot;

    bool is_direct() const { return value.dtype == dtype_of<T>; }
  };
  // `size` elements from `begin` on. The next row begins `step` elements after this one.
  struct Row {
    int64_t begin, size, step;
  };
  struct Scratch {
    alignas(64) T blocks[most_program_blocks][static_cast<size_t>(block)];
    Source<T> slots[most_slots];
  };

  // Chooses the inputs to prefetch: large ones that are read in place. A tile is already in the
  // cache.
  void find_prefetches(const BufferRefs& refs) {
    int64_t direct = 0;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (inputs_[i].reading != Reading::direct) continue;
      ++direct;
      const bool from_memory = refs[index(inputs_[i].value.id)].base != BufferRef::tile;
      if (from_memory && prefetched_.size() < Prefetch<T>().from.size()) prefetched_.push_back(i);
    }
    if (direct * count_ * int64_t{sizeof(T)} < min_prefetch_bytes) prefetched_.clear();
  }

  T* block_of(Scratch& scratch, size_t slot) const {
    return scratch.blocks[static_cast<size_t>(allocation_.block_of[slot])];
  }

  void place_in_block(Scratch& scratch, size_t slot) const {
    scratch.slots[slot] = {block_of(scratch, slot), static_cast<size_t>(block - 1)};
  }

  // Initialises the slots that are the same for all blocks.
  void begin_slots(const BufferTable& buffers, Scratch& scratch) const {
    for (size_t i = 0; i < inputs_.size(); ++i) {
      place_in_block(scratch, i);
      if (inputs_[i].reading != Reading::single) continue;
      T* to = block_of(scratch, i);
      gather_elements(buffers, inputs_[i].value, inputs_[i].iteration, 0, 1, to);
      std::fill_n(to, most_lanes, *to);
      scratch.slots[i].mask = 0;
    }
    for (size_t i = inputs_.size(); i < first_made_; ++i) {
      scratch.slots[i] = {constants_.data() + (i - inputs_.size()) * most_lanes, 0};
    }
    for (size_t slot = first_made_; slot < allocation_.block_of.size(); ++slot) {
      if (allocation_.block_of[slot] >= 0) place_in_block(scratch, slot);
    }
  }

  // Runs whole vectors. Inputs and outputs that are neither converted nor broadcast are accessed in
  // place.
  void run_vectors(const BufferTable& buffers, Scratch& scratch, const Row& row) const {
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (inputs_[i].reading != Reading::direct) continue;
      scratch.slots[i] = {buffers.read<T>(inputs_[i].value.id) + row.begin, each_element};
    }
    for (const Output& output : outputs_) {
      if (!output.is_direct()) continue;
      scratch.slots[output.slot] = {buffers.write<T>(output.value.id) + row.begin, each_element};
    }
    const Direction direction = buffers.direction();
    iterate(direction, 0, up(row.size, block), [&](int64_t i) {
      const int64_t at = i * block, end = std::min(at + block, row.size);
      const int64_t prefetch_distance = end < row.size ? block : row.step - at;
      for (size_t k = 0; k < inputs_.size(); ++k) {
        if (inputs_[k].reading != Reading::gathered) continue;
        gather_elements(buffers, inputs_[k].value, inputs_[k].iteration, row.begin + at,
                        row.begin + end, block_of(scratch, k));
      }
      run_instructions(scratch, at, end,
                       direction == Direction::forward ? prefetch_distance : -block);
      for (const Output& output : outputs_) {
        if (!output.is_direct()) store(buffers, output, scratch, row.begin + at, end - at);
      }
    });
  }

  // Runs fewer elements than a vector has, in blocks that are padded to a vector.
  void run_rest(const BufferTable& buffers, Scratch& scratch, int64_t begin, int64_t count) const {
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (inputs_[i].reading == Reading::single) continue;
      place_in_block(scratch, i);
      T* to = block_of(scratch, i);
      gather_elements(buffers, inputs_[i].value, inputs_[i].iteration, begin, begin + count, to);
      std::fill(to + count, to + lanes_, T{});
    }
    for (const Output& output : outputs_) place_in_block(scratch, output.slot);
    run_instructions(scratch, 0, lanes_, 0);
    for (const Output& output : outputs_) store(buffers, output, scratch, begin, count);
  }

  // `next`: the distance from `begin` to the block that runs next.
  void run_instructions(const Scratch& scratch, int64_t begin, int64_t end, int64_t next) const {
    kernels_.run(code_.data(), scratch.slots, static_cast<size_t>(begin), static_cast<size_t>(end),
                 next_block(scratch, next));
  }

  // The prefetches for the inputs that are read in place.
  Prefetch<T> next_block(const Scratch& scratch, int64_t next) const {
    Prefetch<T> prefetch;
    for (const size_t i : prefetched_) {
      if (scratch.slots[i].mask == each_element)
        prefetch.from[prefetch.count++] = scratch.slots[i].at + next;
    }
    return prefetch;
  }

  // Stores an output from its block.
  void store(const BufferTable& buffers, const Output& output, Scratch& scratch, int64_t begin,
             int64_t count) const {
    store_elements(buffers, output.value, begin, block_of(scratch, output.slot), count);
  }

  const ElementwiseKernels<T>& kernels_ = elementwise_kernels<T>();
  BlockAllocation allocation_;
  std::vector<EncodedInstruction> code_;
  int threads_;
  int64_t cost_;
  size_t first_made_;
  int64_t lanes_ = static_cast<int64_t>(kernels_.lanes);
  std::vector<Input> inputs_;
  std::vector<size_t> prefetched_;  // inputs to prefetch
  std::vector<Output> outputs_;
  std::vector<T> constants_;  // each repeated for all lanes
};

// An output may overwrite an input if each block of the input is read before that of the output is
// written.
std::vector<InPlacePair> in_place_pairs(const ShapedGraph& shaped,
                                        const ElementwiseProgram& program) {
  const std::vector<int> last_read = last_reads(program);
  std::vector<int> written(static_cast<size_t>(program.slots), -1);
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    written[static_cast<size_t>(program.instructions[i].to)] = static_cast<int>(i);
  }
  std::vector<InPlacePair> possible;
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    const ValueId input = program.inputs[i];
    const DType given = shaped.dtype(input);
    if ((given != program.dtype && !is_half(given)) ||
        !BroadcastIteration(program.input_dims[i], program.dims).is_dense()) {
      continue;
    }
    for (const ElementwiseProgram::Made& made : program.outputs) {
      // 16-bit inputs are widened before a block runs, and 16-bit outputs are rounded after it.
      const bool after = is_half(given) || last_read[i] <= written[static_cast<size_t>(made.slot)];
      if (after && shaped.dtype(made.value) == given) possible.push_back({made.value, input});
    }
  }
  return possible;
}

// The parts along the outermost axis, if each part of the elements is in the same part of the
// source.
int64_t parts_of_view(const ShapedGraph& shaped, const StridedView& view) {
  if (view.axes.empty()) return 1;
  const Axis& rows = view.axes.front();
  int64_t end = view.start + 1;  // of the elements of the first part
  for (size_t i = 1; i < view.axes.size(); ++i) {
    if (view.axes[i].step < 0) return 1;
    end += (view.axes[i].size - 1) * view.axes[i].step;
  }
  const bool fits = view.start >= 0 && end <= rows.step;
  return fits && rows.size * rows.step == shaped.count(view.source) ? rows.size : 1;
}

}  // namespace

std::vector<RowPartition> row_partitions(const ShapedGraph& shaped,
                                         const ElementwiseProgram& program) {
  const int64_t count = element_count(program.dims);
  std::vector<RowPartition> found;
  if (count == 0) return found;
  for (const ElementwiseProgram::Made& made : program.outputs) {
    if (shaped.buffer_bytes(made.value) != shaped.bytes(made.value)) return {};
    found.push_back({made.value, count});
  }
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    const ValueId id = program.inputs[i];
    if (!program.strided.empty() && program.strided[i]) {
      found.push_back({id, parts_of_view(shaped, *program.strided[i])});
      continue;
    }
    const bool is_cut =
        shaped.is_in_blocks(id) || element_count(program.input_dims[i]) == shaped.count(id);
    const BroadcastIteration iteration(program.input_dims[i], program.dims);
    found.push_back({id, is_cut ? iteration.parts() : 1});  // a padded vector is read whole
  }
  return found;
}

bool fits_a_step(const ElementwiseProgram& program) {
  return program.slots <= most_slots &&
         allocate_blocks(program, forwardings(program)).blocks <= most_program_blocks;
}

std::unique_ptr<ElementStep> make_elementwise_step(const LoweringContext& context,
                                                   const ElementwiseProgram& program, int threads,
                                                   const BufferRefs& refs) {
  const ShapedGraph& shaped = context.shaped;
  if (context.native) {
    if (auto step = context.native->step(shaped, program, threads, refs)) return step;
  }
  if (program.dtype == DType::float32) {
    return std::make_unique<ElementwiseProgramStep<float>>(shaped, program, threads, refs);
  }
  return std::make_unique<ElementwiseProgramStep<double>>(shaped, program, threads, refs);
}

StepDescriptor lower_elementwise(const LoweringContext& context, ElementwiseProgram program) {
  StepDescriptor descriptor{.reads = program.inputs};
  for (const ElementwiseProgram::Made& made : program.outputs)
    descriptor.writes.push_back(made.value);
  descriptor.in_place_pairs = in_place_pairs(context.shaped, program);
  descriptor.row_partitions = row_partitions(context.shaped, program);
  descriptor.useful_threads =
      static_cast<double>(element_count(program.dims) * program.cost()) / elementwise_grain_size;
  if (context.native) context.native->add(context.shaped, program);
  descriptor.program = std::make_shared<const ElementwiseProgram>(std::move(program));
  return descriptor;
}

}  // namespace mithril::cpu_backend
