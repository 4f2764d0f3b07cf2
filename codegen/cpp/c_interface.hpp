// The C interface of a generated library: mithril.h for one model of fixed sizes. It follows the
// text of mithril.h, and the generated tables follow it.
#pragma once

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <vector>

struct mithril_error {
  mithril_status status;
  std::string code, kind, message;
};

namespace mithril_library {

struct Port {
  const char* name;
  DLDataType dtype;
  int32_t ndim;
  const int64_t* shape;
  size_t bytes;  // of all elements
};

// The generated model. `run` takes the inputs and outputs in the order of the ports, and the begin
// of the weights; it returns an error message, or null.
struct Description {
  const char *name, *revision, *version, *weights_file;
  char weights_id[65];  // the first bytes of the file of weights
  size_t weights_bytes;
  const Port* inputs;
  size_t input_count;
  const Port* outputs;
  size_t output_count;
  const char* (*run)(const void* const* inputs, void* const* outputs, const char* weights);
};
extern const Description description;

thread_local std::string last_message;

struct Failure {
  mithril_status status;
  std::string code, kind, text;
};

[[noreturn]] inline void fail(const std::string& code, const std::string& text) {
  throw Failure{code == "E0870" ? MITHRIL_INVALID_ARGUMENT : MITHRIL_INPUT_ERROR, code,
                "InputError", text};
}

inline void require(bool condition, const char* text) {
  if (!condition) fail("E0870", text);
}

inline std::string quoted(const char* name) { return "'" + std::string(name) + "'"; }

template <typename Action>
mithril_status guarded(mithril_error** error, Action action) noexcept {
  static mithril_error no_memory{MITHRIL_OUT_OF_MEMORY, "E1102", "OutOfMemoryError", ""};
  try {
    try {
      if (error) *error = nullptr;
      action();
      return MITHRIL_OK;
    } catch (const Failure& failure) {
      last_message = "mithril." + failure.kind + "[" + failure.code + "]: " + failure.text;
      if (error)
        *error = new mithril_error{failure.status, failure.code, failure.kind, last_message};
      return failure.status;
    }
  } catch (...) {
    if (error) *error = new (std::nothrow) mithril_error(no_memory);
    return MITHRIL_OUT_OF_MEMORY;
  }
}

// "/a/libmodel.so": "/a/"; the folder of this library.
inline std::string own_folder() {
  Dl_info about;
  if (!dladdr(&description, &about) || !about.dli_fname) return "";
  const std::string path = about.dli_fname;
  return path.substr(0, path.rfind('/') + 1);
}

inline std::string weights_path(const char* path) {
  if (!path || !*path) return own_folder() + description.weights_file;
  struct stat about;
  const bool is_folder = stat(path, &about) == 0 && S_ISDIR(about.st_mode);
  return is_folder ? std::string(path) + "/" + description.weights_file : path;
}

inline bool is_row_major(const DLTensor& tensor) {
  if (!tensor.strides) return true;
  int64_t expected = 1;
  for (int32_t axis = tensor.ndim; axis-- > 0;) {
    if (tensor.shape[axis] != 1 && tensor.strides[axis] != expected) return false;
    expected *= tensor.shape[axis];
  }
  return true;
}

inline bool is_integer(const DLDataType& dtype) {
  const int bits = dtype.bits;
  return (dtype.code == kDLInt || dtype.code == kDLUInt) &&
         (bits == 8 || bits == 16 || bits == 32 || bits == 64);
}

// Integers, which must be 0 or 1, as bools.
inline const void* flags_of(const Port& port, const DLTensor& tensor, std::vector<char>& flags) {
  const size_t width = tensor.dtype.bits / 8;
  const char* from = static_cast<const char*>(tensor.data) + tensor.byte_offset;
  flags.resize(port.bytes);
  for (size_t i = 0; i < port.bytes; ++i) {
    uint64_t bits = 0;  // little-endian, as all processors that libraries are built for
    std::memcpy(&bits, from + i * width, width);
    if (bits > 1) {
      const int unused = 64 - tensor.dtype.bits;
      const int64_t value = static_cast<int64_t>(bits << unused) >> unused;
      const std::string text =
          tensor.dtype.code == kDLInt ? std::to_string(value) : std::to_string(bits);
      fail("E0805", quoted(port.name) + " has " + text + ", expected 0 or 1");
    }
    flags[i] = static_cast<char>(bits);
  }
  return flags.data();
}

// The elements of a tensor that fits the port; `flags` has those of bools that come as integers.
inline const void* elements_of(const Port& port, const DLTensor& tensor, std::vector<char>& flags) {
  const bool is_same = tensor.dtype.code == port.dtype.code && tensor.dtype.bits == port.dtype.bits;
  const bool as_flags = port.dtype.code == kDLBool && is_integer(tensor.dtype);
  if (tensor.dtype.lanes != 1 || !(is_same || as_flags))
    fail("E0805", quoted(port.name) + " has another dtype than expected");
  if (tensor.ndim != port.ndim)
    fail("E0803", quoted(port.name) + " has rank " + std::to_string(tensor.ndim) + ", expected " +
                      std::to_string(port.ndim));
  for (int32_t axis = 0; axis < port.ndim; ++axis) {
    if (tensor.shape[axis] == port.shape[axis]) continue;
    fail("E0804", quoted(port.name) + " has " + std::to_string(tensor.shape[axis]) + " in dim " +
                      std::to_string(axis) + ", expected " + std::to_string(port.shape[axis]));
  }
  if (tensor.device.device_type != kDLCPU || !is_row_major(tensor))
    fail("E0870", quoted(port.name) + " is not row-major in the memory of this process");
  if (as_flags) return flags_of(port, tensor, flags);
  return static_cast<const char*>(tensor.data) + tensor.byte_offset;
}

inline size_t index_of(const char* name) {
  for (size_t i = 0; i < description.input_count; ++i) {
    if (std::strcmp(name, description.inputs[i].name) == 0) return i;
  }
  fail("E0802", "there is no data input " + quoted(name));
}

// An output with memory of its own, and what frees it.
struct Result {
  DLManagedTensorVersioned managed;
  std::vector<int64_t> shape;
  void* memory;

  explicit Result(const Port& port) : managed(), shape(port.shape, port.shape + port.ndim) {
    constexpr size_t alignment = 64;
    memory = std::aligned_alloc(alignment, (port.bytes / alignment + 1) * alignment);
    if (!memory) throw std::bad_alloc();
    managed.version = {1, 1};
    managed.manager_ctx = this;
    managed.deleter = [](DLManagedTensorVersioned* self) {
      delete static_cast<Result*>(self->manager_ctx);
    };
    managed.dl_tensor.data = memory;
    managed.dl_tensor.device.device_type = static_cast<decltype(DLDevice::device_type)>(kDLCPU);
    managed.dl_tensor.ndim = port.ndim;
    managed.dl_tensor.dtype = port.dtype;
    managed.dl_tensor.shape = shape.data();
  }
  Result(const Result&) = delete;
  Result& operator=(const Result&) = delete;
  ~Result() { std::free(memory); }
};

inline void describe(const char* function, const Port* ports, size_t count, size_t index,
                     mithril_port* port) {
  static const char* const no_symbols[64] = {};
  if (index >= count)
    fail("E0870", std::string(function) + ": index is " + std::to_string(index) +
                      ", expected less than " + std::to_string(count));
  const Port& found = ports[index];
  *port = {found.name, found.dtype, found.ndim, found.shape, no_symbols};
}

}  // namespace mithril_library

struct mithril_model {
  char* weights = nullptr;  // mapped
  size_t bytes = 0;
  ~mithril_model() {
    if (weights) munmap(weights, bytes);
  }
};

extern "C" {

uint32_t mithril_api_version(void) { return MITHRIL_API_VERSION; }
const char* mithril_version(void) { return mithril_library::description.version; }
mithril_status mithril_error_status(const mithril_error* error) {
  return error ? error->status : MITHRIL_OK;
}
const char* mithril_error_code(const mithril_error* error) {
  return error ? error->code.c_str() : "";
}
const char* mithril_error_kind(const mithril_error* error) {
  return error ? error->kind.c_str() : "";
}
const char* mithril_error_message(const mithril_error* error) {
  return error ? error->message.c_str() : "";
}
void mithril_error_free(mithril_error* error) { delete error; }
const char* mithril_last_error(void) { return mithril_library::last_message.c_str(); }

// `path`: the file of the weights, or its folder; NULL or "": the folder of the library.
mithril_status mithril_model_open(const char* path, const mithril_open_options* options,
                                  mithril_model** model, mithril_error** error) {
  return mithril_library::guarded(error, [&] {
    using namespace mithril_library;
    if (!model) fail("E0870", "mithril_model_open: model is needed");
    if (options && options->size != sizeof(mithril_open_options))
      fail("E0870", "mithril_model_open: options.size is not sizeof(mithril_open_options)");
    const std::string file = weights_path(path);
    const int opened = open(file.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat about;
    if (opened < 0 || fstat(opened, &about) != 0) {
      const std::string why = std::strerror(errno);
      if (opened >= 0) close(opened);
      fail("E0830", file + ": the file cannot be read\n  why : " + why);
    }
    const bool fits = static_cast<size_t>(about.st_size) == description.weights_bytes;
    void* data = fits ? mmap(nullptr, description.weights_bytes, PROT_READ, MAP_PRIVATE, opened, 0)
                      : MAP_FAILED;
    close(opened);
    const size_t id_bytes = sizeof(description.weights_id) - 1;
    if (data != MAP_FAILED && std::memcmp(data, description.weights_id, id_bytes) != 0) {
      munmap(data, description.weights_bytes);
      data = MAP_FAILED;
    }
    if (data == MAP_FAILED) {
      throw Failure{MITHRIL_PACKAGE_ERROR, "E0766", "ParseError",
                    file + ": the file is not that of the weights of this library"};
    }
    auto* made = new (std::nothrow) mithril_model;
    if (!made) {
      munmap(data, description.weights_bytes);
      throw std::bad_alloc();
    }
    made->weights = static_cast<char*>(data);
    made->bytes = description.weights_bytes;
    *model = made;
  });
}

void mithril_model_free(mithril_model* model) { delete model; }
mithril_status mithril_model_name(const mithril_model* model, const char** name,
                                  mithril_error** error) {
  return mithril_library::guarded(error, [&] {
    mithril_library::require(model && name, "mithril_model_name: model and name are needed");
    *name = mithril_library::description.name;
  });
}

mithril_status mithril_model_revision(const mithril_model* model, const char** revision,
                                      mithril_error** error) {
  return mithril_library::guarded(error, [&] {
    mithril_library::require(model && revision,
                             "mithril_model_revision: model and revision are needed");
    *revision = mithril_library::description.revision;
  });
}

mithril_status mithril_model_input_count(const mithril_model* model, size_t* count,
                                         mithril_error** error) {
  return mithril_library::guarded(error, [&] {
    mithril_library::require(model && count,
                             "mithril_model_input_count: model and count are needed");
    *count = mithril_library::description.input_count;
  });
}

mithril_status mithril_model_output_count(const mithril_model* model, size_t* count,
                                          mithril_error** error) {
  return mithril_library::guarded(error, [&] {
    mithril_library::require(model && count,
                             "mithril_model_output_count: model and count are needed");
    *count = mithril_library::description.output_count;
  });
}

mithril_status mithril_model_input(const mithril_model* model, size_t index, mithril_port* port,
                                   mithril_error** error) {
  return mithril_library::guarded(error, [&] {
    using namespace mithril_library;
    require(model && port, "mithril_model_input: model and port are needed");
    describe("mithril_model_input", description.inputs, description.input_count, index, port);
  });
}

mithril_status mithril_model_output(const mithril_model* model, size_t index, mithril_port* port,
                                    mithril_error** error) {
  return mithril_library::guarded(error, [&] {
    using namespace mithril_library;
    require(model && port, "mithril_model_output: model and port are needed");
    describe("mithril_model_output", description.outputs, description.output_count, index, port);
  });
}

mithril_status mithril_model_run(const mithril_model* model, const char* const* input_names,
                                 const DLTensor* const* inputs, size_t input_count,
                                 DLManagedTensorVersioned** outputs, size_t output_count,
                                 mithril_error** error) {
  return mithril_library::guarded(error, [&] {
    using namespace mithril_library;
    if (!model || !outputs || (input_count > 0 && (!input_names || !inputs)))
      fail("E0870", "mithril_model_run: model, input_names, inputs and outputs are needed");
    if (output_count != description.output_count)
      fail("E0870", "mithril_model_run: output_count is " + std::to_string(output_count) +
                        ", expected " + std::to_string(description.output_count));
    std::vector<const void*> given(description.input_count + 1);
    std::vector<std::vector<char>> flags(description.input_count);
    for (size_t i = 0; i < input_count; ++i) {
      if (!input_names[i] || !inputs[i]) fail("E0870", "mithril_model_run: an input is NULL");
      const size_t index = index_of(input_names[i]);
      given[index] = elements_of(description.inputs[index], *inputs[i], flags[index]);
    }
    for (size_t i = 0; i < description.input_count; ++i) {
      const bool lacks = !given[i] && description.inputs[i].bytes > 0;
      if (lacks) fail("E0801", std::string("data lacks ") + description.inputs[i].name);
    }
    struct Results {
      std::vector<Result*> all;
      ~Results() {
        for (Result* result : all) delete result;
      }
    } results;
    results.all.reserve(output_count);
    std::vector<void*> memory;
    for (size_t i = 0; i < output_count; ++i) {
      results.all.push_back(new Result(description.outputs[i]));
      memory.push_back(results.all.back()->memory);
    }
    const char* problem = description.run(given.data(), memory.data(), model->weights);
    if (problem) throw Failure{MITHRIL_OTHER_ERROR, "E1053", "BackendError", problem};
    for (size_t i = 0; i < output_count; ++i) outputs[i] = &results.all[i]->managed;
    results.all.clear();
  });
}

}  // extern "C"
