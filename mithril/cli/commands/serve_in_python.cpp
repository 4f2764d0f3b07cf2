// `mithril serve` of builds without the server of C++: the Python package may have one.
#include "mithril/cli/commands/commands.hpp"
#include "mithril/cli/run_python.hpp"

namespace mithril::cli {

int serve(const Arguments& arguments, Output&) {
  return run_python("serve", arguments.values("arguments"));
}

}  // namespace mithril::cli
