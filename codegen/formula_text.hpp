// A record's formula as an expression of C++, for one node.
#pragma once
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "mithril/infer/datum.hpp"
#include "mithril/op/formula.hpp"

namespace mithril::codegen {

// What a port holds: a tensor's element by its name, or a value.
struct FormulaPort {
  std::string element = {};
  DType dtype = DType::float32;  // of the element
  Datum value = {};              // where there is no element
};

struct FormulaNode {
  DType computed;  // what operands are converted to
  DType output;    // T
  std::function<FormulaPort(const std::string& name)> port;
};

struct FormulaText {
  std::string text;
  std::set<std::string> snippets = {};  // what it calls
};

// Nothing where the node is in a branch without an expression, or calls what C++ does not have.
std::optional<FormulaText> formula_text(const Formula& formula, const FormulaNode& node);

}  // namespace mithril::codegen
