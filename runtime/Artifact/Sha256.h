// SHA-256 (FIPS 180-4), for checksums and cache keys. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_RUNTIME_ARTIFACT_SHA256_H
#define PAVAGE_RUNTIME_ARTIFACT_SHA256_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pavage::artifact {

using Digest = std::array<uint8_t, 32>;

class Sha256 {
public:
  void update(std::string_view bytes);
  /// The digest of all updates. The object is used up.
  Digest finish();

private:
  std::array<uint32_t, 8> state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  uint64_t total = 0;
  uint8_t block[64];
};

Digest sha256(std::string_view bytes);

/// Lower-case hexadecimal.
std::string hex(const Digest &digest);

} // namespace pavage::artifact

#endif // PAVAGE_RUNTIME_ARTIFACT_SHA256_H
