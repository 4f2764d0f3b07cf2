#include "mithril/distributed/communicator.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "mithril/base/error.hpp"
#include "mithril/base/names.hpp"

namespace mithril {
namespace {

using CommunicatorTable = std::map<std::string, std::shared_ptr<Communicator>, std::less<>>;

class Done final : public PendingCollective {
 public:
  void wait() override {}
};

class SingleProcess final : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  const std::string& name() const override { return name_; }

  std::unique_ptr<PendingCollective> start_all_reduce(void*, DType dtype, std::int64_t,
                                                      Reduction reduction) override {
    check_reduction(dtype, reduction);
    return std::make_unique<Done>();
  }
  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    std::copy(mine.begin(), mine.end(), all.begin());
  }
  void broadcast(std::span<std::byte>, int) override {}
  void barrier() override {}
  void abandon(const std::string&) noexcept override {}

 protected:
  std::shared_ptr<Communicator> make_subgroup(const std::string&,
                                              const std::vector<int>&) override {
    return std::make_shared<SingleProcess>();
  }

 private:
  const std::string name_ = "alone";
};

struct ProcessTable {
  std::mutex mutex;
  CommunicatorTable table = {{"alone", single_process()}};
};

// Never destroyed: threads may still run when the process ends.
ProcessTable& process_table() {
  static auto* table = new ProcessTable;
  return *table;
}

CommunicatorTable& thread_table() {
  thread_local CommunicatorTable table;
  return table;
}

// The communicator with this name in the table, or a subgroup of one; null: there is none.
std::shared_ptr<Communicator> find_in(const CommunicatorTable& table, std::string_view name) {
  if (const auto at = table.find(name); at != table.end()) return at->second;
  for (const auto& [each, communicator] : table) {
    if (std::shared_ptr<Communicator> found = communicator->find_subgroup(name)) return found;
  }
  return nullptr;
}

}  // namespace

std::shared_ptr<Communicator> Communicator::subgroup(const std::string& name,
                                                     const std::vector<int>& ranks) {
  if (std::shared_ptr<Communicator> known = find_subgroup(name)) return known;
  return subgroups_[name] = make_subgroup(name, ranks);
}

std::shared_ptr<Communicator> Communicator::find_subgroup(std::string_view name) const {
  const auto at = subgroups_.find(name);
  return at == subgroups_.end() ? nullptr : at->second;
}

void Communicator::abandon_subgroups(const std::string& reason) noexcept {
  for (const auto& [name, subgroup] : subgroups_) subgroup->abandon(reason);
}

std::string_view name(Reduction reduction) {
  constexpr std::string_view names[] = {"sum", "max", "min"};
  return names[static_cast<std::size_t>(reduction)];
}

Reduction parse_reduction(std::string_view text) {
  for (const Reduction reduction : {Reduction::sum, Reduction::max, Reduction::min}) {
    if (name(reduction) == text) return reduction;
  }
  unknown_name(ErrorKind::value, "E0494", "reduction", text, "", {"sum", "max", "min"});
}

void check_reduction(DType dtype, Reduction reduction) {
  if (dtype != DType::boolean || reduction != Reduction::sum) return;
  raise({.kind = ErrorKind::value,
         .code = "E0495",
         .message = "processes do not add up bools",
         .facts = {{"dtype", std::string(name(dtype))}},
         .help = "reduce by max, or cast to an integer dtype"});
}

std::shared_ptr<Communicator> single_process() {
  static const auto alone = std::make_shared<SingleProcess>();
  return alone;
}

void register_communicator(std::shared_ptr<Communicator> communicator) {
  ProcessTable& known = process_table();
  const std::lock_guard lock(known.mutex);
  const std::string name = communicator->name();
  known.table[name] = std::move(communicator);
}

void unregister_communicator(std::string_view name) {
  ProcessTable& known = process_table();
  const std::lock_guard lock(known.mutex);
  const auto at = known.table.find(name);
  if (at != known.table.end() && name != "alone") known.table.erase(at);
}

std::shared_ptr<Communicator> communicator(std::string_view name) {
  if (std::shared_ptr<Communicator> own = find_in(thread_table(), name)) return own;
  ProcessTable& known = process_table();
  const std::lock_guard lock(known.mutex);
  if (std::shared_ptr<Communicator> found = find_in(known.table, name)) return found;
  std::vector<std::string> names;
  for (const auto& [each, communicator] : known.table) names.push_back(each);
  unknown_name(ErrorKind::distributed, "E0960", "group of processes", name, "", names);
}

CommunicatorScope::CommunicatorScope(std::shared_ptr<Communicator> communicator)
    : name_(communicator->name()) {
  outer_ = std::exchange(thread_table()[name_], std::move(communicator));
}

CommunicatorScope::~CommunicatorScope() {
  if (outer_) {
    thread_table()[name_] = std::move(outer_);
  } else {
    thread_table().erase(name_);
  }
}

}  // namespace mithril
