// Reads the files that commands take.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
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
  std::map<std::string, std::string> renamed = {};  // OnnxModel::renamed
};

// The same without the elements of parameters.
struct ModelOutline {
  FileKind kind;
  Model model;
  std::optional<Package> package = {};
  std::optional<std::map<std::string, Dims>> parameters = {};
};

// Sets the shapes of --shape. StatedError for a key or a size that the model does not have.
void set_stated_shapes(Model& model, const Arguments& arguments);

// What --constant fixes. The keys are names of inputs.
TensorMap constants_of(const Arguments& arguments);

// Reads a model as JSON, a package or an ONNX file. Of `arguments`, --params gives the parameters,
// and --constant and --dtype are options of ONNX files, where the command has them. InputError
// E1351 for a file without a model; errors as from_json, load_package, read_onnx and
// load_safetensors.
ModelFile read_model(const std::string& path, const Arguments& arguments);

// The same; the elements of an ONNX file are not read.
ModelOutline read_outline(const std::string& path, const Arguments& arguments);

// The tensors of a safetensors, .npz, .pt or .npy file; of an .npy file under the name "array".
TensorMap read_tensors(FileKind kind, const std::string& path);

}  // namespace mithril::cli
