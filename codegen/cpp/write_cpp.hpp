// A compiled model as one self-contained C++ file.
#pragma once
#include <set>
#include <span>
#include <string>

#include "mithril/graph/exported_model.hpp"

namespace mithril {

// The model, and its gradient if it has one, as C++17 with a C interface, which the head of the
// file describes. The file needs only the standard library. `name` is the prefix of the names of
// the interface. BackendError E1031 for an op without C++, E1032 for half precision. Example:
//   ml::write_cpp(compiled.exported({{"image", example}}), "digits.cpp");  // digits_evaluate, ...
std::string cpp_source(const ExportedModel& model, const std::string& name);

// Writes a file, whose name is also the prefix. BackendError E1030 if it cannot be written; an
// older file is then kept.
void write_cpp(const ExportedModel& model, const std::string& path);

namespace codegen {

// The parts of such a file. Several models can share one file.
struct CppModel {
  std::string name;       // "digits": an identifier
  std::string interface;  // declarations of C
  std::set<std::string> snippets;
  std::string functions;
};
// `kernels`: the namespace of the kernels in the file.
CppModel cpp_model(const ExportedModel& model, const std::string& name, const std::string& kernels);
std::string cpp_file(const std::string& head, std::span<const CppModel> models,
                     const std::string& kernels);

}  // namespace codegen
}  // namespace mithril
