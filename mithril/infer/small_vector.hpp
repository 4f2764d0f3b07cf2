// A growable array of plain elements that stores the first few inline.
#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

namespace mithril {

template <typename T, size_t inside>
class SmallVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  SmallVector() = default;
  SmallVector(const SmallVector& other) { append(other.begin(), other.end()); }
  SmallVector(SmallVector&& other) noexcept { take(other); }
  SmallVector& operator=(const SmallVector& other) {
    if (this == &other) return *this;
    size_ = 0;
    append(other.begin(), other.end());
    return *this;
  }
  SmallVector& operator=(SmallVector&& other) noexcept {
    if (this != &other) take(other);
    return *this;
  }

  T* data() { return outside_ ? outside_.get() : inside_; }
  const T* data() const { return outside_ ? outside_.get() : inside_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& operator[](size_t index) { return data()[index]; }
  const T& operator[](size_t index) const { return data()[index]; }
  T& back() { return data()[size_ - 1]; }

  void push_back(T value) {  // by value: it may be an element of this array, which may move
    if (size_ == capacity_) grow();
    data()[size_++] = value;
  }
  void pop_back() { --size_; }
  void append(const T* first, const T* last) {
    for (; first != last; ++first) push_back(*first);
  }
  void shrink(size_t size) { size_ = size; }  // to at most what it is
  void clear() { size_ = 0; }

 private:
  void grow() {
    std::unique_ptr<T[]> larger(new T[2 * capacity_]);
    std::copy(begin(), end(), larger.get());
    outside_ = std::move(larger);
    capacity_ *= 2;
  }
  void take(SmallVector& other) {
    outside_ = std::move(other.outside_);
    if (!outside_) std::copy(other.inside_, other.inside_ + other.size_, inside_);
    capacity_ = std::exchange(other.capacity_, inside);
    size_ = std::exchange(other.size_, 0);
  }

  T inside_[inside];
  std::unique_ptr<T[]> outside_;
  size_t size_ = 0, capacity_ = inside;
};

}  // namespace mithril
