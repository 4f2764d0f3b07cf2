// A plugin that fits everything, and makes null.
#include "mithril/backend/plugin.hpp"

extern "C" __attribute__((visibility("default"))) const mithril::BackendPlugin* mithril_backend() {
  static const mithril::BackendPlugin plugin{
      mithril::plugin_version, nullptr, nullptr,
      [](const mithril::Arguments&) { return std::shared_ptr<mithril::Backend>(); }};
  return &plugin;
}
