#include "codegen/javascript/function.hpp"

#include <utility>

#include "codegen/javascript/formula.hpp"
#include "codegen/javascript/function_writer.hpp"
#include "codegen/javascript/wide_ints.hpp"

namespace mithril::codegen {

JavaScriptFunction javascript_function(const std::string& name, const SourceProgram& program,
                                       const ProgramMemory& memory, LoopFunctions& loops) {
  FunctionParts parts{.loops = loops};
  const std::string body =
      JavaScriptFunctionWriter(program, memory, parts, wide_ints(program, javascript_language()))
          .write();
  return {.text = "function " + name + "(memory) {\n" + parts.declarations + "  return () => {\n" +
                  body + "  };\n}\n",
          .snippets = std::move(parts.snippets)};
}

}  // namespace mithril::codegen
