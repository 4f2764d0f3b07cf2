// A plugin that does not fit the installed library, and does not name the one it was built for.
#include "mithril/backend/plugin.hpp"

extern "C" __attribute__((visibility("default"))) const mithril::BackendPlugin* mithril_backend() {
  static const mithril::BackendPlugin plugin{mithril::plugin_version, nullptr,
                                             [] { return "torch 2.15"; }, nullptr};
  return &plugin;
}
