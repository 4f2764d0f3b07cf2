// Names that modules of JavaScript use themselves.
#include "codegen/common/loop_text.hpp"
#include "codegen/javascript/function_parts.hpp"
#include "codegen/javascript/snippets.hpp"

namespace mithril::codegen {

std::set<std::string> javascript_reserved_names() {
  static const std::set<std::string> names = [] {
    std::set<std::string> all = javascript_snippets().defined_names();
    for (const char* name : {"Adam",
                             "Array",
                             "BigInt",
                             "BigInt64Array",
                             "Float32Array",
                             "Float64Array",
                             "Infinity",
                             "Int32Array",
                             "Map",
                             "Math",
                             "MithrilError",
                             "Model",
                             "NaN",
                             "Number",
                             "Object",
                             "SGD",
                             "Uint8Array",
                             "arguments",
                             "await",
                             "createModel",
                             "debugger",
                             "eval",
                             "evaluator",
                             "extends",
                             "finally",
                             "function",
                             "gradient_evaluator",
                             "implements",
                             "in",
                             "instanceof",
                             "interface",
                             "let",
                             "memory",
                             "null",
                             "of",
                             "package",
                             "readSafetensors",
                             "super",
                             "undefined",
                             "var",
                             "with",
                             "writeSafetensors",
                             "yield"})
      all.insert(name);
    for (size_t axis = 0; axis < 20; ++axis) all.insert(LoopNest::variable(axis));
    return all;
  }();
  return names;
}

}  // namespace mithril::codegen
