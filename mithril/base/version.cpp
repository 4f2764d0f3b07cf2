// The version, given by the build.
#include "mithril/base/version.hpp"

namespace mithril {

std::string_view version() { return MITHRIL_VERSION; }

}  // namespace mithril
