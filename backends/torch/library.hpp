// The torch that is loaded: its devices, and the switches that it has for all threads.
#pragma once

#include <string>
#include <vector>

namespace mithril::torch_backend {

std::vector<std::string> devices();  // "cpu", "cuda:0", "mps"

// What is switched for the whole of torch while it runs.
enum class Switches {
  as_they_are,
  deterministic,  // only kernels that give the same bits each time; torch refuses the others
  benchmark       // cuDNN tries its kernels and takes the fastest
};

// Sets them, and puts them back when the last of the runs that overlap is over. While some are
// deterministic all are, those that ask for `benchmark` or for nothing, too: torch has one set of
// switches for all threads.
class SwitchScope {
 public:
  explicit SwitchScope(Switches wanted);
  ~SwitchScope();
  SwitchScope(const SwitchScope&) = delete;
  SwitchScope& operator=(const SwitchScope&) = delete;

 private:
  const Switches wanted_;
};

}  // namespace mithril::torch_backend
