#include "mithril/cli/model_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>

#include "mithril/base/error.hpp"
#include "mithril/base/file_errors.hpp"
#include "mithril/base/printable.hpp"
#include "mithril/cli/argument_values.hpp"
#include "mithril/cli/read_text.hpp"
#include "mithril/cli/stated.hpp"
#include "mithril/json/model_json.hpp"
#include "mithril/onnx/read_onnx.hpp"
#include "mithril/serialization/load_arrays.hpp"
#include "mithril/serialization/mapped_file.hpp"
#include "mithril/serialization/safetensors.hpp"
#include "mithril/serialization/zip_archive.hpp"

namespace mithril::cli {
namespace {

constexpr std::size_t head_bytes = 512;

bool is_folder(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) cannot_read(path, reason_of(errno));
  return S_ISDIR(status.st_mode);
}

bool exists(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0;
}

[[noreturn]] void refuse_kind(const std::string& path, std::string what, std::string help) {
  raise({.kind = ErrorKind::input,
         .code = "E1350",
         .path = path,
         .message = "no command reads this file",
         .facts = {{"it is", std::move(what), ""},
                   {"it reads",
                    "models as JSON, packages, .onnx, .safetensors, .npz, .npy and .pt files", ""}},
         .help = std::move(help)});
}

FileKind kind_of_folder(const std::string& path) {
  if (exists(path + "/metadata.json")) return FileKind::package;
  if (exists(path + "/model.safetensors") || exists(path + "/model.safetensors.index.json")) {
    return FileKind::safetensors;
  }
  if (exists(path + "/config.json")) {
    refuse_kind(path, "a folder of Hugging Face",
                fmt::format("`mithril package create {} NAME.zip` makes a package of it", path));
  }
  if (access(path.c_str(), R_OK | X_OK) != 0) cannot_read(path, reason_of(errno));
  refuse_kind(path, "a folder", "");
}

FileKind kind_of_zip(const std::string& path) try {
  const ZipArchive archive(MappedFile::open(path));
  const auto has = [&](auto fits) {
    return std::any_of(archive.entries().begin(), archive.entries().end(),
                       [&](const ZipEntry& entry) { return fits(entry.name); });
  };
  if (has([](const std::string& name) { return name == "metadata.json"; })) {
    return FileKind::package;
  }
  if (has([](const std::string& name) { return name.ends_with("/constants.pkl"); })) {
    refuse_kind(path, "a TorchScript file", "torch.jit.load reads it");
  }
  if (has([](const std::string& name) { return name.ends_with("data.pkl"); })) {
    return FileKind::torch;
  }
  if (has([](const std::string& name) { return name.ends_with(".npy"); })) return FileKind::npz;
  refuse_kind(path, "a .zip file", "");
} catch (const ZipFault& fault) {
  refuse_kind(path, "a damaged .zip file: " + fault.why, "copy or download the file again");
}

FileKind kind_of_text(const std::string& path, std::string_view head) {
  const std::size_t begin = head.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) refuse_kind(path, "an empty file", "");
  if (head[begin] == '{') return FileKind::json_model;
  const std::size_t cut = head.size() == head_bytes ? 3 : 0;  // of the last character
  const bool is_text = utf8_bytes(head) + cut >= head.size() && head.find('\0') == head.npos;
  refuse_kind(path, is_text ? "a text" : "a binary file of an unknown format", "");
}

// The error of a text names the place in it, not its file.
Model read_json(const std::string& path) try {
  return from_json(read_text(path));
} catch (const Error& error) {
  ErrorDetails details = error.details();
  details.facts.insert(details.facts.begin(), {"file", path, ""});
  raise(std::move(details));
}

Tensor constant_tensor(const std::string& text) {
  const Datum value = parse_constant(text);
  if (value.kind() == kind::bool_value) return Tensor::scalar(value.flag());
  if (value.kind() == kind::int_value) return Tensor::scalar(value.integer());
  return Tensor::scalar(static_cast<float>(value.real()));
}

OnnxOptions onnx_options(const Arguments& arguments) {
  return {.constants = constants_of(arguments),
          .dtype = parse_dtype(arguments.value_or("--dtype", "float32"))};
}

// Whether the error is about a constant of the call: there is no such input, or it does not fit.
bool is_of_constant(const Error& error) {
  return error.code() == "E1312" || error.code() == "E1313";
}

// With the sizes of --shape if the file cannot be imported without them. Others stay open.
// StatedError for a constant or a size of the call that the file does not take.
template <class Read>
auto with_sizes(Read read, const std::string& path, const Arguments& arguments) {
  OnnxOptions options = onnx_options(arguments);
  try {
    return read(path, options);
  } catch (const Error& error) {
    if (is_of_constant(error)) throw StatedError{error.what()};
    options.shapes = shapes_of(arguments.values("--shape"));
    if (error.code() != "E1311" || options.shapes.empty()) throw;
  }
  try {
    return read(path, options);
  } catch (const Error& error) {
    if (error.code() == "E1311") throw;  // as without the sizes
    throw StatedError{error.what()};
  }
}

}  // namespace

void set_stated_shapes(Model& model, const Arguments& arguments) {
  const auto shapes = shapes_of(arguments.values("--shape"));
  stated([&] { model.set_shapes(shapes); });
}

TensorMap constants_of(const Arguments& arguments) {
  TensorMap constants;
  for (const std::string& text : arguments.values("--constant")) {
    const auto [key, value] = parse_pair("--constant", text);
    constants[key] = constant_tensor(value);
  }
  return constants;
}

std::string_view text_of(FileKind kind) {
  switch (kind) {
    case FileKind::json_model:
      return "a model as JSON";
    case FileKind::package:
      return "a package";
    case FileKind::onnx:
      return "an ONNX model";
    case FileKind::safetensors:
      return "tensors (safetensors)";
    case FileKind::npz:
      return "arrays of NumPy (.npz)";
    case FileKind::torch:
      return "tensors of torch.save";
    case FileKind::npy:
      return "an array of NumPy (.npy)";
  }
  return "";
}

bool has_model(FileKind kind) {
  return kind == FileKind::json_model || kind == FileKind::package || kind == FileKind::onnx;
}

FileKind kind_of_file(const std::string& path) {
  if (is_folder(path)) return kind_of_folder(path);
  std::ifstream file(path, std::ios::binary);
  if (!file) cannot_read(path, reason_of(errno));
  char bytes[head_bytes];
  file.read(bytes, sizeof bytes);
  if (file.bad()) cannot_read(path, reason_of(errno));
  const std::string_view head(bytes, static_cast<std::size_t>(file.gcount()));
  if (head.starts_with("PK")) return kind_of_zip(path);
  if (head.starts_with("\x93NUMPY")) return FileKind::npy;
  if (head.size() > 8 && head[8] == '{' && head[5] == 0 && head[6] == 0 && head[7] == 0) {
    return FileKind::safetensors;
  }
  if (path.ends_with(".safetensors.index.json")) return FileKind::safetensors;
  if (path.ends_with(".onnx")) return FileKind::onnx;  // which has no first bytes of its own
  return kind_of_text(path, head);
}

TensorMap read_tensors(FileKind kind, const std::string& path) {
  if (kind == FileKind::safetensors) return load_safetensors(path).tensors;
  if (kind == FileKind::npz) return load_npz(path);
  if (kind == FileKind::torch) return load_torch(path);
  if (kind == FileKind::npy) {
    TensorMap tensors;
    tensors["array"] = load_npy(path);
    return tensors;
  }
  raise({.kind = ErrorKind::input,
         .code = "E1351",
         .path = path,
         .message = "this file has no tensors by themselves",
         .facts = {{"it is", std::string(text_of(kind)), ""}},
         .help = "give a .safetensors, .npz, .npy or .pt file"});
}

ModelFile read_model(const std::string& path, const Arguments& arguments) {
  const FileKind kind = kind_of_file(path);
  ModelFile file{.kind = kind};
  if (kind == FileKind::package) {
    file.package = load_package(path, {.verify = PackageChecks::lazy});
    file.model = file.package->make_model();
    file.params = file.package->params().share();
    file.state = file.package->state();
    for (const PackagePort& port : file.package->info().inputs) {
      file.data_keys.push_back(port.name);
    }
  } else if (kind == FileKind::onnx) {
    OnnxModel read = with_sizes(read_onnx, path, arguments);
    file.model = std::move(read.model);
    file.params = std::move(read.parameters);
    file.renamed = std::move(read.renamed);
  } else if (kind == FileKind::json_model) {
    file.model = read_json(path);
  } else {
    raise({.kind = ErrorKind::input,
           .code = "E1351",
           .path = path,
           .message = "this file has no model",
           .facts = {{"it is", std::string(text_of(kind)), ""}},
           .help = "give a model as JSON, as to_json writes it, a package or an ONNX file"});
  }
  if (arguments.has("--params")) {
    const std::string& from = arguments.value("--params");
    file.params = read_tensors(kind_of_file(from), from);
  }
  return file;
}

ModelOutline read_outline(const std::string& path, const Arguments& arguments) {
  const FileKind kind = kind_of_file(path);
  if (kind == FileKind::onnx && !arguments.has("--params")) {
    OnnxOutline read = with_sizes(outline_onnx, path, arguments);
    return {.kind = kind, .model = std::move(read.model), .parameters = std::move(read.parameters)};
  }
  ModelFile read = read_model(path, arguments);
  ModelOutline outline{
      .kind = kind, .model = std::move(read.model), .package = std::move(read.package)};
  if (read.params) {
    outline.parameters.emplace();
    for (const auto& [key, tensor] : *read.params) (*outline.parameters)[key] = tensor.dims();
  }
  return outline;
}

}  // namespace mithril::cli
