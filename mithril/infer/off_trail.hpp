// Changes to facts that outlast the Attempt during which they are made.
#pragma once
#include "mithril/infer/trail.hpp"

namespace mithril {

// During its lifetime, changes of this thread are not recorded for undoing.
class OffTrail {
 public:
  OffTrail();
  ~OffTrail();
  OffTrail(const OffTrail&) = delete;
  OffTrail& operator=(const OffTrail&) = delete;

 private:
  Trail* active_;
};

}  // namespace mithril
