// Reads the pickle of a .pt file without running code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mithril/serialization/pickled_value.hpp"

namespace mithril {

// The tensors of nested dicts. Numbers, strings, lists and tuples are left out. An interpreter
// knows the opcodes of plain data and the functions that make tensors. ParseError E0751 for a
// pickle that is damaged, E0752 for another opcode, E0753 for another function or type.
std::vector<PickledTensor> read_torch_pickle(std::span<const std::byte> pickle,
                                             const std::string& path);

}  // namespace mithril
