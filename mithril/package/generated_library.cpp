#include "mithril/package/generated_library.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "mithril/base/error.hpp"
#include "mithril/base/temporary_folder.hpp"
#include "mithril/base/text.hpp"
#include "mithril/base/write_file.hpp"
#include "mithril/c/mithril.h"
#include "mithril/package/native_model.hpp"
#include "mithril/package/paths.hpp"
#include "mithril/tensor/dlpack.hpp"

namespace mithril {
namespace {

[[noreturn]] void refuse_library(const std::string& where, const std::string& why) {
  raise({.kind = ErrorKind::backend,
         .code = "E1047",
         .path = where,
         .message = "the generated library cannot be loaded",
         .facts = {{"why", why, ""}},
         .help = "build it again, for this processor and this Mithril"});
}

struct LibraryPort {
  std::string name;
  DLDataType dtype;
  Dims dims;
};

bool has_dtype(const DLDataType& given, DType dtype) {
  const dlpack::DLDataType expected = dlpack_dtype(dtype);
  return given.code == expected.code && given.bits == expected.bits && given.lanes == 1;
}

// A loaded library and its open model.
class LoadedLibrary {
 public:
  explicit LoadedLibrary(const StoredLibrary& stored) : where_(stored.where) {
    const TemporaryFolder folder("mithril_package_");
    if (!folder) refuse_library(where_, "there is no room for temporary files");
    const std::string path = folder.path(library_name);
    for (const auto& [name, bytes] :
         {std::pair(library_name, stored.library), std::pair(weights_name, stored.weights)}) {
      const std::string why = write_private_file(folder.path(name), bytes);
      if (!why.empty()) refuse_library(where_, why);
    }
    handle_ = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle_) refuse_library(where_, system_text(folder.path()));
    try {
      find_functions();
      // Names the weights file: the name that the library was built with may differ.
      check(open_(folder.path(weights_name).c_str(), nullptr, &model_, &error_));
    } catch (...) {
      ::dlclose(handle_);
      throw;
    }
  }
  ~LoadedLibrary() {
    free_(model_);
    ::dlclose(handle_);
  }
  LoadedLibrary(const LoadedLibrary&) = delete;
  LoadedLibrary& operator=(const LoadedLibrary&) = delete;

  std::vector<LibraryPort> inputs() { return ports(input_count_, input_); }
  std::vector<LibraryPort> outputs() { return ports(output_count_, output_); }

  std::vector<Tensor> run(const std::vector<const char*>& names,
                          const std::vector<const DLTensor*>& inputs, std::size_t outputs) const {
    std::vector<DLManagedTensorVersioned*> made(outputs);
    mithril_error* error = nullptr;
    const mithril_status status =
        run_(model_, names.data(), inputs.data(), inputs.size(), made.data(), outputs, &error);
    if (status != MITHRIL_OK) fail(status, error);
    const auto free = [](DLManagedTensorVersioned* tensor) { tensor->deleter(tensor); };
    std::vector<std::unique_ptr<DLManagedTensorVersioned, decltype(free)>> owned;
    owned.reserve(outputs);
    for (DLManagedTensorVersioned* tensor : made) owned.emplace_back(tensor, free);
    std::vector<Tensor> tensors;
    for (auto& tensor : owned) {
      // A copy, because what frees the elements is code of the library, which may go before them.
      const Tensor shared =
          from_dlpack(reinterpret_cast<dlpack::DLManagedTensorVersioned*>(tensor.get()));
      tensor.release();
      tensors.push_back(shared.copy());
    }
    return tensors;
  }

 private:
  template <typename Function>
  void find(Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(::dlsym(handle_, name));
    if (!function) refuse_library(where_, std::string("it has no function ") + name);
  }

  void find_functions() {
    find(version_, "mithril_api_version");
    if (version_() != MITHRIL_API_VERSION) {
      refuse_library(where_, "it has version " + std::to_string(version_()) +
                                 " of the C interface, expected " +
                                 std::to_string(MITHRIL_API_VERSION));
    }
    find(open_, "mithril_model_open");
    find(free_, "mithril_model_free");
    find(input_count_, "mithril_model_input_count");
    find(output_count_, "mithril_model_output_count");
    find(input_, "mithril_model_input");
    find(output_, "mithril_model_output");
    find(run_, "mithril_model_run");
    find(message_, "mithril_error_message");
    find(free_error_, "mithril_error_free");
  }

  std::vector<LibraryPort> ports(decltype(mithril_model_input_count)* count_of,
                                 decltype(mithril_model_input)* port_of) {
    std::size_t count = 0;
    check(count_of(model_, &count, &error_));
    std::vector<LibraryPort> found;
    for (std::size_t i = 0; i < count; ++i) {
      mithril_port port;
      check(port_of(model_, i, &port, &error_));
      found.push_back({port.name, port.dtype, Dims(port.shape, port.shape + port.ndim)});
    }
    return found;
  }

  void check(mithril_status status) {
    if (status != MITHRIL_OK) fail(status, std::exchange(error_, nullptr));
  }

  [[noreturn]] void fail(mithril_status status, mithril_error* error) const {
    const std::string why = message_(error);
    free_error_(error);
    if (status == MITHRIL_OUT_OF_MEMORY) throw std::bad_alloc();
    refuse_library(where_, why);
  }

  // The text of dlerror, without the folder of this call.
  static std::string system_text(const std::string& folder) {
    const char* said = ::dlerror();
    std::string text = said ? said : "the system does not say";
    const std::size_t at = text.find(folder + "/");
    return at == text.npos ? text : text.erase(at, folder.size() + 1);
  }

  std::string where_;
  void* handle_ = nullptr;
  mithril_model* model_ = nullptr;
  mithril_error* error_ = nullptr;  // of a call of the constructor, or of ports
  decltype(mithril_api_version)* version_ = nullptr;
  decltype(mithril_model_open)* open_ = nullptr;
  decltype(mithril_model_free)* free_ = nullptr;
  decltype(mithril_model_input_count)*input_count_ = nullptr, *output_count_ = nullptr;
  decltype(mithril_model_input)*input_ = nullptr, *output_ = nullptr;
  decltype(mithril_model_run)* run_ = nullptr;
  decltype(mithril_error_message)* message_ = nullptr;
  decltype(mithril_error_free)* free_error_ = nullptr;
};

class LibraryExecutable final : public Executable {
 public:
  LibraryExecutable(std::shared_ptr<const LoadedLibrary> library, const PackageInfo& info)
      : library_(std::move(library)), outputs_(info.outputs.size()) {
    for (const PackagePort& port : info.inputs) names_.push_back(port.name);
  }

  std::vector<Tensor> run(std::span<const Tensor> inputs) const override {
    std::vector<const char*> names;
    std::vector<DLTensor> tensors(inputs.size());
    std::vector<const DLTensor*> given;
    std::vector<Dims> dims;
    dims.reserve(inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const dlpack::DLDataType dtype = dlpack_dtype(inputs[i].dtype());
      dims.push_back(inputs[i].dims());
      tensors[i] = {.data = const_cast<void*>(inputs[i].raw_data()),
                    .device = {kDLCPU, 0},
                    .ndim = static_cast<std::int32_t>(dims[i].size()),
                    .dtype = {dtype.code, dtype.bits, dtype.lanes},
                    .shape = dims[i].data(),
                    .strides = nullptr,
                    .byte_offset = 0};
      names.push_back(names_[i].c_str());
      given.push_back(&tensors[i]);
    }
    return library_->run(names, given, outputs_);
  }

 private:
  std::shared_ptr<const LoadedLibrary> library_;  // shared, because compiling makes it first
  std::vector<std::string> names_;
  std::size_t outputs_;
};

bool fits(const LibraryPort& made, const PackagePort& stated) {
  if (made.name != stated.name || !has_dtype(made.dtype, stated.dtype)) return false;
  if (!stated.shape || stated.shape->has_run()) return true;
  const std::vector<KnownDim>& dims = stated.shape->head();
  return std::equal(dims.begin(), dims.end(), made.dims.begin(), made.dims.end(),
                    [](const KnownDim& known, std::int64_t size) {
                      return !known.number() || *known.number() == size;
                    });
}

// The ports as stated, with the sizes of the library, whose ports may be in another order.
std::vector<PackagePort> sized_ports(const std::vector<PackagePort>& stated,
                                     const std::vector<LibraryPort>& made, const std::string& where,
                                     const char* what) {
  std::vector<PackagePort> sized;
  std::vector<std::string> names;
  for (const LibraryPort& port : made) names.push_back(port.name + " " + to_string(port.dims));
  for (const PackagePort& port : stated) {
    const auto found = std::find_if(made.begin(), made.end(),
                                    [&](const LibraryPort& each) { return fits(each, port); });
    if (found == made.end() || made.size() != stated.size()) {
      refuse_package("E0769", where, std::string("the library has other ") + what + " than stated",
                     {{"stated", port.name, ""}, {"library", join(names, ", "), ""}});
    }
    sized.push_back({.name = port.name,
                     .dtype = port.dtype,
                     .shape = KnownShape({found->dims.begin(), found->dims.end()})});
  }
  return sized;
}

}  // namespace

CompiledModel compile_library(const PackageInfo& info, const StoredLibrary& stored,
                              std::shared_ptr<Backend> backend) {
  auto library = std::make_shared<LoadedLibrary>(stored);
  PackageInfo sized = info;
  sized.inputs = sized_ports(info.inputs, library->inputs(), stored.where, "inputs");
  sized.outputs = sized_ports(info.outputs, library->outputs(), stored.where, "outputs");
  for (const LibraryPort& port : library->outputs()) {
    const auto place =
        std::find_if(sized.outputs.begin(), sized.outputs.end(),
                     [&](const PackagePort& each) { return each.name == port.name; });
    // Outputs are in the order of the library.
    std::rotate(sized.outputs.begin(), place, place + 1);
  }
  std::reverse(sized.outputs.begin(), sized.outputs.end());
  const auto bytes = static_cast<std::int64_t>(stored.library.size() + stored.weights.size());
  return native_model(sized, bytes, std::move(backend), [&](const Graph&) {
    return std::make_unique<LibraryExecutable>(std::move(library), sized);
  });
}

}  // namespace mithril
