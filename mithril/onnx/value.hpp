// What a name of an ONNX graph stands for while the graph is imported.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "mithril/model/connection.hpp"
#include "mithril/onnx/known_tensor.hpp"
#include "mithril/onnx/proto.hpp"

namespace mithril::onnx {

// A number, or an int that is a value of the model: the size of an axis that is not known.
using Size = std::variant<std::int64_t, Connection>;
Binding binding_of(const Size& size);
std::vector<Binding> bindings_of(const std::vector<Size>& sizes);
// Nothing if one of them is not a number.
std::optional<std::vector<std::int64_t>> numbers_of(const std::vector<Size>& sizes);

// Elements that are known at import; or sizes, of which some are not known; or a connection of the
// model; or a sequence of such values. A rule may leave the type undefined. It is then the type of
// the first input.
struct Value {
  Value() = default;
  Value(Connection made, ElementType of = ElementType::undefined)
      : type(of), connection(std::move(made)) {}
  Value(KnownTensor elements, ElementType of) : type(of), known(std::move(elements)) {}
  // Of int64. Sizes that are all numbers are known elements.
  static Value of_sizes(const std::vector<Size>& sizes, const Dims& dims);
  // A vector, or a scalar.
  static Value of_sizes(const std::vector<Size>& sizes, bool is_scalar = false);

  ElementType type = ElementType::undefined;
  std::string name = {};  // in the file
  KnownTensor known = {};
  // Whether the known elements become a parameter where an op computes with them.
  bool is_weight = false;
  bool is_frozen = false;  // a parameter that training does not change
  std::optional<std::vector<Size>> sizes = {};
  Dims dims_of_sizes = {};       // [] for a scalar, [sizes.size()] for a vector
  bool may_be_negative = false;  // of sizes: one is a difference, or has a negative operand
  bool is_negated = false;       // of sizes: one is -N, or a sum or product with a negative number
  std::optional<Connection> connection = {};
  // How many elements along this axis mean something, where data decides how many there are. The
  // connection has room for the most.
  std::optional<Connection> count = {};
  std::int64_t count_axis = 0;
  bool is_sequence = false;
  std::vector<Value> items = {};  // of a sequence
  bool is_empty = false;          // an optional without an element
  bool is_missing = false;        // the node that makes it was refused
};

// The sizes of a connection; none if the rank is not known.
std::optional<std::vector<Size>> sizes_of(const Connection& connection);
// Whether they are equal for all sizes of the inputs, as far as inference knows.
bool are_same(const Size& a, const Size& b);

}  // namespace mithril::onnx
