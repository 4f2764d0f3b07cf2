// Tensors by name, in the order in which they were added.
#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "mithril/tensor/tensor.hpp"

namespace mithril {

// Example:
//   TensorMap data = {{"image", image}, {"target", target}};
//   for (auto& [key, tensor] : data) tensor = tensor.to(DType::float32);
//
// Tensors share their elements with their copies, so a copied map would change together with the
// original. A TensorMap is therefore moved, not copied: `copy()` has separate elements, and
// `share()` returns a map with the same elements.
//   if (loss < best_loss) best = params.copy();
class TensorMap {
 public:
  // A constant key and its tensor: auto& [key, tensor] = item.
  class Item {
   public:
    Item(std::string key, Tensor tensor) : key_(std::move(key)), tensor_(std::move(tensor)) {}

    const std::string& key() const { return key_; }
    const Tensor& tensor() const { return tensor_; }
    Tensor& tensor() { return tensor_; }
    template <std::size_t part>
    const auto& get() const {
      if constexpr (part == 0) {
        return key_;
      } else {
        return tensor_;
      }
    }
    template <std::size_t part>
    auto& get() {
      if constexpr (part == 0) {
        return std::as_const(key_);
      } else {
        return tensor_;
      }
    }

   private:
    std::string key_;
    Tensor tensor_;
  };

  TensorMap() = default;
  TensorMap(std::initializer_list<Item> items);  // ValueError E0486 for a key given twice
  explicit TensorMap(std::vector<Item> items);   // likewise
  TensorMap(const TensorMap&) = delete;          // use copy(), or share()
  TensorMap& operator=(const TensorMap&) = delete;
  TensorMap(TensorMap&&) = default;
  TensorMap& operator=(TensorMap&&) = default;

  // The same keys with separate elements, in the memory of this process.
  TensorMap copy() const;
  // The same keys and elements: writes to the tensors of one map are visible in the other.
  TensorMap share() const;

  // NameError E0681 with the nearest keys if there is no such key.
  const Tensor& at(std::string_view key) const;
  Tensor& at(std::string_view key);
  // The tensor of that key, added if there is none.
  Tensor& operator[](std::string_view key);
  // Null without such a key. `guess` is its probable index, which costs one comparison.
  const Tensor* find(std::string_view key, std::size_t guess = 0) const;
  bool contains(std::string_view key) const { return find(key) != nullptr; }

  // Removes the key; returns whether it was there. The others keep their order.
  bool erase(std::string_view key);
  // Adds the tensors of another map, which share their elements with it. ValueError E0486 for a key
  // that both have; then nothing is added.
  void merge(const TensorMap& other);
  // Its tensors, sharing their elements, each key after the prefix: "encoder." + "fc1.weight".
  TensorMap with_prefix(std::string_view prefix) const;
  // The tensors whose keys start with the prefix, under keys without it, sharing their elements.
  TensorMap without_prefix(std::string_view prefix) const;

  std::size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  std::vector<std::string> keys() const;
  std::vector<Item>::const_iterator begin() const { return items_.begin(); }
  std::vector<Item>::const_iterator end() const { return items_.end(); }
  std::vector<Item>::iterator begin() { return items_.begin(); }
  std::vector<Item>::iterator end() { return items_.end(); }

 private:
  void add(Item item);
  void index_from(std::size_t first);
  std::vector<Item> items_;
  std::map<std::string, std::size_t, std::less<>> index_;  // empty while there are only a few items
};

}  // namespace mithril

template <>
struct std::tuple_size<mithril::TensorMap::Item> : std::integral_constant<std::size_t, 2> {};
template <>
struct std::tuple_element<0, mithril::TensorMap::Item> {
  using type = const std::string;
};
template <>
struct std::tuple_element<1, mithril::TensorMap::Item> {
  using type = mithril::Tensor;
};
