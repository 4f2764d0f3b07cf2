// Graphs with collectives, and a communicator that notes what they do.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mithril/backend/backend.hpp"
#include "mithril/base/error.hpp"
#include "mithril/distributed/communicator.hpp"

namespace mithril::tests {

// A communicator that notes what starts and what is waited for.
class LoggingCommunicator final : public Communicator {
 public:
  struct Pending final : PendingCollective {
    explicit Pending(LoggingCommunicator& at, int number) : at(at), number(number) {}
    ~Pending() override { at.log += "end " + std::to_string(number) + "; "; }
    void wait() override {
      at.log += "wait " + std::to_string(number) + "; ";
      if (at.failing == number)
        raise({.kind = ErrorKind::distributed, .code = "E0963", .message = "a process has failed"});
    }
    LoggingCommunicator& at;
    int number;
  };

  int rank() const override { return 0; }
  int size() const override { return 2; }
  const std::string& name() const override { return name_; }
  std::unique_ptr<PendingCollective> start_all_reduce(void* data, DType, std::int64_t count,
                                                      Reduction) override {
    log += "start " + std::to_string(started) + " of " + std::to_string(count) + "; ";
    addresses.push_back(data);
    return std::make_unique<Pending>(*this, started++);
  }
  void all_gather(std::span<const std::byte>, std::span<std::byte>) override {}
  void broadcast(std::span<std::byte>, int) override {}
  void barrier() override {}
  void abandon(const std::string&) noexcept override {}
  std::shared_ptr<Communicator> make_subgroup(const std::string&,
                                              const std::vector<int>&) override {
    return single_process();
  }

  std::string log;
  std::vector<void*> addresses;
  int failing = -1;

 private:
  int started = 0;
  const std::string name_ = "threads";
};

// Two gradients of a bucket each, one of which is a product; each updates a parameter in place.
inline const char* const two_buckets = R"(graph {
  input w: float32[3, 4]
  input v: float32[5]
  input x: float32[2, 3]
  input d: float32[2, 4]
  input e: float32[2, 5]
  t: float32[3, 2] = swapaxes(input: x)
  g: float32[3, 4] = matmul(left: t, right: d)
  s0: float32[3, 4] = all_reduce_start(inputs: [g], group: "threads")
  h: float32[5] = sum(input: e, axis: 0)
  s1: float32[5] = all_reduce_start(inputs: [h], group: "threads")
  r0: float32[3, 4] = all_reduce_wait(inputs: [s0])
  w2: float32[3, 4] = subtract(left: w, right: r0)
  r1: float32[5] = all_reduce_wait(inputs: [s1])
  v2: float32[5] = subtract(left: v, right: r1)
  output w = w2
  output v = v2
})";

inline Tensor counting(Dims dims, float first) {
  Tensor tensor(DType::float32, std::move(dims));
  for (float& element : tensor.mutable_values<float>()) element = first++;
  return tensor;
}

inline std::vector<Tensor> inputs_of_rank(int rank) {
  const auto base = static_cast<float>(rank);
  return {counting({3, 4}, 1), counting({5}, 2), counting({2, 3}, base), counting({2, 4}, 3 + base),
          counting({2, 5}, -base)};
}

inline const LoadOptions in_place_of_inputs{
    .donations = {{.output = 0, .input = 0}, {.output = 1, .input = 1}}};

}  // namespace mithril::tests
