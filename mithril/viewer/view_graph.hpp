// What a page shows of a model or a graph: nodes in groups, and the values between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mithril/viewer/json_text.hpp"

namespace mithril {

struct ViewValue {
  std::string name;   // "fc1.output"
  std::string shape;  // "[N, 64]"; of a value that is not a tensor, the value
  std::string dtype;  // "float32", or the kinds before a width is chosen: "float"
  bool is_tensor = true;
  // What is known, and what stated it: {"64", "from fc1.weight"}.
  std::vector<std::pair<std::string, std::string>> facts = {};
};

struct ViewPort {
  std::string port;
  std::size_t value;  // an index into ViewGraph::values
};

struct ViewParameter {
  std::string port, key;
  std::size_t value;
};

struct ViewNode {
  enum class Kind : std::uint8_t { op, input, state, output };

  Kind kind = Kind::op;
  std::string name;                       // in its group
  std::string class_name;                 // "Gelu", or the op of a graph: "gelu"
  std::optional<std::size_t> group = {};  // an index into ViewGraph::groups; none: the model itself
  bool is_named = false;                  // by its user
  std::string source = {};                // "net.py:12": the line that added it; empty: unknown
  std::vector<std::pair<std::string, std::string>> arguments = {};
  std::vector<ViewPort> inputs = {}, outputs = {};
  std::vector<ViewParameter> parameters = {};
};

struct ViewGroup {
  std::string name, class_name;
  std::optional<std::size_t> parent = {};
  bool is_named = false;
  bool is_composed = false;  // by a user: not a layer of the library
  std::string source = {};   // as that of a node
  std::vector<std::pair<std::string, std::string>> options = {};
};

struct ViewGraph {
  std::string id;                      // in the address of the page: "model", "gradient"
  std::string title;                   // "The model"
  std::vector<ViewGroup> groups = {};  // each after its parent
  std::vector<ViewValue> values = {};
  std::vector<ViewNode> nodes = {};
};

void write(JsonText& json, const ViewGraph& graph);

}  // namespace mithril
