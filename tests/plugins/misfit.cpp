// A plugin that was built for another release of a dependency.
#include "mithril/backend/plugin.hpp"

extern "C" __attribute__((visibility("default"))) const mithril::BackendPlugin* mithril_backend() {
  static const mithril::BackendPlugin plugin{mithril::plugin_version, "torch 2.11.0",
                                             [] { return "torch 2.15"; }, nullptr};
  return &plugin;
}
