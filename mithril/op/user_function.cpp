#include "mithril/op/user_function.hpp"

#include <map>
#include <mutex>
#include <utility>

namespace mithril {
namespace {

// Never destroyed, because ops live as long as the process.
struct UserFunctions {
  std::mutex mutex;
  std::map<const OpDef*, UserFunction> by_op;  // records keep their addresses
};

UserFunctions& user_functions() {
  static auto* all = new UserFunctions();
  return *all;
}

}  // namespace

void set_user_function(const OpDef& op, UserFunction function) {
  UserFunctions& all = user_functions();
  const std::lock_guard lock(all.mutex);
  all.by_op.insert_or_assign(&op, std::move(function));
}

const UserFunction* user_function(const OpDef& op) {
  UserFunctions& all = user_functions();
  const std::lock_guard lock(all.mutex);
  const auto found = all.by_op.find(&op);
  return found == all.by_op.end() ? nullptr : &found->second;  // a map keeps its addresses
}

}  // namespace mithril
