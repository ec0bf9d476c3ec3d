// Writing and reading the artifact format. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All numbers are little-endian. Header, 56 bytes: magic (8), format version (4), zero (4), bytes that follow (8),
// their SHA-256 (32). Then the facts in the order of the struct, and the sections. Strings and lists are a count, then
// their elements; a count is checked against the bytes that are left before anything is reserved for it.
#include "runtime/Artifact/Artifact.h"

#include "runtime/Artifact/Sha256.h"

#include <algorithm>
#include <cstring>

namespace pavage::artifact {

using errors::Code;
using errors::Error;
using errors::Result;

static constexpr char magic[8] = {'\x7f', 'P', 'V', 'G', 'A', 'R', 'T', '\n'};
static constexpr uint32_t formatVersion = 2;
static constexpr size_t headerSize = 56;

static bool isSame(const errors::Position &a, const errors::Position &b) {
  return a.file == b.file && a.line == b.line && a.column == b.column;
}

bool Site::operator==(const Site &other) const {
  return kind == other.kind && text == other.text && dtype == other.dtype && hex == other.hex && shape == other.shape &&
         isSame(at, other.at);
}

bool Op::operator==(const Op &other) const {
  return text == other.text && isSame(at, other.at) && atomics == other.atomics && isMasked == other.isMasked;
}

const std::string *Artifact::section(std::string_view name) const {
  for (const auto &[key, bytes] : sections) {
    if (key == name) {
      return &bytes;
    }
  }
  return nullptr;
}

int64_t Artifact::fact(std::string_view name, int64_t fallback) const {
  for (const auto &[key, value] : facts) {
    if (key == name) {
      return value;
    }
  }
  return fallback;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

namespace {
class Writer {
public:
  std::string out;

  template <typename T> void number(T value) {
    auto bits = static_cast<uint64_t>(value);
    for (size_t i = 0; i < sizeof(T); ++i) {
      out.push_back(static_cast<char>(bits >> (8 * i)));
    }
  }
  void text(std::string_view value) {
    number(uint64_t(value.size()));
    out += value;
  }
  void position(const errors::Position &at) {
    text(at.file);
    number(uint32_t(at.line));
    number(uint32_t(at.column));
  }
  template <typename List, typename Each> void list(const List &values, Each each) {
    number(uint64_t(values.size()));
    for (const auto &value : values) {
      each(value);
    }
  }
};
} // namespace

std::string serialize(const Artifact &artifact) {
  Writer writer;
  for (const std::string *text :
       {&artifact.kernel, &artifact.entry, &artifact.target, &artifact.cpuLevel, &artifact.sourceFile}) {
    writer.text(*text);
  }
  writer.number(artifact.sourceLine);
  writer.number(artifact.abiVersion);
  writer.number(artifact.scratchBytes);
  writer.list(artifact.params, [&](const Param &param) {
    writer.text(param.name);
    writer.number(static_cast<uint8_t>(param.dtype));
    writer.number(static_cast<uint8_t>(param.isPointer | param.isRead << 1 | param.isWritten << 2));
    writer.number(param.divisibility);
  });
  writer.list(artifact.sites, [&](const Site &site) {
    writer.number(static_cast<uint8_t>(site.kind));
    writer.text(site.text);
    writer.number(static_cast<uint8_t>(site.dtype));
    writer.number(static_cast<uint8_t>(site.hex));
    writer.list(site.shape, [&](int64_t extent) { writer.number(extent); });
    writer.position(site.at);
  });
  writer.list(artifact.ops, [&](const Op &op) {
    writer.text(op.text);
    writer.position(op.at);
    writer.number(op.atomics);
    writer.number(static_cast<uint8_t>(op.isMasked));
  });
  writer.list(artifact.opLines, [&](const OpLine &line) {
    writer.number(line.ptxLine);
    writer.number(line.op);
  });
  writer.list(artifact.options, [&](const auto &option) {
    writer.text(option.first);
    writer.text(option.second);
  });
  writer.list(artifact.facts, [&](const auto &fact) {
    writer.text(fact.first);
    writer.number(fact.second);
  });
  writer.list(artifact.sections, [&](const auto &section) {
    writer.text(section.first);
    writer.text(section.second);
  });

  Writer header;
  header.out.assign(magic, sizeof(magic));
  header.number(formatVersion);
  header.number(uint32_t(0));
  header.number(uint64_t(writer.out.size()));
  Digest digest = sha256(writer.out);
  header.out.append(reinterpret_cast<const char *>(digest.data()), digest.size());
  return header.out + writer.out;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
/// Reads from untrusted bytes. After the first bad read all reads give zero and `bad()` says so.
class Reader {
public:
  explicit Reader(std::string_view bytes) : rest(bytes) {}

  bool bad() const { return failed; }
  bool atEnd() const { return rest.empty(); }
  void fail() {
    failed = true;
    rest = {};
  }

  template <typename T> T number() {
    if (rest.size() < sizeof(T)) {
      fail();
      return T(0);
    }
    uint64_t bits = 0;
    for (size_t i = 0; i < sizeof(T); ++i) {
      bits |= uint64_t(static_cast<uint8_t>(rest[i])) << (8 * i);
    }
    rest.remove_prefix(sizeof(T));
    return static_cast<T>(bits);
  }

  /// A number in [0, limit).
  uint8_t choice(unsigned limit) {
    auto value = number<uint8_t>();
    if (value >= limit) {
      fail();
      return 0;
    }
    return value;
  }

  std::string text() {
    auto size = number<uint64_t>();
    if (size > rest.size()) {
      fail();
      return {};
    }
    std::string value(rest.substr(0, size));
    rest.remove_prefix(size);
    return value;
  }

  errors::Position position() {
    errors::Position at;
    at.file = text();
    at.line = number<uint32_t>();
    at.column = number<uint32_t>();
    return at;
  }

  /// A list whose elements take at least `least` bytes each.
  template <typename T, typename Each> std::vector<T> list(size_t least, Each each) {
    auto count = number<uint64_t>();
    std::vector<T> values;
    if (count > rest.size() / least) {
      fail();
      return values;
    }
    values.reserve(count);
    for (uint64_t i = 0; i < count && !failed; ++i) {
      values.push_back(each());
    }
    return values;
  }

private:
  std::string_view rest;
  bool failed = false;
};
} // namespace

Error verify(std::string_view bytes) {
  if (bytes.size() < sizeof(magic) || std::memcmp(bytes.data(), magic, sizeof(magic)) != 0) {
    return Error(Code::NotAnArtifact, "expected a Pavage artifact, got " + std::to_string(bytes.size()) +
                                          " bytes that do not start like one");
  }
  if (bytes.size() < headerSize) {
    return Error(Code::ArtifactDamaged, "the artifact is cut short in its header");
  }
  Reader header(bytes.substr(sizeof(magic)));
  auto version = header.number<uint32_t>();
  if (version != formatVersion) {
    return Error(Code::ArtifactVersion,
                 "expected artifact format " + std::to_string(formatVersion) + ", got " + std::to_string(version));
  }
  auto zero = header.number<uint32_t>();
  auto size = header.number<uint64_t>();
  std::string_view content = bytes.substr(headerSize);
  if (zero != 0 || size != content.size()) {
    return Error(Code::ArtifactDamaged,
                 "expected an artifact of " + std::to_string(size) + " bytes, got " + std::to_string(content.size()));
  }
  Digest digest = sha256(content);
  if (std::memcmp(digest.data(), bytes.data() + headerSize - digest.size(), digest.size()) != 0) {
    return Error(Code::ArtifactDamaged, "the artifact's checksum is wrong");
  }
  return Error::success();
}

static Site readSite(Reader &reader) {
  Site site;
  site.kind = static_cast<Site::Kind>(reader.choice(3));
  site.text = reader.text();
  site.dtype = static_cast<Dtype>(reader.choice(dtypeCount));
  site.hex = reader.choice(2) != 0;
  site.shape = reader.list<int64_t>(8, [&] { return reader.number<int64_t>(); });
  // What the kernel hands to a print is read by these extents.
  uint64_t elements = 1;
  for (int64_t extent : site.shape) {
    if (extent < 1 || elements > (uint64_t(1) << 40) / uint64_t(extent)) {
      reader.fail();
      break;
    }
    elements *= uint64_t(extent);
  }
  site.at = reader.position();
  return site;
}

Result<Artifact> deserialize(std::string_view bytes) {
  if (Error error = verify(bytes)) {
    return error;
  }
  Reader reader(bytes.substr(headerSize));
  Artifact artifact;
  artifact.kernel = reader.text();
  artifact.entry = reader.text();
  artifact.target = reader.text();
  artifact.cpuLevel = reader.text();
  artifact.sourceFile = reader.text();
  artifact.sourceLine = reader.number<uint32_t>();
  artifact.abiVersion = reader.number<uint32_t>();
  artifact.scratchBytes = reader.number<uint64_t>();
  artifact.params = reader.list<Param>(18, [&] {
    Param param;
    param.name = reader.text();
    param.dtype = static_cast<Dtype>(reader.choice(dtypeCount));
    uint8_t flags = reader.choice(8);
    param.isPointer = (flags & 1) != 0;
    param.isRead = (flags & 2) != 0;
    param.isWritten = (flags & 4) != 0;
    param.divisibility = reader.number<uint64_t>();
    return param;
  });
  artifact.sites = reader.list<Site>(35, [&] { return readSite(reader); });
  artifact.ops = reader.list<Op>(25, [&] {
    Op op;
    op.text = reader.text();
    op.at = reader.position();
    op.atomics = reader.number<uint64_t>();
    op.isMasked = reader.choice(2) != 0;
    return op;
  });
  artifact.opLines = reader.list<OpLine>(8, [&] {
    OpLine line;
    line.ptxLine = reader.number<uint32_t>();
    line.op = reader.number<uint32_t>();
    if (line.op != OpLine::noOp && line.op >= artifact.ops.size()) {
      reader.fail();
    }
    return line;
  });
  artifact.options = reader.list<std::pair<std::string, std::string>>(16, [&] {
    std::string name = reader.text();
    return std::make_pair(std::move(name), reader.text());
  });
  artifact.facts = reader.list<std::pair<std::string, int64_t>>(16, [&] {
    std::string name = reader.text();
    return std::make_pair(std::move(name), reader.number<int64_t>());
  });
  artifact.sections = reader.list<std::pair<std::string, std::string>>(16, [&] {
    std::string name = reader.text();
    return std::make_pair(std::move(name), reader.text());
  });
  if (reader.bad() || !reader.atEnd()) {
    return Error(Code::ArtifactDamaged, "the artifact's checksum is right, but its structure is not");
  }
  return artifact;
}

} // namespace pavage::artifact
