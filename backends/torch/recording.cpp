#include "backends/torch/recording.hpp"

#include <dlfcn.h>

#include "mithril/backend/plugin.hpp"
#include "mithril/base/error.hpp"

namespace mithril::torch_backend {

Record cuda_record() {
  static const Record record = [] {
    void* library = dlopen(plugin_path("mithril_torch_cuda").c_str(), RTLD_LAZY | RTLD_LOCAL);
    return library ? reinterpret_cast<Record>(dlsym(library, "mithril_cuda_record")) : nullptr;
  }();
  return record;
}

std::vector<at::Tensor> Recorder::run(at::TensorList inputs, const Run& plain) {
  {
    const std::lock_guard lock(mutex_);
    if (!recording_ && refusal_.empty() && runs_++ > 0) record(inputs, plain);
    if (recording_) return recording_->replay(inputs);
  }
  return plain(inputs);
}

// An error may concern recording only. The plain run, which follows, shows whether it does.
void Recorder::record(at::TensorList inputs, const Run& plain) {
  try {
    recording_.reset(record_(inputs, plain));
  } catch (const Error& error) {
    refusal_ = error.details().message;
  } catch (const std::exception& error) {
    const std::string text = error.what();
    refusal_ = text.substr(0, text.find('\n'));
  }
}

std::string Recorder::refusal() const {
  const std::lock_guard lock(mutex_);
  return refusal_;
}

}  // namespace mithril::torch_backend
