#include "codegen/common/program.hpp"

namespace mithril::codegen {

std::vector<bool> values_read(const SourceProgram& program) {
  std::vector<bool> read(program.graph.values().size());
  for (const Statement& statement : program.statements) {
    for (const size_t node : statement.nodes) {
      for (const ValueId id : program.reads[node]) read[index(id)] = true;
    }
  }
  for (const size_t i : program.copied) read[index(program.graph.outputs()[i].value)] = true;
  return read;
}

}  // namespace mithril::codegen
