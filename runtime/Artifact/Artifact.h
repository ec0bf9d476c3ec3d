// A compiled kernel as it travels: code, launch facts, IR texts. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// Written by the compiler's Emit rooms, kept by runtime/Cache, read by the devices.
//
//   bytes = magic · version · size · SHA-256 of the rest · facts · sections
//
// Reading accepts any bytes: the result is an Artifact or error PV0340-0342, never undefined behaviour.
#ifndef PAVAGE_RUNTIME_ARTIFACT_ARTIFACT_H
#define PAVAGE_RUNTIME_ARTIFACT_ARTIFACT_H

#include "runtime/Artifact/Dtype.h"
#include "runtime/Errors/Errors.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pavage::artifact {

/// One argument of the compiled function, that is, one slot. Constexpr and specialised-away parameters have none.
struct Param {
  std::string name;
  Dtype dtype = Dtype::None; ///< of the scalar, or of what the pointer points to
  bool isPointer = false;
  bool isRead = false;    ///< the kernel loads through the pointer (or does not say)
  bool isWritten = false; ///< the kernel stores or does atomics through it (or does not say)
  uint64_t divisibility = 1;

  bool operator==(const Param &) const = default;
};

/// A place in the author's program that a running kernel may call back from.
struct Site {
  enum class Kind : uint8_t { Assert, Print, Access };

  Kind kind = Kind::Assert;
  std::string text;           ///< assert: the author's message; print: the prefix; access: the op's name
  Dtype dtype = Dtype::None;  ///< print: of the operand
  bool hex = false;           ///< print: integers in hexadecimal
  std::vector<int64_t> shape; ///< print: extents; empty = a scalar
  errors::Position at;

  bool operator==(const Site &other) const;
};

/// A tile op of the author's program, so that the virtual GPU can name it in a finding.
struct Op {
  std::string text; ///< as a finding shows it: "tile.atomic_rmw add"
  errors::Position at;
  /// An atomic op: the elements that one execution of it updates in one program; 0 = no atomic, or not known.
  uint64_t atomics = 0;
  bool isMasked = false; ///< a mask may leave some of these out

  bool operator==(const Op &other) const;
};

/// From this line of the PTX text on, up to the next entry's, instructions come from this op.
struct OpLine {
  uint32_t ptxLine = 0; ///< from 1
  uint32_t op = 0;      ///< index into Artifact::ops, or noOp

  static constexpr uint32_t noOp = ~uint32_t(0);
  bool operator==(const OpLine &) const = default;
};

struct Artifact {
  std::string kernel;   ///< the author's name of the kernel
  std::string entry;    ///< the function's symbol in the code
  std::string target;   ///< the kind of device: "cpu", "interp", "sm_80", ...
  std::string cpuLevel; ///< for cpu: the level the code needs, a name of core::CpuLevel
  std::string sourceFile;
  uint32_t sourceLine = 0;
  uint32_t abiVersion = 0; ///< for cpu: PAVAGE_ABI_VERSION
  uint64_t scratchBytes = 0;
  std::vector<Param> params;
  std::vector<Site> sites;
  std::vector<Op> ops;                                      ///< of PTX code: the side table of the section "ptx"
  std::vector<OpLine> opLines;                              ///< by ascending line; empty = the code does not say
  std::vector<std::pair<std::string, std::string>> options; ///< launch options and specialisation, for people
  std::vector<std::pair<std::string, int64_t>> facts; ///< what single devices need: "num_warps", "shared_bytes", ...
  /// Bytes by stage name: "obj" or "ptx" holds the code; "tile", "llvm", "asm", ... hold texts.
  std::vector<std::pair<std::string, std::string>> sections;

  const std::string *section(std::string_view name) const;
  int64_t fact(std::string_view name, int64_t fallback) const;

  bool operator==(const Artifact &) const = default;
};

/// The bytes of an artifact. Equal artifacts give equal bytes.
std::string serialize(const Artifact &artifact);

/// The artifact in these bytes, all of them.
errors::Result<Artifact> deserialize(std::string_view bytes);

/// Checks magic, version, size and checksum only.
errors::Error verify(std::string_view bytes);

} // namespace pavage::artifact

#endif // PAVAGE_RUNTIME_ARTIFACT_ARTIFACT_H
