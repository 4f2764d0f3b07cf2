// Reads the pickle of a .pt file without running code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mithril {

// A tensor of the file, and where its elements are.
struct PickledTensor {
  std::string name;          // keys of nested dicts, joined by dots
  std::string storage;       // the entry of the archive: "0" for archive/data/0
  std::string dtype;         // PyTorch's name: "float32"
  std::uint64_t offset = 0;  // in elements of the storage
  std::vector<std::uint64_t> dims, strides;
};

// The tensors of nested dicts. Numbers, strings, lists and tuples are left out. An interpreter
// knows the opcodes of plain data and the functions that make tensors. ParseError E0751 for a
// pickle that is damaged, E0752 for another opcode, E0753 for another function or type.
std::vector<PickledTensor> read_torch_pickle(std::span<const std::byte> pickle,
                                             const std::string& path);

}  // namespace mithril
