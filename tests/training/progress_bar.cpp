// The progress bar of training loops.
#include "mithril/training/progress_bar.hpp"

#include <doctest/doctest.h>

#include <sstream>

namespace mithril {

TEST_CASE("a progress bar shows numbers, speed and time left") {
  std::ostringstream stream;
  ProgressBar bar({.total = 64, .label = "step", .unit = "tokens", .stream = &stream});
  bar.advance(16, {{"lr", 0.5}, {"loss", 2.25}});
  CHECK(stream.str().starts_with("\rstep:  25% [=====               ] loss 2.25, lr 0.5, "));
  CHECK(stream.str().find(" tokens/s, ") != std::string::npos);
  CHECK(stream.str().ends_with(" s left"));
  bar.advance(48, {{"loss", 1.5}});
  CHECK(bar.count() == 64);
  CHECK(bar.rate() > 0);
  bar.close();
  const std::string text = stream.str(), last = text.substr(text.rfind('\r') + 1);
  CHECK(last.starts_with("step: 100% [====================] loss 1.5, "));
  CHECK(last.find(", 0 s left") != std::string::npos);
  CHECK(last.ends_with("\n"));
}

TEST_CASE("a progress bar that does not stay leaves an empty line") {
  std::ostringstream stream;
  ProgressBar bar({.leave = false, .stream = &stream});
  bar.advance(3, {{"loss", 2}});
  const std::string drawn = stream.str().substr(1);
  CHECK(drawn.starts_with("loss 2, "));
  CHECK(drawn.ends_with(" samples/s"));
  bar.close();
  CHECK(stream.str() == "\r" + drawn + "\r" + std::string(drawn.size(), ' ') + "\r");
  bar.advance(3);
  bar.close();
  CHECK(stream.str().size() == 3 + 2 * drawn.size());
}

TEST_CASE("a progress bar without a stream counts") {
  ProgressBar bar({.stream = nullptr});
  bar.advance(3, {{"loss", 2}});
  bar.advance(2);
  bar.close();
  CHECK(bar.count() == 5);
}

}  // namespace mithril
