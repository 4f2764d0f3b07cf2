// Commands of the Python package.
#pragma once

#include <string>
#include <vector>

namespace mithril::cli {

// The path of a program in the folders of PATH; empty: there is none.
std::string program_path(const std::string& name);

// Replaces this process by Python, which runs the command of the package. The interpreter is
// $MITHRIL_PYTHON, else python3 beside this program or in $VIRTUAL_ENV, else that of the PATH.
// MissingError without one.
int run_python(const std::string& name, const std::vector<std::string>& arguments);

// The path of the interpreter; empty if there is none.
std::string python_path();

}  // namespace mithril::cli
