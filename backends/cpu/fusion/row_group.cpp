#include "backends/cpu/fusion/row_group.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "mithril/base/thread_pool.hpp"

namespace mithril::cpu_backend {
namespace {

class RowGroupStep final : public Step {
 public:
  RowGroupStep(std::vector<std::unique_ptr<PartStep>> members, RowGroupOptions options)
      : members_(std::move(members)), o_(std::move(options)) {}

  void run(const BufferTable& buffers) const override {
    ThreadPool::shared().run(o_.tasks, o_.tasks, [&](int task) {
      run_task(buffers, task,
               {o_.parts * task / o_.tasks, o_.parts * (task + 1) / o_.tasks, o_.parts});
    });
  }

  bool runs_backward() const override { return true; }

 private:
  void run_task(const BufferTable& buffers, int task, const Parts& all) const {
    std::byte* const scratch = buffers.write<std::byte>(o_.scratch) + task * o_.scratch_bytes;
    const auto first_private = static_cast<size_t>(o_.first_base);
    const std::span bases(reinterpret_cast<std::byte**>(scratch), first_private + o_.values.size());
    std::copy_n(buffers.bases().begin(), std::min(buffers.bases().size(), first_private),
                bases.begin());
    const int64_t rounds = (all.last - all.first + o_.at_once - 1) / o_.at_once;
    iterate(buffers.direction(), 0, rounds, [&](int64_t round) {
      const int64_t first = all.first + round * o_.at_once;
      for (size_t i = 0; i < o_.values.size(); ++i) {
        const PrivateValue& value = o_.values[i];
        bases[first_private + i] = scratch + (value.offset - first * value.part_bytes);
      }
      const Parts some{first, std::min(first + o_.at_once, all.last), all.of};
      const BufferTable own(bases, buffers.direction());
      for (const auto& member : members_) member->run_parts(own, some);
    });
  }

  const std::vector<std::unique_ptr<PartStep>> members_;
  const RowGroupOptions o_;
};

}  // namespace

std::unique_ptr<Step> make_row_group_step(std::vector<std::unique_ptr<PartStep>> members,
                                          RowGroupOptions options) {
  return std::make_unique<RowGroupStep>(std::move(members), std::move(options));
}

}  // namespace mithril::cpu_backend
