// Dims: symbolic results, evaluated for numbers, equal the results of arithmetic on the numbers.
// The input is a program of a stack machine.
#include <limits>
#include <vector>

#include "mithril/infer/facts.hpp"
#include "tests/fuzz/require.hpp"

namespace {

using namespace mithril;

// A result of int64 arithmetic; none if it overflows or divides by zero.
using Number = std::optional<int64_t>;

constexpr int64_t lowest = std::numeric_limits<int64_t>::min();

Number added(Number a, Number b) {
  int64_t sum = 0;
  if (!a || !b || __builtin_add_overflow(*a, *b, &sum) || sum == lowest) return {};
  return sum;
}

Number multiplied(Number a, Number b) {
  int64_t product = 0;
  if (!a || !b || __builtin_mul_overflow(*a, *b, &product) || product == lowest) return {};
  return product;
}

Number divided(Number a, Number b) {
  if (!a || !b || *b == 0) return {};
  const int64_t quotient = *a / *b;
  return quotient - (*a % *b != 0 && (*a < 0) != (*b < 0));
}

struct Value {
  Dim dim;
  Number number;
};

constexpr size_t symbol_count = 6;  // half of them sizes

class Machine {
 public:
  Machine(std::string_view program, const std::vector<int64_t>& numbers) : program_(program) {
    for (size_t i = 0; i < symbol_count; ++i) {
      const bool size = i % 2 == 0;
      symbols_.push_back(facts_.symbol(std::string(1, static_cast<char>('a' + i)), size));
      sizes_[symbols_.back()] = size ? std::abs(numbers[i]) : numbers[i];
    }
  }

  void run() {
    for (size_t at = 0; at < program_.size() && at < 200; ++at)
      step(static_cast<unsigned char>(program_[at]));
    for (const Value& value : stack_) check(value);
  }

 private:
  void step(unsigned code) {
    if (code < 0x80 || stack_.size() < 2) return push(code & 0x7F);
    const Value b = stack_.back();
    stack_.pop_back();
    Value& a = stack_.back();
    const auto dim = [&](const auto& combine) {
      return fuzz::unless_refused([&] { return combine(a.dim, b.dim); });
    };
    std::optional<Dim> result;
    Number number;
    switch (code % 5) {
      case 0:
        result = dim([](const Dim& x, const Dim& y) { return x + y; });
        number = added(a.number, b.number);
        break;
      case 1:
        result = dim([](const Dim& x, const Dim& y) { return x - y; });
        number = added(a.number, multiplied(b.number, -1));
        break;
      case 2:
        result = dim([](const Dim& x, const Dim& y) { return x * y; });
        number = multiplied(a.number, b.number);
        break;
      case 3:
        result = dim([](const Dim& x, const Dim& y) { return floor_divide(x, y); });
        number = divided(a.number, b.number);
        break;
      default:
        stack_.push_back(a);
        stack_.push_back(b);
        return;
    }
    a = result ? Value{*result, number} : Value{Dim(1), 1};
  }

  void push(unsigned code) {
    if (code < symbol_count) {
      stack_.push_back({Dim(symbols_[code]), sizes_.at(symbols_[code])});
    } else {
      const int64_t number = static_cast<int64_t>(code) - 20;
      stack_.push_back({Dim(number), number});
    }
  }

  // A simplified form may have a value although the separate steps overflow or divide by zero.
  void check(const Value& value) {
    if (!value.number) return;
    Sizes sizes = sizes_;
    const auto number = fuzz::unless_refused([&] { return evaluate(value.dim, sizes); });
    if (!number) return;  // multiplied out, a part may overflow
    fuzz::require(number->has_value(), "all symbols have numbers in " + to_string(value.dim));
    fuzz::require(**number == *value.number, to_string(value.dim) + " is " +
                                                 std::to_string(*value.number) + ", not " +
                                                 std::to_string(**number));
    if (is_size(value.dim)) fuzz::require(**number >= 0, to_string(value.dim) + " is a size");
  }

  std::string_view program_;
  Facts facts_;
  std::vector<Symbol*> symbols_;
  Sizes sizes_;
  std::vector<Value> stack_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::set_small_limits();
  if (size < symbol_count) return 0;
  std::vector<int64_t> numbers;
  for (size_t i = 0; i < symbol_count; ++i) numbers.push_back(static_cast<int8_t>(data[i]));
  Machine(fuzz::text_of(data + symbol_count, size - symbol_count), numbers).run();
  return 0;
}
