// NVRTC, the compiler for CUDA that comes with torch's wheels. It needs no GPU.
#pragma once

#include <optional>
#include <string>

#include "backends/torch/device/kernel_device.hpp"
#include "mithril/base/cache_files.hpp"

namespace mithril::torch_backend {

struct Cubin {
  std::string code;  // for one architecture; empty: compilation failed
  std::string why;   // the reason of a failure
};

class Nvrtc {
 public:
  // The NVRTC of a major version of CUDA, from torch's wheels or else from the system. Null if
  // there is none; `why` then says so.
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
// The cubin of the prelude followed by this text. Processes that share the folder compile once for
// each text, architecture and version of NVRTC.
Cubin cubin_of(const Nvrtc& nvrtc, const std::string& text, const std::string& architecture,
               const CacheFiles& files);

}  // namespace mithril::torch_backend
