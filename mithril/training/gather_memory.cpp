#include "mithril/training/gather_memory.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "mithril/distributed/communicator.hpp"

namespace mithril {
namespace {

Tensor gathered(Communicator& group, const Tensor& part, const TensorBlock& block) {
  const Tensor own = part.host();
  std::vector<std::byte> all(own.bytes() * static_cast<std::size_t>(group.size()));
  group.all_gather({static_cast<const std::byte*>(own.raw_data()), own.bytes()}, all);
  std::vector<Tensor> blocks;
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(group.size()); ++rank) {
    Tensor& other = blocks.emplace_back(own.dtype(), own.dims());
    const std::span from = std::span(all).subspan(rank * own.bytes(), own.bytes());
    std::copy(from.begin(), from.end(), static_cast<std::byte*>(other.mutable_raw_data()));
  }
  return join_blocks(blocks, block.axis);
}

}  // namespace

void gather_memory(const CompiledState& compiled, Optimizer& optimizer) {
  for (auto& [key, memory] : optimizer.memories()) {
    if (!memory.block) continue;
    std::vector<Tensor> slots;
    for (const Tensor& slot : memory.slots)
      slots.push_back(gathered(*compiled.group, slot, *memory.block));
    if (memory.average) memory.average = whole_average(compiled, memory);
    memory.slots = std::move(slots);
    memory.block.reset();
  }
}

Tensor whole_average(const CompiledState& compiled, const Optimizer::ParameterMemory& memory) {
  return memory.block ? gathered(*compiled.group, *memory.average, *memory.block) : *memory.average;
}

}  // namespace mithril
