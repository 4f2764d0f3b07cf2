// Makes the program of a graph.
#pragma once
#include <span>
#include <vector>

#include "codegen/common/language.hpp"
#include "codegen/common/program.hpp"

namespace mithril::codegen {

// For inputs of these dims. InputError if they contradict the graph; BackendError E1032 for dtypes
// that have no type in the language. The programs of blocks are made, too.
SourceProgram make_program(const Graph& graph, const std::vector<Dims>& inputs,
                           const Language& language);

// BackendError E1031 with all nodes that have neither a formula nor a kernel.
void check_ops(std::span<const SourceProgram* const> programs, const Language& language);

}  // namespace mithril::codegen
