// Reads the files that commands take.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mithril/cli/command.hpp"
#include "mithril/package/package.hpp"

namespace mithril::cli {

enum class FileKind { json_model, package, onnx, safetensors, npz, torch, npy };

// Whether files of this kind have a model.
bool has_model(FileKind kind);

// "a model as JSON": the words of messages and of `mithril inspect`.
std::string_view text_of(FileKind kind);

// The kind of a file or folder, by its first bytes and entries. InputError E0830 if it cannot be
// read; E1350 for a kind that no command reads, with what it is and advice.
FileKind kind_of_file(const std::string& path);

// A model, and what its file has besides it.
struct ModelFile {
  FileKind kind;
  Model model;
  std::optional<Package> package = {};
  std::optional<TensorMap> params = {};
  State state = {};
  std::vector<std::string> data_keys = {};
};

// Reads a model as JSON, a package or an ONNX file. Of `arguments`, --params gives the parameters,
// and --constant and --dtype are options of ONNX files, where the command has them. InputError
// E1351 for a file without a model; errors as from_json, load_package, read_onnx and
// load_safetensors.
ModelFile read_model(const std::string& path, const Arguments& arguments);

// The tensors of a safetensors, .npz, .pt or .npy file; of an .npy file under the name "array".
TensorMap read_tensors(FileKind kind, const std::string& path);

// The text of a file. InputError E0830.
std::string read_text(const std::string& path);

// "x=8,4" as the key and its sizes. UsageError for another form.
std::pair<std::string, ShapeSpec> parse_shape(const std::string& text);
// The value of --constant: an int, a float or a bool. UsageError for another text.
Datum parse_constant(const std::string& text);
// "x=a.npy" as the key and the rest. UsageError without "=".
std::pair<std::string, std::string> parse_pair(const std::string& option, const std::string& text);

}  // namespace mithril::cli
