// A user's statements about keys of a model, with their origin. A contradiction is an error with
// both sides.
#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "mithril/base/error.hpp"
#include "mithril/model/composite.hpp"

namespace mithril {

// The text of a statement: {"shapes={\"", "\": ", "}"} makes 'shapes={"w": [4, 5]}' from the key
// and the fact.
struct Wording {
  std::string_view before, between, after;
};

// Each function states one fact about the wire of a key and runs inference. If that fails and no
// part is involved, the error has the key as its path, and shows the known and the stated fact.
class Statements {
 public:
  Statements(Composite& model, const Wording& wording) : model_(model), wording_(wording) {}

  void shape(const std::string& key, Wire* wire, const ShapeSpec& shape);
  void type(const std::string& key, Wire* wire, const PortType& type);
  void value(const std::string& key, Wire* wire, const Datum& value);
  void tensor(const std::string& key, Wire* wire, const Tensor& tensor);
  // `join` makes one wire of it and another.
  void joined(const std::string& key, Wire* wire, const std::function<void()>& join);
  void differentiable(const std::string& key, Wire* wire, bool flag);

 private:
  template <typename Text, typename Known, typename Action>
  void state(const std::string& key, Wire* wire, Text text, Known known, Action action);
  Composite& model_;
  Wording wording_;
};

// The wire holds the tensor. ConnectionError E0101 if it has a source.
void set_tensor(Composite& model, Wire* wire, const Tensor& tensor);

// A wire in an error, and its position: {"bound to", wire, "on x"}.
struct Side {
  std::string label;
  Wire* wire;
  std::string place = {};
};

// Raises an error again, at `path` if it has none.
[[noreturn]] void raise_at(const Error& error, const std::string& path);
// Raises an error of merging two wires again: with the known facts of both, and with `path` if no
// part is involved. `to`: the part whose port `a` is.
[[noreturn]] void raise_between(const Error& error, const std::string& path, const Side& a,
                                const Side& b, const Part* to = nullptr);

}  // namespace mithril
