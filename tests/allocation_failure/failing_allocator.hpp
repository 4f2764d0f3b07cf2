// The memory of this program, of which one request can be made to fail.
#pragma once

namespace mithril::tests {

// Requests of all threads are counted while counting is on. The request whose number was chosen
// fails, once; further ones succeed, and so do all while counting is off.
class FailingAllocator {
 public:
  static void fail_at(long request);  // the first is 0; negative: none. Counting starts from 0.
  static bool count(bool on);         // whether it was on
  static long counted();
  static bool has_failed();
};

}  // namespace mithril::tests
