// A plugin that says it was built for another Mithril.
#include "mithril/backend/plugin.hpp"

extern "C" __attribute__((visibility("default"))) const mithril::BackendPlugin* mithril_backend() {
  static const mithril::BackendPlugin plugin{mithril::plugin_version + 1, nullptr, nullptr,
                                             nullptr};
  return &plugin;
}
