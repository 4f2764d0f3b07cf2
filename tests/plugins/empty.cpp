// A plugin without functions.
#include "mithril/backend/plugin.hpp"

extern "C" __attribute__((visibility("default"))) const mithril::BackendPlugin* mithril_backend() {
  static const mithril::BackendPlugin plugin{mithril::plugin_version, nullptr, nullptr, nullptr};
  return &plugin;
}
