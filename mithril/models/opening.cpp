#include "mithril/models/opening.hpp"

#include <utility>

namespace mithril {
namespace {

thread_local bool opening = false;  // the builder that runs on this thread is make_opened's

}  // namespace

bool is_opening() { return opening; }

Building::Building(bool opened) : outer_(std::exchange(opening, opened)) {}
Building::~Building() { opening = outer_; }

}  // namespace mithril
