// Exceptions of one process of a group.
#pragma once

#include <algorithm>
#include <exception>
#include <initializer_list>
#include <string_view>

#include "mithril/base/error.hpp"
#include "mithril/base/interrupt.hpp"
#include "mithril/distributed/communicator.hpp"

namespace mithril {

// Errors of evaluations and steps of a model that the processes have compared, raised before they
// exchange tensors: all of them raise one.
inline const std::initializer_list<std::string_view> errors_of_models = {"E0950", "E0951", "E0952",
                                                                         "E0953", "E1054"};

// Calls `function()`, in which the processes of a group exchange tensors; null: this process alone.
// If it throws or is interrupted, this process is behind the others, so it abandons the group: they
// get an error that quotes the exception. DistributedErrors, and the codes `of_all`, are errors on
// all processes already.
template <typename Function>
auto or_abandon(Communicator* group, const Function& function,
                std::initializer_list<std::string_view> of_all = {}) {
  if (!group || group->size() == 1) return function();
  try {
    return function();
  } catch (const DistributedError& error) {
    // Processes that disagree are whole groups. A broken one has peers who wait in subgroups.
    if (error.code() != "E0964") group->abandon_subgroups(error.what());
    throw;
  } catch (const Error& error) {
    if (std::find(of_all.begin(), of_all.end(), error.code()) == of_all.end())
      group->abandon(error.what());
    throw;
  } catch (const std::exception& error) {
    group->abandon(error.what());
    throw;
  } catch (const Interrupted&) {
    group->abandon("the process was interrupted");
    throw;
  }
}

}  // namespace mithril
