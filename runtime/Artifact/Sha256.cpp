// SHA-256, with the CPU's own instructions where it has them. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An artifact is hashed each time it is read from disk, IR texts included: the portable rounds take 2-3 us per KB, the
// instructions 0.5.
#include "runtime/Artifact/Sha256.h"

#include <algorithm>
#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace pavage::artifact {

alignas(16) static constexpr uint32_t roundConstants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t loadBigEndian(const uint8_t *bytes) {
  return uint32_t(bytes[0]) << 24 | uint32_t(bytes[1]) << 16 | uint32_t(bytes[2]) << 8 | bytes[3];
}

static void compressPortable(uint32_t *state, const uint8_t *data, size_t blocks) {
  for (; blocks != 0; --blocks, data += 64) {
    uint32_t w[64];
    for (int i = 0; i < 16; ++i) {
      w[i] = loadBigEndian(data + 4 * i);
    }
    for (int i = 16; i < 64; ++i) {
      uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
      uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
      w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    for (int i = 0; i < 64; ++i) {
      uint32_t sum1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
      uint32_t choose = (e & f) ^ (~e & g);
      uint32_t t1 = h + sum1 + choose + roundConstants[i] + w[i];
      uint32_t sum0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
      uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
      h = g;
      g = f;
      f = e;
      e = d + t1;
      d = c;
      c = b;
      b = a;
      a = t1 + sum0 + majority;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
    state[5] += f;
    state[6] += g;
    state[7] += h;
  }
}

#if defined(__x86_64__)
__attribute__((target("sha,sse4.1"))) static void compressSha(uint32_t *state, const uint8_t *data, size_t blocks) {
  // The instructions keep the state as (a b e f) and (c d g h), highest word first.
  const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  __m128i abef = _mm_set_epi32(int(state[0]), int(state[1]), int(state[4]), int(state[5]));
  __m128i cdgh = _mm_set_epi32(int(state[2]), int(state[3]), int(state[6]), int(state[7]));
  for (; blocks != 0; --blocks, data += 64) {
    const __m128i abefBefore = abef, cdghBefore = cdgh;
    __m128i w[4];
    for (int group = 0; group < 16; ++group) {
      __m128i &current = w[group & 3];
      if (group < 4) {
        current = _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i *>(data + 16 * group)), swap);
      } else {
        // w[t] = w[t-16] + s0(w[t-15]) + w[t-7] + s1(w[t-2]), four at a time; `current` still holds w[t-16..t-13].
        __m128i next = w[(group + 1) & 3], last = w[(group + 3) & 3];
        __m128i sevenBack = _mm_alignr_epi8(last, w[(group + 2) & 3], 4);
        current = _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(current, next), sevenBack), last);
      }
      __m128i keyed =
          _mm_add_epi32(current, _mm_load_si128(reinterpret_cast<const __m128i *>(roundConstants + 4 * group)));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, keyed);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(keyed, 0x0e));
    }
    abef = _mm_add_epi32(abef, abefBefore);
    cdgh = _mm_add_epi32(cdgh, cdghBefore);
  }
  state[0] = uint32_t(_mm_extract_epi32(abef, 3));
  state[1] = uint32_t(_mm_extract_epi32(abef, 2));
  state[4] = uint32_t(_mm_extract_epi32(abef, 1));
  state[5] = uint32_t(_mm_extract_epi32(abef, 0));
  state[2] = uint32_t(_mm_extract_epi32(cdgh, 3));
  state[3] = uint32_t(_mm_extract_epi32(cdgh, 2));
  state[6] = uint32_t(_mm_extract_epi32(cdgh, 1));
  state[7] = uint32_t(_mm_extract_epi32(cdgh, 0));
}

/// CPUID leaf 7, EBX bit 29; GCC 12's __builtin_cpu_supports does not know "sha".
static bool cpuHasSha() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  __asm__("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(0), "c"(0));
  if (a < 7) {
    return false;
  }
  __asm__("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(7), "c"(0));
  return ((b >> 29) & 1) != 0 && __builtin_cpu_supports("sse4.1");
}
#endif

static void compress(uint32_t *state, const uint8_t *data, size_t blocks) {
#if defined(__x86_64__)
  static const bool hasSha = cpuHasSha();
  if (hasSha) {
    compressSha(state, data, blocks);
    return;
  }
#endif
  compressPortable(state, data, blocks);
}

void Sha256::update(std::string_view bytes) {
  const auto *data = reinterpret_cast<const uint8_t *>(bytes.data());
  size_t size = bytes.size();
  size_t filled = total % 64;
  total += size;
  if (filled != 0) {
    size_t taken = std::min(size, 64 - filled);
    std::memcpy(block + filled, data, taken);
    data += taken;
    size -= taken;
    if (filled + taken < 64) {
      return;
    }
    compress(state.data(), block, 1);
  }
  compress(state.data(), data, size / 64);
  if (size % 64 != 0) {
    std::memcpy(block, data + size / 64 * 64, size % 64);
  }
}

Digest Sha256::finish() {
  uint64_t bits = total * 8;
  char padding[72] = {static_cast<char>(0x80)};
  size_t length = (total % 64 < 56 ? 56 : 120) - total % 64;
  for (int i = 0; i < 8; ++i) {
    padding[length + i] = static_cast<char>(bits >> (56 - 8 * i));
  }
  update({padding, length + 8});
  Digest digest;
  for (int i = 0; i < 32; ++i) {
    digest[i] = static_cast<uint8_t>(state[i / 4] >> (24 - 8 * (i % 4)));
  }
  return digest;
}

Digest sha256(std::string_view bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.finish();
}

std::string hex(const Digest &digest) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (uint8_t byte : digest) {
    text.push_back(digits[byte >> 4]);
    text.push_back(digits[byte & 15]);
  }
  return text;
}

} // namespace pavage::artifact
