// The collectives of one run.
#pragma once

#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "backends/torch/program/program.hpp"
#include "backends/torch/program/run_call.hpp"
#include "mithril/distributed/communicator.hpp"

namespace mithril::torch_backend {

// Collectives that have not ended when it is destroyed end then.
class Exchanges {
 public:
  // A start copies the tensors that it reads into buckets, one for each dtype, and starts to reduce
  // these. Its outputs are views of the buckets. A wait waits for the collectives whose tensors it
  // reads, which are then its outputs. DistributedError with the path of the start.
  void run(ExchangePart part, const PlannedNode& node, const std::string& path,
           Registers& registers);
  // Waits for all collectives.
  void finish();
  // Copies the outputs that would keep the memory of a whole bucket.
  void copy_views(std::vector<at::Tensor>& outputs) const;

 private:
  struct Bucket {
    at::Tensor tensor;
    at::Tensor on_host = {};  // undefined: the tensor itself is exchanged
    std::unique_ptr<PendingCollective> pending = nullptr;
  };
  struct Started {
    std::vector<ValueId> outputs;
    std::string path;
    std::vector<Bucket> buckets;
  };

  void start(const PlannedNode& start, const std::string& path, Registers& registers);
  void wait(const PlannedNode& wait, Registers& registers);
  static void finish(Started& started);

  std::vector<Started> started_;                          // that have not ended
  std::unordered_set<const c10::StorageImpl*> storages_;  // of all buckets
};

}  // namespace mithril::torch_backend
