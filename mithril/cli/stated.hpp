// Errors of what a call states.
#pragma once

#include "mithril/base/error.hpp"
#include "mithril/cli/command.hpp"

namespace mithril::cli {

// Runs work whose errors come from the values of options: each becomes a StatedError, but that of
// memory.
template <class Work>
auto stated(Work work) try {
  return work();
} catch (const OutOfMemoryError&) {
  throw;
} catch (const Error& error) {
  throw StatedError{error.what()};
}

}  // namespace mithril::cli
