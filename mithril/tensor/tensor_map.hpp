// Tensors by name, in the order in which they were added.
#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mithril/tensor/tensor.hpp"

namespace mithril {

// Example:
//   TensorMap data = {{"image", image}, {"target", target}};
//   for (const auto& [key, tensor] : data) ...
class TensorMap {
 public:
  using Item = std::pair<std::string, Tensor>;

  TensorMap() = default;
  TensorMap(std::initializer_list<Item> items);  // ValueError E0486 for a key given twice
  explicit TensorMap(std::vector<Item> items);   // likewise

  // NameError E0681 with the nearest keys where there is no such key.
  const Tensor& at(std::string_view key) const;
  Tensor& at(std::string_view key);
  // The tensor of that key, added where there is none.
  Tensor& operator[](std::string_view key);
  // Null where there is no such key. `guess`: where it probably stands; costs one comparison then.
  const Tensor* find(std::string_view key, std::size_t guess = 0) const;
  bool contains(std::string_view key) const { return find(key) != nullptr; }

  std::size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  std::vector<std::string> keys() const;
  std::vector<Item>::const_iterator begin() const { return items_.begin(); }
  std::vector<Item>::const_iterator end() const { return items_.end(); }

 private:
  void add(Item item);
  std::vector<Item> items_;
  std::map<std::string, std::size_t, std::less<>> index_;  // empty while there are few items
};

}  // namespace mithril
