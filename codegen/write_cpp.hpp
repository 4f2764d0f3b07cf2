// A compiled model as one file of C++ that stands on its own.
#pragma once
#include <set>
#include <span>
#include <string>

#include "mithril/graph/exported_model.hpp"

namespace mithril {

// The model, and its gradient where it has one, as C++17 with a C interface, which the head of the
// file describes; nothing but the standard library is needed. `name` begins the names of the
// interface. BackendError E1031 for an op that has no C++, E1032 for half precision. Example:
//   ml::write_cpp(compiled.exported({{"image", example}}), "digits.cpp");  // digits_evaluate, ...
std::string cpp_source(const ExportedModel& model, const std::string& name);

// The same in a file, with the name of the file for a name. BackendError E1030 where it cannot be
// written; what was there before stays then.
void write_cpp(const ExportedModel& model, const std::string& path);

namespace codegen {

// The pieces of such a file, of which several models can make one.
struct CppModel {
  std::string name;       // "digits": an identifier
  std::string interface;  // declarations of C
  std::set<std::string> snippets;
  std::string functions;
};
// `kernels`: the namespace that the file has them in.
CppModel cpp_model(const ExportedModel& model, const std::string& name, const std::string& kernels);
std::string cpp_file(const std::string& head, std::span<const CppModel> models,
                     const std::string& kernels);

}  // namespace codegen
}  // namespace mithril
