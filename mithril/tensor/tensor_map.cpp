#include "mithril/tensor/tensor_map.hpp"

#include <algorithm>

#include "mithril/base/names.hpp"
#include "mithril/base/text.hpp"

namespace mithril {
namespace {

constexpr std::size_t few = 16;  // as many are found faster one after the other

[[noreturn]] void refuse_second(const std::string& key) {
  raise({.kind = ErrorKind::value,
         .code = "E0486",
         .message = "the key " + in_quotes(key) + " is given twice"});
}

}  // namespace

TensorMap::TensorMap(std::initializer_list<Item> items) : TensorMap(std::vector<Item>(items)) {}

TensorMap::TensorMap(std::vector<Item> items) {
  items_.reserve(items.size());
  for (Item& item : items) {
    if (find(item.key())) refuse_second(item.key());
    add(std::move(item));
  }
}

TensorMap TensorMap::copy() const {
  TensorMap result = share();
  for (Item& item : result.items_) item.tensor() = item.tensor().copy();
  return result;
}

TensorMap TensorMap::share() const {
  TensorMap result;
  result.items_ = items_;
  result.index_ = index_;
  return result;
}

void TensorMap::add(Item item) {
  items_.push_back(std::move(item));
  if (items_.size() <= few) return;
  try {
    index_from(index_.size());
  } catch (...) {  // an index without some of the items would hide them
    index_.erase(items_.back().key());
    items_.pop_back();
    if (items_.size() <= few) index_.clear();
    throw;
  }
}

void TensorMap::index_from(std::size_t first) {
  for (std::size_t i = first; i < items_.size(); ++i) index_.emplace(items_[i].key(), i);
}

const Tensor* TensorMap::find(std::string_view key, std::size_t guess) const {
  if (guess < items_.size() && items_[guess].key() == key) return &items_[guess].tensor();
  if (!index_.empty()) {
    const auto at = index_.find(key);
    return at == index_.end() ? nullptr : &items_[at->second].tensor();
  }
  for (const Item& item : items_) {
    if (item.key() == key) return &item.tensor();
  }
  return nullptr;
}

bool TensorMap::erase(std::string_view key) {
  const auto at = std::find_if(items_.begin(), items_.end(),
                               [&](const Item& item) { return item.key() == key; });
  if (at == items_.end()) return false;
  const auto place = static_cast<std::size_t>(at - items_.begin());
  if (items_.size() - 1 <= few) {
    index_.clear();
  } else {
    index_.erase(index_.find(key));
    for (auto& [name, index] : index_) index -= index > place;
  }
  items_.erase(at);
  return true;
}

void TensorMap::merge(const TensorMap& other) {
  for (const Item& item : other) {
    if (contains(item.key())) refuse_second(item.key());
  }
  TensorMap merged = share();
  merged.items_.reserve(items_.size() + other.size());
  for (const Item& item : other) merged.add(item);
  *this = std::move(merged);
}

TensorMap TensorMap::with_prefix(std::string_view prefix) const {
  TensorMap result;
  for (const Item& item : items_) result.add({std::string(prefix) + item.key(), item.tensor()});
  return result;
}

TensorMap TensorMap::without_prefix(std::string_view prefix) const {
  TensorMap result;
  for (const Item& item : items_) {
    if (item.key().starts_with(prefix))
      result.add({item.key().substr(prefix.size()), item.tensor()});
  }
  return result;
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
  return items_.back().tensor();
}

std::vector<std::string> TensorMap::keys() const {
  std::vector<std::string> keys;
  keys.reserve(items_.size());
  for (const Item& item : items_) keys.push_back(item.key());
  return keys;
}

}  // namespace mithril
