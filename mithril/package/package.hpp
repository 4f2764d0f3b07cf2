// Packages: a model, its parameters and its description as a folder, or as a .zip file of one.
// docs/packages.md has the format.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mithril/compile/compiled_model.hpp"
#include "mithril/compile/options.hpp"
#include "mithril/infer/known_shape.hpp"
#include "mithril/model/model.hpp"
#include "mithril/tensor/tensor_map.hpp"

namespace mithril {

// An input or an output of a packaged model.
struct PackagePort {
  std::string name;
  DType dtype = DType::float32;
  std::optional<KnownShape> shape = {};  // nothing: its rank is not known
};

// The contents of model_info.json and metadata.json.
struct PackageInfo {
  std::string name, revision;
  std::string created_at;  // "2026-11-25T03:31:02Z"
  std::string model_type;  // "bert"; "custom" if not stated
  // EncoderOnly, DecoderOnly, EncoderDecoder, Vision, Multimodal; empty: not stated.
  std::string family;
  std::string licence, source;        // empty: not stated
  std::vector<std::string> backends;  // that can run it: "cpu", "torch", "jax"
  std::vector<PackagePort> inputs, outputs;
  std::map<std::string, std::int64_t> sizes = {};  // "parameters", "parameter_bytes"
};

struct PackageFile {
  std::string name;  // relative: "backends/cpu/options.json"
  std::uint64_t bytes = 0;
  std::string sha256;
};

// A file to be put into a package: a copy of the file at `path`, or these bytes.
struct PackageAsset {
  std::string name;  // "tokenizer.json"
  std::string path = {};
  std::optional<std::string> bytes = {};
};

// The contents of a package for one backend.
struct PackageBackend {
  std::string name;                      // "cpu"
  std::string options = {};              // JSON text of an object; empty: none
  std::vector<PackageAsset> files = {};  // in the folder backends/NAME
};

struct SavePackageOptions {
  const State* state = nullptr;  // null: the initial states of the model
  // The backends that can run the model. Empty: cpu, torch and jax, which run every op of the
  // library, without those that lack an op of the program.
  std::vector<PackageBackend> backends = {};
  std::vector<PackageAsset> assets = {};
  // The outputs of the package; the inputs and parameters that only others need are left out.
  // Empty: all but losses and metrics (CompileOptions::outputs).
  std::vector<std::string> outputs = {};
  // Inputs of floats that are not parameters, as in CompileOptions.
  std::vector<std::string> data_keys = {};
  // Shapes of keys, as in CompileOptions. The model of the package states them.
  std::vector<std::pair<std::string, ShapeSpec>> shapes = {};
  // If they are empty, the name is that of the file, and the revision is derived from the
  // checksums.
  std::string name = {}, revision = {}, model_type = {}, family = {}, licence = {}, source = {};
  std::map<std::string, std::int64_t> sizes = {};  // further ones
  std::uint64_t max_shard_bytes = 0;               // as in SafetensorsOptions
};

// Writes a package: a folder, or a file if the path ends with ".zip". The write is atomic: the
// package is made beside the path, written to the disk, and exchanged with an older package.
// InputError E0831 if it cannot be written, E0861 for a name that an asset cannot have, E0862 for
// parameters that are not those of the model, E0863 if another folder would be replaced; NameError
// E0626 for an unknown family; errors as to_json, save_safetensors and, for `shapes`, set_shapes.
void save_package(const std::string& path, const Model& model, const TensorMap& params,
                  const SavePackageOptions& options = {});

// The same without a model: native code for backends computes the outputs, as TorchScript in
// backends/torch/model.pt does. Loading such a package requires allow_native_code. InputError E0865
// without such a file.
void save_native_package(const std::string& path, std::vector<PackagePort> inputs,
                         std::vector<PackagePort> outputs, const SavePackageOptions& options);

// full: all checksums are compared when the package is loaded. lazy: those of the files of tensors
// are compared before the first tensor is read.
enum class PackageChecks { full, lazy };

struct LoadPackageOptions {
  std::string backend = {};  // empty: any
  PackageChecks verify = PackageChecks::full;
  std::optional<PackageChecks> checks = {};  // the old name, until 0.2
  // Whether native code of the package may run: TorchScript, compiled plans, shared libraries.
  // Allow it only if you would run a program of the same author.
  bool allow_native_code = false;
};

// A loaded package: immutable, and copies are handles of the same package. Any thread may use it.
// Its files are mapped, and stay readable if the package is replaced.
class Package {
 public:
  const std::string& path() const;
  const PackageInfo& info() const;
  const std::vector<PackageFile>& files() const;  // sorted by name, without metadata.json

  // Makes the model from model.json, anew for each call: models are not shared by threads.
  // BackendError E1041 if the package has native code instead of a model.
  Model make_model() const;
  Model model() const { return make_model(); }  // the old name, until 0.2
  // Read-only: they share their elements with the mapped files. With lazy checks ParseError E0766
  // as in load_package.
  const TensorMap& params() const;
  const State& state() const;

  std::vector<std::string> assets() const;
  // The bytes of an asset or any other file, with the lifetime of the package. NameError E0625.
  std::string_view file(std::string_view name) const;
  // The JSON text of the options for a backend; empty if it has none.
  std::string_view backend_options(std::string_view backend) const;
  // The path of a file of native code. BackendError E1041 unless allow_native_code was given.
  std::string native_file(std::string_view name) const;

  // Whether compile runs the generated library backends/NAME/libmodel.so in place of the model: if
  // there is one, and the package was loaded with allow_native_code.
  bool runs_library(std::string_view backend) const;

  // Compares all checksums. ParseError E0766.
  void verify() const;

  // The model in inference mode for this backend. The parameters and the state are arguments of
  // evaluate. BackendError E1040 for a backend that the package does not list; ParseError E0769 if
  // the model has other inputs or outputs than model_info.json states; StateError E0901 for
  // parameters that are not those of the model. A package with a
  // generated library (runs_library) is compiled to this library, for inputs of its sizes, without
  // parameters; BackendError E1047 if it cannot be loaded. A package without a model.json is
  // compiled from backends/torch/model.pt, and the options are ignored. BackendError E1040 for a
  // backend other than Torch, E1041 without allow_native_code, E1044 if torch refuses it.
  CompiledModel compile(std::shared_ptr<Backend> backend, CompileOptions options = {}) const;
  // Raises these errors of compile: before compiling in another way, and afterwards.
  void check_backend(std::string_view backend) const;
  void check(const CompiledModel& compiled) const;
  // The same with the parameters and the state in it: evaluate({}, inputs).
  CompiledModel compile_bound(std::shared_ptr<Backend> backend, CompileOptions options = {}) const;

  struct Impl;
  explicit Package(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<const Impl> impl_;  // immutable, so copies share it
};

// Reads and verifies a package. No code of it runs. Each error names the file. InputError E0860 for
// a folder or file that is not a package; ParseError E0760 for another format version, E0761 for a
// path that leads out of the package, E0762 for a link, E0763 for a file that metadata.json does
// not list, E0764 for one that is missing, E0765 for another size, E0766 for another checksum,
// E0767 for a damaged or compressed .zip, E0768 for a value that the format does not have; errors
// of from_json and load_safetensors; BackendError E1040 for a backend that the package does not
// list, E1041 for a package that needs native code. Example:
//   const ml::Package package = ml::load_package("minilm");
//   const auto compiled = package.compile(ml::cpu());
//   auto outputs = compiled.evaluate(package.params(), {{"input_ids", ids}, ...});
Package load_package(const std::string& path, const LoadPackageOptions& options = {});

// Verifies a package and writes it elsewhere, as a folder or as a .zip file. Errors as load_package
// and save_package.
void copy_package(const std::string& from, const std::string& to);

}  // namespace mithril
