// A user's statements about keys of a model, with their origin. A contradiction is an error with
// both sides.
#pragma once
#include <string>
#include <string_view>

#include "mithril/base/error.hpp"
#include "mithril/model/composition.hpp"

namespace mithril {

// How a statement is written: {"shapes={\"", "\": ", "}"} makes 'shapes={"w": [4, 5]}' of the key
// and what is said about it.
struct Wording {
  std::string_view before, between, after;
};

// Each states one fact about the wire of a key and runs inference. Where that fails and no part has
// a share in it, the error has the key as its path and tells what was known of it and what was
// said.
class Statements {
 public:
  Statements(Composition& composition, const Wording& wording)
      : composition_(composition), wording_(wording) {}

  void shape(const std::string& key, Wire* wire, const ShapeSpec& shape);
  void type(const std::string& key, Wire* wire, Kinds kinds);
  void value(const std::string& key, Wire* wire, const Binding& value);
  void differentiable(const std::string& key, Wire* wire, bool flag);

 private:
  template <typename Text, typename Known, typename Action>
  void state(const std::string& key, Wire* wire, Text text, Known known, Action action);
  Composition& composition_;
  Wording wording_;
};

// Raises an error again, at `path` where it has none.
[[noreturn]] void raise_at(const Error& error, const std::string& path);
// Raises again what went wrong when two wires were to be one: an error of inference with what is
// known of both, and with `path` where no part has a share in it.
[[noreturn]] void raise_between(const Error& error, const std::string& path, const Side& a,
                                const Side& b);

}  // namespace mithril
