// A plugin whose entry function returns null.
#include "mithril/backend/plugin.hpp"

extern "C" __attribute__((visibility("default"))) const mithril::BackendPlugin* mithril_backend() {
  return nullptr;
}
