// A record's formula as an expression of C++, for one node.
#pragma once
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "mithril/infer/datum.hpp"
#include "mithril/op/formula.hpp"

namespace mithril::codegen {

// The contents of a port: the element of a tensor, by its name, or a value.
struct FormulaPort {
  std::string element = {};
  DType dtype = DType::float32;  // of the element
  Datum value = {};              // if there is no element
};

struct FormulaNode {
  DType computed;  // the dtype to which operands are converted
  DType output;    // T
  std::function<FormulaPort(const std::string& name)> port;
};

struct FormulaText {
  std::string text;
  std::set<std::string> snippets = {};  // the snippets that it calls
};

// None if the node is in a branch without an expression, or calls a function that C++ lacks.
std::optional<FormulaText> formula_text(const Formula& formula, const FormulaNode& node);

}  // namespace mithril::codegen
