// Exceptions of one process of a group.
#pragma once

#include <algorithm>
#include <array>
#include <exception>
#include <initializer_list>
#include <string_view>

#include "mithril/base/error.hpp"
#include "mithril/base/interrupt.hpp"
#include "mithril/distributed/communicator.hpp"

namespace mithril {

// Errors of a model that the processes have compared, raised before they exchange tensors: all of
// them raise one, and the group stays whole.
inline constexpr std::array<std::string_view, 5> errors_of_models = {"E0950", "E0951", "E0952",
                                                                     "E0953", "E1054"};

// Calls `function()`, in which the processes of a group exchange tensors; null: this process alone.
// If it throws or is interrupted, this process is behind the others, so it abandons the group: they
// get an error that quotes the exception. DistributedErrors, errors_of_models and the codes
// `of_all` are errors on all processes already.
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
    const auto is_in = [&](const auto& codes) {
      return std::find(codes.begin(), codes.end(), error.code()) != codes.end();
    };
    if (!is_in(of_all) && !is_in(errors_of_models)) group->abandon(error.what());
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
