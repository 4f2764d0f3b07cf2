#include "mithril/tensor/tensor_map.hpp"

#include "mithril/base/names.hpp"
#include "mithril/base/text.hpp"

namespace mithril {
namespace {

constexpr std::size_t few = 16;  // as many are found faster one after the other

}  // namespace

TensorMap::TensorMap(std::initializer_list<Item> items) : TensorMap(std::vector<Item>(items)) {}

TensorMap::TensorMap(std::vector<Item> items) {
  items_.reserve(items.size());
  for (Item& item : items) {
    if (find(item.first)) {
      raise({.kind = ErrorKind::value,
             .code = "E0486",
             .message = "the key " + quoted(item.first) + " is given twice"});
    }
    add(std::move(item));
  }
}

void TensorMap::add(Item item) {
  items_.push_back(std::move(item));
  if (items_.size() <= few) return;
  for (std::size_t i = index_.size(); i < items_.size(); ++i) index_.emplace(items_[i].first, i);
}

const Tensor* TensorMap::find(std::string_view key, std::size_t guess) const {
  if (guess < items_.size() && items_[guess].first == key) return &items_[guess].second;
  if (!index_.empty()) {
    const auto at = index_.find(key);
    return at == index_.end() ? nullptr : &items_[at->second].second;
  }
  for (const Item& item : items_) {
    if (item.first == key) return &item.second;
  }
  return nullptr;
}

const Tensor& TensorMap::at(std::string_view key) const {
  if (const Tensor* tensor = find(key)) return *tensor;
  unknown_name(ErrorKind::name, "E0681", "key", key, "", keys());
}

Tensor& TensorMap::at(std::string_view key) {
  return const_cast<Tensor&>(std::as_const(*this).at(key));
}

Tensor& TensorMap::operator[](std::string_view key) {
  if (const Tensor* tensor = find(key)) return const_cast<Tensor&>(*tensor);
  add({std::string(key), Tensor()});
  return items_.back().second;
}

std::vector<std::string> TensorMap::keys() const {
  std::vector<std::string> keys;
  keys.reserve(items_.size());
  for (const Item& item : items_) keys.push_back(item.first);
  return keys;
}

}  // namespace mithril
