// NVRTC, the compiler for CUDA that comes with torch's wheels. It needs no GPU.
#pragma once

#include <optional>
#include <string>

#include "backends/torch/kernel_device.hpp"
#include "mithril/base/cache_files.hpp"

namespace mithril::torch_backend {

struct Cubin {
  std::string code;  // for one architecture; empty: compilation failed
  std::string why;   // the reason of a failure
};

class Nvrtc {
 public:
  // That of a major version of CUDA: beside torch, else where the system finds libraries. Null:
  // there is none, and `why` says so.
  static const Nvrtc* find(std::string& why, int cuda_major = newest_cuda);

  const std::string& version() const { return version_; }  // "13.0"
  Cubin compile(const std::string& text, const std::string& architecture) const;

 private:
  struct Functions;
  explicit Nvrtc(const Functions& functions);
  static std::optional<Nvrtc> load(int cuda_major);

  const Functions* functions_;  // of a library that stays open
  std::string version_;
};

std::string cubin_key(const Nvrtc& nvrtc, const std::string& text, const std::string& architecture);
// The code of a kernel of this text, which follows the prelude of kernels. Compiled once for each
// text, architecture and version of NVRTC, in all processes that share the folder.
Cubin cubin_of(const Nvrtc& nvrtc, const std::string& text, const std::string& architecture,
               const CacheFiles& files);

}  // namespace mithril::torch_backend
