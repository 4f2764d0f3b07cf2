// The values of a pickle, and the names of the tensors in its dicts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mithril {

// A value on the stack. The reader owns all of them, so that they may refer to each other.
struct PickledValue {
  enum class Kind { mark, text, integer, tuple, list, dict, global, storage, tensor, other };
  Kind kind = Kind::other;
  std::string text = {};     // of a text; the name of a global, "module name"; the key of a storage
  std::int64_t integer = 0;  // of an integer; the index of a tensor
  std::string dtype = {};    // of a storage; empty if the tensor has it
  std::vector<PickledValue*> items = {};  // a dict has each key before its value
};

// A tensor of the file, and where its elements are.
struct PickledTensor {
  std::string name;          // keys of nested dicts, joined by dots
  std::string storage;       // the entry of the archive: "0" for archive/data/0
  std::string dtype;         // PyTorch's name: "float32"
  std::uint64_t offset = 0;  // in elements of the storage
  std::vector<std::uint64_t> dims, strides;
};

// Why a pickle is damaged.
struct PickleFault {
  std::string why;
};

// The tensors in the dict and in the dicts that it contains, named by their keys: "encoder.weight".
// The last of equal names wins, as in a dict. Throws a PickleFault if the dicts have too many
// items, as one that contains itself.
std::vector<PickledTensor> named_tensors(PickledValue& root,
                                         const std::vector<PickledTensor>& tensors);

}  // namespace mithril
