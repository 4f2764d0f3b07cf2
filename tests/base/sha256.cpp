// SHA-256 against the examples of NIST, and its two implementations against each other. Python's
// hashlib is compared in python/tests/packages/test_packages.py.
#include "mithril/base/sha256.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

namespace mithril {
namespace {

std::string hashed(std::string_view text, Sha256::Use use) {
  Sha256 hash(use);
  hash.add(std::as_bytes(std::span(text)));
  return hash.hex_digest();
}

struct NistExample {
  std::string text, digest;
};

// FIPS 180-4 examples, and the first short messages of the validation system (SHA256ShortMsg.rsp).
const NistExample nist_examples[] = {
    {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmno"
     "ijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
     "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
    {"\xd3", "28969cdfa74a12c82f3bad960b0b000aca2ac329deea5c2328ebc6f2ba9802c1"},
    {std::string(1'000'000, 'a'),
     "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"}};

}  // namespace

TEST_CASE("SHA-256 gives the checksums that NIST states") {
  for (const NistExample& example : nist_examples) {
    CHECK(hashed(example.text, Sha256::Use::portable) == example.digest);
    CHECK(hashed(example.text, Sha256::Use::fastest) == example.digest);
    CHECK(sha256_of(std::as_bytes(std::span(example.text))) == example.digest);
  }
}

TEST_CASE("SHA-256 does not depend on the pieces and the implementation") {
  constexpr unsigned seed = 7;
  std::mt19937 random(seed);
  for (std::size_t size = 0; size < 300; ++size) {
    std::string text(size, '\0');
    for (char& byte : text) byte = static_cast<char>(random());
    const std::string whole = hashed(text, Sha256::Use::portable);
    CHECK(hashed(text, Sha256::Use::fastest) == whole);
    Sha256 pieces;
    std::span<const std::byte> rest = std::as_bytes(std::span(text));
    while (!rest.empty()) {
      const std::size_t now = std::min<std::size_t>(rest.size(), random() % 90);
      pieces.add(rest.first(now));
      rest = rest.subspan(now);
    }
    CAPTURE(size);
    CHECK(pieces.hex_digest() == whole);
  }
}

}  // namespace mithril
