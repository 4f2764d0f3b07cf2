// What a port can be bound to: a name, a connection, a value, a tensor, a description (IOKey), or a
// list of these.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "mithril/infer/datum.hpp"
#include "mithril/tensor/tensor.hpp"

namespace mithril {

struct Composite;
struct Wire;
class Model;

// ---- a shape as a user writes it: {any, 1, "H", "W"}, {"N", rest(), 64} ----
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
    Item(Any) {}
    Item(int size) : spec_(int64_t{size}) {}
    Item(int64_t size) : spec_(size) {}
    Item(const char* symbol) : spec_(std::string(symbol)) {}
    Item(std::string symbol) : spec_(std::move(symbol)) {}
    Item(Rest run) : spec_(std::move(run)) {}
    const DimSpec& spec() const { return spec_; }

   private:
    DimSpec spec_;
  };
  ShapeSpec(std::initializer_list<Item> items);
  explicit ShapeSpec(std::vector<DimSpec> dims) : dims_(std::move(dims)) {}
  const std::vector<DimSpec>& dims() const { return dims_; }

 private:
  std::vector<DimSpec> dims_;
};
std::string to_string(const ShapeSpec& shape);  // "[None, 1, H, ...]"

// ---- a wire of a model, and the arithmetic that composing needs (connection.hpp) ----
class Connection;

// Describes a port before it belongs to a model.
struct IOKey {
  std::string name = {};
  std::optional<Datum> value = {};
  std::optional<Tensor> tensor = {};
  std::optional<ShapeSpec> shape = {};
  Kinds type = 0;  // 0: not stated
  std::optional<bool> differentiable = {};
  std::optional<std::pair<double, double>> interval =
      {};  // where randomize_params draws from, uniformly
};

}  // namespace mithril
