// A hash table by address, in one piece of memory: for tables as large as a model.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace mithril {

template <typename T>
class PointerMap {
 public:
  // Room for as many without growing.
  explicit PointerMap(size_t count = 0) : entries_(std::bit_ceil(2 * count + 2)) {}

  T* find(const void* key) {
    Entry& entry = place(key);
    return entry.key ? &entry.value : nullptr;
  }
  const T* find(const void* key) const { return const_cast<PointerMap*>(this)->find(key); }

  // Inserts a value if there is none.
  T& operator[](const void* key) {
    Entry* entry = &place(key);
    if (entry->key) return entry->value;
    if (2 * ++size_ > entries_.size()) {
      grow();
      entry = &place(key);
    }
    entry->key = key;
    return entry->value;
  }

 private:
  struct Entry {
    const void* key = nullptr;
    T value{};
  };

  Entry& place(const void* key) {
    const uint64_t hash = reinterpret_cast<uintptr_t>(key) * 0x9e3779b97f4a7c15ull;
    for (size_t at = hash >> 20;; ++at) {
      Entry& entry = entries_[at & (entries_.size() - 1)];
      if (!entry.key || entry.key == key) return entry;
    }
  }

  void grow() {
    std::vector<Entry> smaller(2 * entries_.size());
    smaller.swap(entries_);
    for (Entry& entry : smaller) {
      if (entry.key) place(entry.key) = std::move(entry);
    }
  }

  std::vector<Entry> entries_;
  size_t size_ = 0;
};

}  // namespace mithril
