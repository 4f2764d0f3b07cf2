// Checkpoints that the processes of a group write together.
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "mithril/compile/compiled_state.hpp"
#include "mithril/compile/distribution.hpp"
#include "mithril/compile/parameter_blocks.hpp"
#include "mithril/distributed/or_abandon.hpp"
#include "mithril/distributed/write_together.hpp"
#include "mithril/serialization/narrow.hpp"
#include "mithril/serialization/safetensors_layout.hpp"
#include "mithril/training/checkpoint.hpp"
#include "mithril/training/checkpoint_contents.hpp"
#include "mithril/training/gradient_sums.hpp"

namespace mithril {
namespace {

// By the names in the file.
using BlocksOfFile = std::map<std::string, MemoryBlock, std::less<>>;

void add_parameter_blocks(const CompiledState& compiled, const TensorMap& params,
                          BlocksOfFile& blocks) {
  for (const auto& [key, tensor] : params) {
    if (const auto block = parameter_block(compiled, key)) blocks[key] = MemoryBlock{*block, true};
  }
}

void add_memory_blocks(const Optimizer& optimizer, const std::string& prefix,
                       BlocksOfFile& blocks) {
  for (const auto& [key, memory] : optimizer.memories()) {
    if (!memory.block) continue;
    const std::string name = prefix + key + ".";
    for (const OptimizerSlot& slot : optimizer.slots()) blocks[name + slot.name] = *memory.block;
    if (memory.average) blocks[name + "average"] = *memory.block;
    if (memory.gradient_sum && memory.block->of_parameter)
      blocks[name + "gradient_sum"] = *memory.block;
  }
}

int rank_in(const std::shared_ptr<Communicator>& group) { return group ? group->rank() : 0; }

// Whether this process writes the block. Those that share rows hold the same blocks of parameters,
// and those that share parameters the same blocks of other memory.
bool writes(const CompiledState& compiled, const MemoryBlock& block) {
  return rank_in(block.of_parameter ? compiled.data_group : compiled.model_group) == 0;
}

// The rows as the file has them: elements of fewer than 8 bits fill the bytes of each row.
Tensor stored_rows(const std::string& key, const Tensor& part, std::size_t rows) {
  const StorageType type = storage_type_of(part.dtype());
  if (bits_of(type) >= 8 || rows == 1) return narrowed(key, type, part);
  const auto size = part.bytes() / rows;
  const auto* from = static_cast<const std::byte*>(part.raw_data());
  Tensor row = Tensor::empty(part.dtype(), {static_cast<std::int64_t>(size)});
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < rows; ++i) {
    std::memcpy(row.mutable_raw_data(), from + i * size, size);
    const Tensor stored = narrowed(key, type, row);
    const auto* begin = static_cast<const std::byte*>(stored.raw_data());
    bytes.insert(bytes.end(), begin, begin + stored.bytes());
  }
  Tensor made = Tensor::empty(DType::uint8, {static_cast<std::int64_t>(bytes.size())});
  std::memcpy(made.mutable_raw_data(), bytes.data(), bytes.size());
  return made;
}

// The pieces of a block in the file, whose tensor begins at `begin`. `held` keeps their bytes.
void add_pieces(const std::string& key, const Tensor& part, const TensorBlock& block,
                std::uint64_t begin, std::vector<Tensor>& held, std::vector<FilePiece>& pieces) {
  if (part.bytes() == 0) return;
  std::size_t rows = 1;
  for (std::size_t axis = 0; axis < block.axis; ++axis)
    rows *= static_cast<std::size_t>(part.dims()[axis]);
  held.push_back(stored_rows(key, part, rows));
  const std::size_t bytes = held.back().bytes() / rows;
  const auto* from = static_cast<const char*>(held.back().raw_data());
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t of_row = row * static_cast<std::size_t>(block.size);
    const std::size_t at = (of_row + static_cast<std::size_t>(block.rank)) * bytes;
    pieces.push_back({begin + at, {from + row * bytes, bytes}});
  }
}

void write_blocks(const CompiledState& compiled, const std::string& path, const LoadedTensors& file,
                  const BlocksOfFile& blocks) {
  std::vector<StoredTensor> stored;
  for (const auto& [key, tensor] : file.tensors) {
    const auto block = blocks.find(key);
    const Dims dims =
        block == blocks.end() ? tensor.dims() : whole_dims(tensor.dims(), block->second);
    const StorageType type = storage_type_of(tensor.dtype());
    const auto bits = static_cast<std::uint64_t>(element_count(dims) * bits_of(type));
    stored.push_back({key, type, {dims.begin(), dims.end()}, 0, bits / 8});
  }
  const SafetensorsLayout layout = layout_safetensors(path, std::move(stored), file.metadata);
  // The file has the header of the first process. Those of others may have other lengths, because
  // their metadata differ: the speed of an epoch, for example.
  std::uint64_t head_size = layout.head.size();
  compiled.group->broadcast(std::as_writable_bytes(std::span(&head_size, 1)), 0);
  std::vector<Tensor> held;  // what the pieces point to
  std::vector<FilePiece> pieces;
  const bool is_first = compiled.group->rank() == 0;
  if (is_first) pieces.push_back({0, layout.head});
  for (std::size_t i = 0; i < layout.tensors.size(); ++i) {
    const auto& [key, tensor] = *(file.tensors.begin() + static_cast<std::ptrdiff_t>(i));
    const auto block = blocks.find(key);
    if (block == blocks.end() ? !is_first : !writes(compiled, block->second)) continue;
    const TensorBlock whole;
    add_pieces(key, tensor.host(), block == blocks.end() ? whole : block->second,
               head_size + layout.tensors[i].begin, held, pieces);
  }
  write_together(*compiled.group, path, head_size + layout.bytes, pieces);
}

}  // namespace

void TrainingStep::save_together(const std::string& path, const TensorMap& params,
                                 const CheckpointParts& parts) const {
  const CompiledModel model = compiled();
  const CompiledState& state = *model.impl_;
  if (!is_distributed(state)) return save(path, params, parts);
  const auto write = [&] {
    require_blocks(state, params);
    std::optional<TensorMap> memory;
    if (parts.optimizer) {
      collect_gradient_sums(optimizer(), *state.data_group);
      memory = parts.optimizer->held_state_dict();
    }
    const LoadedTensors file = checkpoint_contents(params, parts, memory ? &*memory : nullptr);
    BlocksOfFile blocks;
    add_parameter_blocks(state, params, blocks);
    if (parts.optimizer)
      add_memory_blocks(*parts.optimizer, file.metadata.at(optimizer_field), blocks);
    write_blocks(state, path, file, blocks);
  };
  or_abandon(group_of(state), write, {"E0831"});
}

}  // namespace mithril
