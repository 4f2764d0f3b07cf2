#include "backends/torch/kernels/nvrtc.hpp"

#include <ATen/Context.h>
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "backends/torch/device/symbols.hpp"
#include "codegen/cuda/kernel.hpp"

namespace mithril::torch_backend {

// The declarations of nvrtc.h, which is not needed to build this library.
struct Nvrtc::Functions {
  using TorchProgram = void*;
  int (*version)(int* major, int* minor);
  const char* (*error)(int);
  int (*create)(TorchProgram*, const char* text, const char* name, int headers, const char* const*,
                const char* const*);
  int (*destroy)(TorchProgram*);
  int (*compile)(TorchProgram, int options, const char* const*);
  int (*log_size)(TorchProgram, size_t*);
  int (*log)(TorchProgram, char*);
  int (*cubin_size)(TorchProgram, size_t*);
  int (*cubin)(TorchProgram, char*);
};

namespace {

// Tries the folders where pip installs NVRTC, relative to torch's libraries, then the name alone.
void* open_nvrtc(int cuda_major) {
  const std::string major = std::to_string(cuda_major), name = "libnvrtc.so." + major;
  std::vector<std::filesystem::path> folders;
  Dl_info torch{};
  if (dladdr(reinterpret_cast<void*>(&at::globalContext), &torch) && torch.dli_fname) {
    const auto packages = std::filesystem::path(torch.dli_fname).parent_path() / ".." / "..";
    folders.push_back(packages / ("nvidia/cu" + major + "/lib"));
    folders.push_back(packages / "nvidia/cuda_nvrtc/lib");
  }
  folders.emplace_back();
  for (const auto& folder : folders) {
    if (void* library = dlopen((folder / name).c_str(), RTLD_LAZY | RTLD_LOCAL)) return library;
  }
  return nullptr;
}

// A message of the compiler, as one line.
std::string shortened(std::string log) {
  log = log.substr(0, std::min<size_t>(log.find('\0'), 300));
  std::replace_if(
      log.begin(), log.end(), [](unsigned char c) { return c < ' '; }, ' ');
  return log;
}

}  // namespace

Nvrtc::Nvrtc(const Functions& functions) : functions_(&functions) {
  int major = 0, minor = 0;
  functions.version(&major, &minor);
  version_ = std::to_string(major) + "." + std::to_string(minor);
}

std::optional<Nvrtc> Nvrtc::load(int cuda_major) {
  auto made = std::make_unique<Functions>();
  Functions& functions = *made;
  void* library = open_nvrtc(cuda_major);
  const bool whole = library && find_symbol(library, "nvrtcVersion", functions.version) &&
                     find_symbol(library, "nvrtcGetErrorString", functions.error) &&
                     find_symbol(library, "nvrtcCreateProgram", functions.create) &&
                     find_symbol(library, "nvrtcDestroyProgram", functions.destroy) &&
                     find_symbol(library, "nvrtcCompileProgram", functions.compile) &&
                     find_symbol(library, "nvrtcGetProgramLogSize", functions.log_size) &&
                     find_symbol(library, "nvrtcGetProgramLog", functions.log) &&
                     find_symbol(library, "nvrtcGetCUBINSize", functions.cubin_size) &&
                     find_symbol(library, "nvrtcGetCUBIN", functions.cubin);
  if (!whole) return std::nullopt;
  return Nvrtc(*made.release());  // as long as the process, as the library
}

const Nvrtc* Nvrtc::find(std::string& why, int cuda_major) {
  static std::mutex mutex;
  static auto* known = new std::map<int, std::optional<Nvrtc>>;  // never destroyed
  const std::lock_guard lock(mutex);
  auto at = known->find(cuda_major);
  if (at == known->end()) at = known->emplace(cuda_major, load(cuda_major)).first;
  const std::optional<Nvrtc>& loaded = at->second;
  if (!loaded) why = "NVRTC (libnvrtc.so." + std::to_string(cuda_major) + ") was not found";
  return loaded ? &*loaded : nullptr;
}

// Products and sums are not contracted, so that results have the bits of the formulas.
Cubin Nvrtc::compile(const std::string& text, const std::string& architecture) const {
  const Functions& call = *functions_;
  Functions::TorchProgram program = nullptr;
  if (const int status = call.create(&program, text.c_str(), "fused.cu", 0, nullptr, nullptr))
    return {"", std::string("NVRTC: ") + call.error(status)};
  const std::string target = "--gpu-architecture=" + architecture;
  const std::array options{target.c_str(), "--std=c++17", "--fmad=false", "--disable-warnings"};
  const int status = call.compile(program, static_cast<int>(options.size()), options.data());
  Cubin made;
  size_t size = 0;
  if (status) {
    if (call.log_size(program, &size) == 0 && size > 0) {
      made.why.resize(size);
      call.log(program, made.why.data());
    }
    made.why = std::string("NVRTC: ") + call.error(status) + ": " + shortened(made.why);
  } else if (call.cubin_size(program, &size) == 0 && size > 0) {
    made.code.resize(size);
    if (call.cubin(program, made.code.data()) != 0) made.code.clear();
  }
  if (made.code.empty() && made.why.empty()) made.why = "NVRTC made no code for " + architecture;
  call.destroy(&program);
  return made;
}

std::string cubin_key(const Nvrtc& nvrtc, const std::string& text,
                      const std::string& architecture) {
  return "CUDA kernel 1\nNVRTC " + nvrtc.version() + "\n" + architecture + "\n" +
         std::string(cuda_prelude()) + text;
}

Cubin cubin_of(const Nvrtc& nvrtc, const std::string& text, const std::string& architecture,
               const CacheFiles& files) {
  const std::string key = cubin_key(nvrtc, text, architecture);
  if (auto entry = files.find(key)) return {*std::move(entry), ""};
  Cubin made = nvrtc.compile(std::string(cuda_prelude()) + text, architecture);
  if (!made.code.empty()) files.keep(key, made.code);
  return made;
}

}  // namespace mithril::torch_backend
