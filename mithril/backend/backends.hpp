// The backends of a model that runs on several.
#pragma once

#include <map>
#include <memory>
#include <string>

namespace mithril {

class Backend;

// The backend of each path of a part ("encoder.fc1") runs the part and everything in it. The
// longest path decides. The backend of "" runs all other parts.
using Backends = std::map<std::string, std::shared_ptr<Backend>>;

}  // namespace mithril
