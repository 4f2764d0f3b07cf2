// The memory of tensors that a training step updates in place.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "mithril/tensor/tensor.hpp"

namespace mithril {

class MemoryExtents {
 public:
  // The name must outlive the extents. Tensors without elements share none.
  void add(const void* data, std::size_t bytes, const std::string& name);
  // Ignores tensors of other libraries; their backends check them.
  void add(const Tensor& tensor, const std::string& name);
  // InputError E0812 if two of the tensors share elements.
  void check_apart();
  bool meet(const Tensor& tensor) const;

 private:
  struct Extent {
    const std::byte *begin, *end;
    const std::string* name;
  };
  std::vector<Extent> all_;
};

}  // namespace mithril
