// The rows of evaluators as bytes, which processes of one program exchange.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "mithril/base/error.hpp"
#include "mithril/metrics/exact_sum.hpp"

namespace mithril::metrics {

class Packer {
 public:
  template <typename Number>
  Packer& add(Number number) {
    static_assert(std::is_arithmetic_v<Number>);
    bytes_.append(reinterpret_cast<const char*>(&number), sizeof number);
    return *this;
  }
  Packer& add(const ExactSum& sum) {
    const std::vector<double> numbers = sum.numbers();
    add(static_cast<std::int64_t>(numbers.size()));
    for (const double number : numbers) add(number);
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// Reads what a Packer has written, in the same order.
class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : left_(bytes) {}

  template <typename Number>
  Number take() {
    static_assert(std::is_arithmetic_v<Number>);
    Number number;
    MITHRIL_CHECK(left_.size() >= sizeof number, "packed rows of an evaluator are too short");
    std::memcpy(&number, left_.data(), sizeof number);
    left_.remove_prefix(sizeof number);
    return number;
  }
  std::int64_t count() { return take<std::int64_t>(); }
  void add_to(ExactSum& sum) {
    for (std::int64_t left = count(); left > 0; --left) sum.add(take<double>());
  }
  bool at_end() const { return left_.empty(); }

 private:
  std::string_view left_;
};

}  // namespace mithril::metrics
