#include "mithril/base/limits.hpp"

#include <atomic>

#include "mithril/base/error.hpp"

namespace mithril {
namespace {

struct Entry {
  const char* name;
  int64_t Limits::*member;
  std::atomic<int64_t> value;
};

Entry entries[] = {{"repetitions", &Limits::repetitions, Limits().repetitions},
                   {"parts", &Limits::parts, Limits().parts},
                   {"dim_terms", &Limits::dim_terms, Limits().dim_terms},
                   {"tuple_items", &Limits::tuple_items, Limits().tuple_items}};

const Entry& entry_of(int64_t Limits::*member) {
  for (const Entry& entry : entries) {
    if (entry.member == member) return entry;
  }
  MITHRIL_CHECK(false, "a limit without an entry");
  return entries[0];
}

}  // namespace

Limits limits() {
  Limits now;
  for (const Entry& entry : entries)
    now.*entry.member = entry.value.load(std::memory_order_relaxed);
  return now;
}

void set_limits(const Limits& limits) {
  for (const Entry& entry : entries) {
    if (limits.*entry.member >= 1) continue;
    raise({.kind = ErrorKind::value,
           .code = "E0464",
           .message = std::string("the limit '") + entry.name + "' is " +
                      std::to_string(limits.*entry.member) + ", expected at least 1"});
  }
  for (Entry& entry : entries) entry.value.store(limits.*entry.member, std::memory_order_relaxed);
}

std::string at_most_repetitions(int64_t most) {
  return "at most " + std::to_string(most) + ", the limit 'repetitions', which set_limits raises";
}

void check_limit(int64_t count, int64_t Limits::*limit, const char* code, const std::string& what) {
  const Entry& entry = entry_of(limit);
  const int64_t most = entry.value.load(std::memory_order_relaxed);
  if (count <= most) return;
  raise({.kind = ErrorKind::value,
         .code = code,
         .message = what + ", and the limit '" + entry.name + "' is " + std::to_string(most),
         .help = std::string("raise the limit '") + entry.name +
                 "' with set_limits if this is meant to be so large"});
}

}  // namespace mithril
