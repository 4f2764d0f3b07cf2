// An allocator that can fail one chosen request.
#pragma once

namespace mithril::tests {

// Counts the requests of all threads while counting is on. The chosen request fails once; all other
// requests succeed.
class FailingAllocator {
 public:
  static void fail_at(long request);  // the first is 0; negative: none. Counting starts from 0.
  static bool count(bool on);         // returns whether it was on
  static long counted();
  static bool has_failed();
};

}  // namespace mithril::tests
