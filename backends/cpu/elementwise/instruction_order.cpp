#include "backends/cpu/elementwise/instruction_order.hpp"

#include <algorithm>

namespace mithril::cpu_backend {
namespace {

bool reads_slot(const Instruction& instruction, Slot slot) {
  return std::find(instruction.from.begin(), instruction.from.end(), slot) !=
         instruction.from.end();
}

class InstructionScheduler {
 public:
  explicit InstructionScheduler(const ElementwiseProgram& program)
      : left_(program.instructions), is_made_(static_cast<size_t>(program.slots)) {
    std::fill_n(is_made_.begin(), program.first_made(), true);
  }

  std::vector<Instruction> ordered() {
    while (!left_.empty()) {
      auto next = left_.end();
      if (!order_.empty()) {
        const Slot made = order_.back().to;
        next = first([&](const Instruction& at) { return reads_slot(at, made) && is_ready(at); });
      }
      if (next == left_.end()) next = first([&](const Instruction& at) { return is_ready(at); });
      is_made_[static_cast<size_t>(next->to)] = true;
      order_.push_back(*next);
      left_.erase(next);
    }
    return std::move(order_);
  }

 private:
  template <typename Fits>
  std::vector<Instruction>::iterator first(Fits fits) {
    return std::find_if(left_.begin(), left_.end(), fits);
  }

  bool is_ready(const Instruction& instruction) const {
    return std::all_of(instruction.from.begin(), instruction.from.end(), [&](Slot slot) {
      return slot == no_slot || is_made_[static_cast<size_t>(slot)];
    });
  }

  std::vector<Instruction> left_, order_;
  std::vector<bool> is_made_;  // per slot
};

}  // namespace

std::vector<Instruction> in_dependency_order(const ElementwiseProgram& program) {
  return InstructionScheduler(program).ordered();
}

std::vector<Forwarding> forwardings(const ElementwiseProgram& program) {
  std::vector<int> use_counts(static_cast<size_t>(program.slots));
  for (const ElementwiseProgram::Made& made : program.outputs)
    ++use_counts[static_cast<size_t>(made.slot)];
  for (Slot slot = 0; slot < program.slots; ++slot) {
    for (const Instruction& at : program.instructions) {
      use_counts[static_cast<size_t>(slot)] += reads_slot(at, slot);
    }
  }
  std::vector<Forwarding> forwardings;
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    const Slot made = program.instructions[i].to;
    const bool followed =
        i + 1 < program.instructions.size() && reads_slot(program.instructions[i + 1], made);
    forwardings.push_back(
        {.last = !followed, .written = use_counts[static_cast<size_t>(made)] > (followed ? 1 : 0)});
  }
  return forwardings;
}

std::vector<int> last_reads(const ElementwiseProgram& program) {
  std::vector<int> last(static_cast<size_t>(program.slots), -1);
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    for (const Slot slot : program.instructions[i].from) {
      if (slot != no_slot) last[static_cast<size_t>(slot)] = static_cast<int>(i);
    }
  }
  return last;
}

}  // namespace mithril::cpu_backend
