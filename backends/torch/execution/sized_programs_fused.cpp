// Programs whose nodes are fused on a GPU.
#include "backends/torch/execution/sized_programs.hpp"

#include <utility>

#include "backends/torch/kernels/update_in_place.hpp"

namespace mithril::torch_backend {

void SizedPrograms::fuse(TorchProgram& program) const {
  Fusion made = fuse_nodes(graph_, program, *kernels_);
  update_in_place(graph_, program, donations_);
  const std::lock_guard lock(mutex_);
  fusion_ = std::move(made);
}

std::vector<std::string> SizedPrograms::fusion_notes() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> notes;
  if (fuses_ && !kernels_) {
    notes.emplace_back(
        "CUDA kernels: none, because the CUDA library of Mithril was not found or CUDA is older "
        "than 12.8");
  }
  if (fusion_.kernels > 0) {
    notes.push_back("CUDA kernels: " + std::to_string(fusion_.nodes) + " nodes run as " +
                    std::to_string(fusion_.kernels));
  }
  if (!fusion_.why.empty()) {
    const std::string some = fusion_.kernels > 0 ? "some " : "";
    notes.push_back("CUDA kernels: " + some + "nodes run one by one, because " + fusion_.why);
  }
  return notes;
}

}  // namespace mithril::torch_backend
