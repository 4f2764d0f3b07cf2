// Sizes of memory as text, and backends that keep no account.
#include "mithril/backend/memory.hpp"

#include <doctest/doctest.h>

#include "backends/cpu/cpu.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril {
namespace {

using tests::text_of_error;

int64_t bytes(const Datum& size) { return read_bytes(size, "memory_limit"); }

}  // namespace

TEST_CASE("a size of memory is a number of bytes, or one with a unit") {
  CHECK(bytes(4096) == 4096);
  CHECK(bytes(4e9) == 4'000'000'000);
  CHECK(bytes("4GB") == 4'000'000'000);
  CHECK(bytes("4GiB") == 4'294'967'296);
  CHECK(bytes("1.5 MB") == 1'500'000);
  CHECK(bytes("2MiB") == 2'097'152);
  CHECK(bytes("3kB") == 3000);
  CHECK(bytes("3KiB") == 3072);
  CHECK(bytes("1TB") == 1'000'000'000'000);
  CHECK(bytes("1TiB") == 1'099'511'627'776);
  CHECK(bytes("17") == 17);
  CHECK(bytes("17B") == 17);
}

TEST_CASE("a value that is not a size of memory is refused with the name of the option") {
  CHECK(text_of_error([] { bytes("4 gigs"); }) ==
        "mithril.ValueError[E0430]: memory_limit is \"4 gigs\", expected a size of memory\n"
        "  help: give a number of bytes, or a number with kB, MB, GB, TB, KiB, MiB, GiB or TiB");
  const Datum bad[] = {"", "GB", "-4GB", "4GBs", "0", 0, -1, 1e30, "inf", "nan", true, None{}};
  for (const Datum& size : bad) {
    CAPTURE(to_string(size));
    CHECK(text_of_error([&] { bytes(size); }).starts_with("mithril.ValueError[E0430]"));
  }
}

TEST_CASE("a backend without memory accounting reports an error") {
  const std::shared_ptr<Backend> backend = cpu();
  CHECK(text_of_error([&] { memory_of(*backend); }) ==
        "mithril.BackendError[E1020]: backend 'cpu' does not count its memory");
}

}  // namespace mithril
