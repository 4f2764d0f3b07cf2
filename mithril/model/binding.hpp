// The binding of a port: a name, a connection, a value, a tensor, a description (IOKey), or a list
// of these.
#pragma once
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "mithril/infer/datum.hpp"
#include "mithril/infer/port_type.hpp"
#include "mithril/tensor/tensor.hpp"

namespace mithril {

struct Composite;
struct Wire;
class Model;

// Numbers and values as a user writes them.

// An integer, as int, int64_t and size_t: neither bool nor a character.
template <typename T>
concept Number = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char> &&
                 !std::same_as<T, wchar_t> && !std::same_as<T, char8_t> &&
                 !std::same_as<T, char16_t> && !std::same_as<T, char32_t>;

[[noreturn]] void refuse_number(std::string number);  // ValueError E0470

// The number as an int64_t; ValueError E0470 if it does not fit.
template <Number T>
int64_t to_int64(T number) {
  if (!std::in_range<int64_t>(number)) refuse_number(std::to_string(number));
  return static_cast<int64_t>(number);
}

inline constexpr None none{};
inline constexpr Ellipsis ellipsis{};

// The value of an option that may be of several kinds: 3, 0.5, true, "same", {3, 5}, none. Braces
// are a tuple.
class OptionValue {
 public:
  OptionValue() = default;  // None
  template <Number T>
  OptionValue(T number) : datum_(to_int64(number)) {}
  template <typename T>
  requires(!Number<T> && std::convertible_to<T, Datum>) OptionValue(T value)
      : datum_(std::move(value)) {}
  OptionValue(std::initializer_list<OptionValue> items)
      : datum_(Tuple(items.begin(), items.end())) {}
  operator const Datum&() const { return datum_; }

 private:
  Datum datum_;
};

// A shape as a user writes it: {any, 1, "H", "W"}, {"N", rest(), 64}.
struct Any {};
inline constexpr Any any{};  // a dim of any size
struct Rest {
  std::string name;  // runs of the same name in one model are equal; empty: its own
};
inline Rest rest(std::string name = {}) { return {std::move(name)}; }  // any number of dims
// A number, a named symbol (the same name in one model is the same size), any, or rest().
using DimSpec = std::variant<Any, int64_t, std::string, Rest>;
class ShapeSpec {
 public:
  class Item {
   public:
    Item(Any);
    Item(int64_t size);
    template <Number T>
    Item(T size) : Item(to_int64(size)) {}
    Item(const char* symbol);
    Item(std::string symbol);
    Item(Rest run);
    // Not inline, as in class Datum.
    Item(const Item& other);
    Item(Item&& other) noexcept;
    Item& operator=(const Item& other);
    Item& operator=(Item&& other) noexcept;
    ~Item();
    const DimSpec& spec() const { return spec_; }

   private:
    DimSpec spec_;
  };
  ShapeSpec(std::initializer_list<Item> items);
  explicit ShapeSpec(std::vector<DimSpec> dims);
  ShapeSpec(const ShapeSpec& other);
  ShapeSpec(ShapeSpec&& other) noexcept;
  ShapeSpec& operator=(const ShapeSpec& other);
  ShapeSpec& operator=(ShapeSpec&& other) noexcept;
  ~ShapeSpec();
  const std::vector<DimSpec>& dims() const { return dims_; }

 private:
  std::vector<DimSpec> dims_;
};
std::string to_string(const ShapeSpec& shape);  // "[None, 1, H, ...]"

// A wire of a model, and the arithmetic that composing needs (connection.hpp).
class Connection;

// Describes a port before it belongs to a model.
struct IOKey {
  std::string name = {};
  std::optional<Datum> value = {};
  std::optional<Tensor> tensor = {};
  std::optional<ShapeSpec> shape = {};
  PortType type = {};  // kinds or an exact dtype; not stated by default
  std::optional<bool> differentiable = {};
  std::optional<std::pair<double, double>> interval =
      {};  // randomize_params draws from it, uniformly
};

}  // namespace mithril
