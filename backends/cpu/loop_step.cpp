#include "backends/cpu/loop_step.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "backends/cpu/half_elements.hpp"
#include "backends/cpu/kernels/half_kernels.hpp"
#include "backends/cpu/pool.hpp"
#include "backends/cpu/walk.hpp"
#include "mithril/tensor/convert.hpp"

namespace mithril::cpu_backend {
namespace {

// Of this many bytes is a block, and so many of them a thread has room for.
constexpr int64_t block_bytes = 2048;
constexpr int most_blocks = 24;
constexpr int most_slots = 96;
constexpr int most_lanes = 16;
// Operations on elements that are worth a thread of their own.
constexpr int64_t worth_a_thread = 1 << 17;

// Where the slots of a loop are while it runs: a block each, for as long as it is read.
struct Room {
  std::vector<int16_t> block_of;  // per slot; -1: constants, and what is used where it stands
  int blocks = 0;
};

Room room_for(const Loop& loop) {
  std::vector<int> last(static_cast<size_t>(loop.slots), -1);
  const int count = static_cast<int>(loop.instructions.size());
  for (int i = 0; i < count; ++i) {
    for (const Slot slot : loop.instructions[static_cast<size_t>(i)].from) {
      last[static_cast<size_t>(slot)] = i;
    }
  }
  Room room{std::vector<int16_t>(static_cast<size_t>(loop.slots), -1)};
  const auto keep = [&](Slot slot) {
    room.block_of[static_cast<size_t>(slot)] = static_cast<int16_t>(room.blocks++);
    last[static_cast<size_t>(slot)] = count;
  };
  for (size_t i = 0; i < loop.inputs.size(); ++i) keep(static_cast<Slot>(i));
  for (const Loop::Made& made : loop.outputs) {
    if (room.block_of[static_cast<size_t>(made.slot)] < 0) keep(made.slot);
  }
  std::vector<int16_t> free;
  for (int i = 0; i < count; ++i) {
    const Instruction& instruction = loop.instructions[static_cast<size_t>(i)];
    const auto made = static_cast<size_t>(instruction.to);
    if (room.block_of[made] < 0) {
      if (free.empty()) free.push_back(static_cast<int16_t>(room.blocks++));
      room.block_of[made] = free.back();
      free.pop_back();
    }
    std::array<Slot, 4> ending = instruction.from;
    std::sort(ending.begin(), ending.end());
    const auto end = std::unique(ending.begin(), ending.end());
    for (auto at = ending.begin(); at != end; ++at) {
      const auto slot = static_cast<size_t>(*at);
      if (*at >= loop.first_made() && last[slot] == i) free.push_back(room.block_of[slot]);
    }
  }
  return room;
}

template <typename T>
class LoopStep final : public ElementStep {
 public:
  LoopStep(const Sized& sized, Loop loop, int threads, const Places& places)
      : loop_(std::move(loop)),
        room_(room_for(loop_)),
        threads_(threads),
        count_(element_count(loop_.dims)),
        constants_(loop_.constants.size() * most_lanes) {
    for (const ValueId id : loop_.inputs) {
      inputs_.push_back({places[index(id)], sized.dtype(id), Walk(sized.dims(id), loop_.dims)});
    }
    for (const Loop::Made& made : loop_.outputs) {
      outputs_.push_back({places[index(made.value)], sized.dtype(made.value), made.slot});
    }
    for (size_t i = 0; i < loop_.constants.size(); ++i) {
      std::fill_n(constants_.begin() + static_cast<ptrdiff_t>(i * most_lanes), most_lanes,
                  static_cast<T>(loop_.constants[i]));
    }
    for (const Instruction& instruction : loop_.instructions) {
      kernels_.push_back(elementwise_kernels<T>().run[static_cast<size_t>(instruction.operation)]);
    }
  }

  void run(const Frame& frame) const override {
    if (count_ == 0) return;
    const int64_t blocks = (count_ + block - 1) / block;
    const int64_t work = count_ * static_cast<int64_t>(loop_.instructions.size());
    const int64_t tasks = std::clamp<int64_t>(std::min(work / worth_a_thread, blocks), 1, threads_);
    Pool::shared().run(static_cast<int>(tasks), threads_, [&](int task) {
      const int64_t first = blocks * task / tasks, last = blocks * (task + 1) / tasks;
      run_rows(frame,
               {.begin = first * block, .size = std::min(count_, last * block) - first * block});
    });
  }

  void run_rows(const Frame& frame, const ElementRows& rows) const override {
    Memory memory;
    begin_slots(frame, memory);
    const auto lanes = static_cast<int64_t>(lanes_);
    for (int64_t row = 0; row < rows.rows; ++row) {
      const int64_t begin = rows.begin + row * rows.step, end = begin + rows.size;
      // What fills no vector is a block of its own, for blocks of vectors are read where they are.
      const int64_t whole = begin + rows.size / lanes * lanes;
      for (int64_t at = begin; at < whole; at += block) {
        run_block(frame, memory, at, std::min(at + block, whole));
      }
      if (whole < end) run_block(frame, memory, whole, end);
    }
  }

 private:
  static constexpr int64_t block = block_bytes / int64_t{sizeof(T)};
  struct Input {
    Place place;
    DType dtype;
    Walk walk;
  };
  struct Output {
    Place place;
    DType dtype;
    Slot slot;
  };
  struct Memory {
    alignas(64) T blocks[most_blocks][static_cast<size_t>(block)];
    Source<T> slots[most_slots];
  };

  T* block_of(Memory& memory, size_t slot) const {
    return memory.blocks[static_cast<size_t>(room_.block_of[slot])];
  }

  // What stays the same in all blocks.
  void begin_slots(const Frame& frame, Memory& memory) const {
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (!inputs_[i].walk.is_single()) continue;
      T* to = block_of(memory, i);
      gather(frame, inputs_[i], 0, 1, to);
      std::fill_n(to, most_lanes, *to);
      memory.slots[i] = {to, 0};
    }
    for (size_t i = 0; i < loop_.constants.size(); ++i) {
      memory.slots[inputs_.size() + i] = {constants_.data() + i * most_lanes, 0};
    }
    for (auto slot = static_cast<size_t>(loop_.first_made());
         slot < static_cast<size_t>(loop_.slots); ++slot) {
      memory.slots[slot] = {block_of(memory, slot), each_element};
    }
  }

  void run_block(const Frame& frame, Memory& memory, int64_t begin, int64_t end) const {
    const auto count = static_cast<size_t>(end - begin);
    const size_t padded = (count + lanes_ - 1) / lanes_ * lanes_;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const Input& input = inputs_[i];
      if (input.walk.is_single()) continue;
      if (input.dtype == dtype_of<T> && input.walk.is_dense() && padded == count) {
        memory.slots[i] = {frame.read<T>(input.place) + begin, each_element};
        continue;
      }
      T* to = block_of(memory, i);
      gather(frame, input, begin, end, to);
      std::fill(to + count, to + padded, T{});
      memory.slots[i] = {to, each_element};
    }
    for (const Output& output : outputs_) {
      const auto slot = static_cast<size_t>(output.slot);
      const bool direct = output.dtype == dtype_of<T> && padded == count;
      memory.slots[slot].at =
          direct ? frame.write<T>(output.place) + begin : block_of(memory, slot);
    }
    for (size_t i = 0; i < kernels_.size(); ++i) {
      const Instruction& instruction = loop_.instructions[i];
      std::array<Source<T>, 4> sources;
      for (size_t k = 0; k < sources.size(); ++k) {
        sources[k] = memory.slots[static_cast<size_t>(instruction.from[k])];
      }
      // What is made stands in a block or in an output, which are there to be written.
      kernels_[i](const_cast<T*>(memory.slots[static_cast<size_t>(instruction.to)].at),
                  sources.data(), padded);
    }
    for (const Output& output : outputs_) {
      if (output.dtype == dtype_of<T> && padded == count) continue;
      store(frame, output, memory.slots[static_cast<size_t>(output.slot)].at, begin, count);
    }
  }

  static void gather(const Frame& frame, const Input& input, int64_t begin, int64_t end, T* to) {
    if (is_half(input.dtype)) {
      return gather_halves(input.dtype, frame.read<uint16_t>(input.place), input.walk, begin, end,
                           to);
    }
    visit_dtype(input.dtype, [&](auto zero) {
      using From = decltype(zero);
      const From* elements = frame.read<From>(input.place);
      input.walk.each_run(begin, end, [&](int64_t at, int64_t from, int64_t count, int64_t step) {
        for (int64_t i = 0; i < count; ++i) to[at + i] = convert<T>(elements[from + i * step]);
      });
    });
  }

  static void store(const Frame& frame, const Output& output, const T* from, int64_t begin,
                    size_t count) {
    if (output.dtype == DType::boolean) {
      bool* to = frame.write<bool>(output.place) + begin;
      for (size_t i = 0; i < count; ++i) to[i] = from[i] != T{};
    } else if (is_half(output.dtype)) {
      store_halves(output.dtype, from, static_cast<int64_t>(count),
                   frame.write<uint16_t>(output.place) + begin);
    } else {
      std::copy_n(from, count, frame.write<T>(output.place) + begin);
    }
  }

  Loop loop_;
  Room room_;
  int threads_;
  int64_t count_;
  size_t lanes_ = elementwise_kernels<T>().lanes;
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  std::vector<T> constants_;  // each as often as a vector may have lanes
  std::vector<typename ElementwiseKernels<T>::Kernel> kernels_;  // per instruction
};

// Each block of an input is read before that of the output is written.
std::vector<Overwrite> overwrites(const Sized& sized, const Loop& loop) {
  const int count = static_cast<int>(loop.instructions.size());
  std::vector<int> last_read(static_cast<size_t>(loop.slots), -1);
  std::vector<int> written(static_cast<size_t>(loop.slots), -1);
  for (int i = 0; i < count; ++i) {
    const Instruction& instruction = loop.instructions[static_cast<size_t>(i)];
    for (const Slot slot : instruction.from) last_read[static_cast<size_t>(slot)] = i;
    written[static_cast<size_t>(instruction.to)] = i;
  }
  std::vector<Overwrite> possible;
  for (size_t i = 0; i < loop.inputs.size(); ++i) {
    const ValueId input = loop.inputs[i];
    const DType given = sized.dtype(input);
    if ((given != loop.dtype && !is_half(given)) ||
        !Walk(sized.dims(input), loop.dims).is_dense()) {
      continue;
    }
    for (const Loop::Made& made : loop.outputs) {
      // What has 16 bits is widened before a block begins, and rounded after its end.
      const bool after = is_half(given) || last_read[i] <= written[static_cast<size_t>(made.slot)];
      if (after && sized.dtype(made.value) == given) possible.push_back({made.value, input});
    }
  }
  return possible;
}

}  // namespace

bool fits_a_step(const Loop& loop) {
  return loop.slots <= most_slots && room_for(loop).blocks <= most_blocks;
}

Draft draft_loop(const Context& context, Loop loop) {
  Draft draft{.reads = loop.inputs};
  for (const Loop::Made& made : loop.outputs) draft.writes.push_back(made.value);
  draft.overwrites = overwrites(context.sized, loop);
  if (context.native) context.native->add(context.sized, loop);
  draft.make = [&context, loop = std::move(loop)](const Places& places,
                                                  Place) -> std::unique_ptr<Step> {
    return make_loop_step(context, loop, context.threads, places);
  };
  return draft;
}

std::unique_ptr<ElementStep> make_loop_step(const Context& context, const Loop& loop, int threads,
                                            const Places& places) {
  const Sized& sized = context.sized;
  if (context.native) {
    if (auto step = context.native->step(sized, loop, threads, places)) return step;
  }
  if (loop.dtype == DType::float32) {
    return std::make_unique<LoopStep<float>>(sized, loop, threads, places);
  }
  return std::make_unique<LoopStep<double>>(sized, loop, threads, places);
}

}  // namespace mithril::cpu_backend
