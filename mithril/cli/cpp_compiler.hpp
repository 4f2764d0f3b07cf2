// Runs compilers of C++.
#pragma once

#include <string>
#include <vector>

#include "mithril/base/temporary_folder.hpp"

namespace mithril::cli {

// The compiler that an environment variable names, such as "ccache g++", or else `fallback`.
class CppCompiler {
 public:
  // MissingError with this advice if there is no such program. `command`: who needs it.
  CppCompiler(const std::string& command, const char* variable, const std::string& fallback,
              const std::string& advice);

  // Runs it to its end. MissingError with what it printed if it fails.
  void run(const std::vector<std::string>& arguments, const TemporaryFolder& folder) const;

 private:
  std::vector<std::string> words_;  // the path first
  std::string advice_;
};

}  // namespace mithril::cli
