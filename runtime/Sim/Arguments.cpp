// Kernel arguments given as text. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Sim/Arguments.h"

#include "runtime/Sim/Floats.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>

namespace pavage::sim {

namespace {

using errors::Error;

constexpr ElementInfo elements[] = {
    {Element::I1, "i1 bool", 1, "|b1"},           {Element::I8, "i8 int8", 1, "|i1"},
    {Element::I16, "i16 int16", 2, "<i2"},        {Element::I32, "i32 int32", 4, "<i4"},
    {Element::I64, "i64 int64", 8, "<i8"},        {Element::U8, "u8 uint8", 1, "|u1"},
    {Element::U16, "u16 uint16", 2, "<u2"},       {Element::U32, "u32 uint32", 4, "<u4"},
    {Element::U64, "u64 uint64", 8, "<u8"},       {Element::F16, "f16 fp16 float16", 2, "<f2"},
    {Element::BF16, "bf16 bfloat16", 2, nullptr}, {Element::F32, "f32 fp32 float32", 4, "<f4"},
    {Element::F64, "f64 fp64 float64", 8, "<f8"}, {Element::E4M3, "fp8e4nv e4m3", 1, nullptr},
    {Element::E5M2, "fp8e5 e5m2", 1, nullptr},
};

constexpr u64 maxBufferBytes = u64(1) << 34;

Error badSpec(const std::string &text, const std::string &why) {
  return Error(630, "--arg '" + text + "': " + why +
                        "; expected DTYPE[shape]=randint|zeros|arange|NUMBER|FILE.npy, as in f16[512,512]=randint");
}

} // namespace

const ElementInfo *findElement(const std::string &name) {
  for (const ElementInfo &e : elements) {
    std::istringstream names(e.names);
    for (std::string one; names >> one;) {
      if (one == name) {
        return &e;
      }
    }
  }
  return nullptr;
}

const ElementInfo &elementInfo(Element e) { return elements[static_cast<u8>(e)]; }

errors::Result<BufferSpec> parseBufferSpec(const std::string &text) {
  BufferSpec spec;
  std::string rest = text;
  if (rest.rfind("out:", 0) == 0) {
    spec.isOutput = true;
    rest = rest.substr(4);
  }
  size_t equals = rest.find('=');
  if (equals != std::string::npos) {
    spec.fill = rest.substr(equals + 1);
    rest = rest.substr(0, equals);
    if (spec.fill.empty()) {
      return badSpec(text, "nothing follows '='");
    }
  }
  size_t open = rest.find('[');
  if (open == std::string::npos || rest.empty() || rest.back() != ']') {
    return badSpec(text, "the shape is missing");
  }
  const ElementInfo *e = findElement(rest.substr(0, open));
  if (!e) {
    return badSpec(text, "unknown dtype '" + rest.substr(0, open) + "'");
  }
  spec.element = e->element;
  std::string dims = rest.substr(open + 1, rest.size() - open - 2);
  std::istringstream stream(dims);
  u64 total = e->bytes;
  for (std::string dim; std::getline(stream, dim, ',');) {
    char *end = nullptr;
    u64 n = std::strtoull(dim.c_str(), &end, 10);
    if (dim.empty() || *end || dim[0] == '-') {
      return badSpec(text, "'" + dim + "' is no extent");
    }
    if (n && total > maxBufferBytes / n) {
      return badSpec(text, "the buffer is larger than 16 GB");
    }
    total *= n;
    spec.shape.push_back(n);
  }
  return spec;
}

void storeElement(Element e, double value, u8 *to) {
  auto put = [&](auto v) { std::memcpy(to, &v, sizeof v); };
  switch (e) {
  case Element::I1:
    return put(static_cast<u8>(value != 0));
  case Element::I8:
  case Element::U8:
    return put(static_cast<u8>(static_cast<i64>(value)));
  case Element::I16:
  case Element::U16:
    return put(static_cast<u16>(static_cast<i64>(value)));
  case Element::I32:
  case Element::U32:
    return put(static_cast<u32>(static_cast<i64>(value)));
  case Element::I64:
  case Element::U64:
    return put(static_cast<u64>(static_cast<i64>(value)));
  case Element::F16:
    return put(toHalf(static_cast<float>(value)));
  case Element::BF16:
    return put(toBf(static_cast<float>(value)));
  case Element::F32:
    return put(static_cast<float>(value));
  case Element::F64:
    return put(value);
  case Element::E4M3:
    return put(toE4m3(static_cast<float>(value)));
  case Element::E5M2:
    return put(toE5m2(static_cast<float>(value)));
  }
}

double loadElement(Element e, const u8 *from) {
  auto get = [&](auto v) {
    std::memcpy(&v, from, sizeof v);
    return v;
  };
  switch (e) {
  case Element::I1:
  case Element::U8:
    return get(u8());
  case Element::I8:
    return get(i8());
  case Element::I16:
    return get(i16());
  case Element::U16:
    return get(u16());
  case Element::I32:
    return get(i32());
  case Element::U32:
    return get(u32());
  case Element::I64:
    return static_cast<double>(get(i64()));
  case Element::U64:
    return static_cast<double>(get(u64()));
  case Element::F16:
    return fromHalf(get(u16()));
  case Element::BF16:
    return fromBf(get(u16()));
  case Element::F32:
    return get(float());
  case Element::F64:
    return get(double());
  case Element::E4M3:
    return fromE4m3(*from);
  default:
    return fromE5m2(*from);
  }
}

errors::Result<u64> makeBuffer(DeviceMemory &memory, const BufferSpec &spec, u64 seed, const std::string &name) {
  u32 size = elementInfo(spec.element).bytes;
  u64 count = spec.count();
  u64 address = memory.allocate(std::max<u64>(count * size, 1), name);
  if (!address) {
    return Error(609, "no device memory left for '" + name + "'");
  }
  Allocation *a = memory.find(address);
  a->bytes = count * size;
  a->isOutput = spec.isOutput;
  a->elementBytes = size;
  a->shape = spec.shape;
  if (spec.fill.empty() || count == 0) {
    return address;
  }
  std::vector<u8> bytes(count * size);
  char *end = nullptr;
  double number = std::strtod(spec.fill.c_str(), &end);
  if (spec.fill == "randint") {
    std::mt19937_64 random(seed);
    for (u64 k = 0; k < count; ++k) {
      i64 v = static_cast<i64>(random() % 9) - 4;
      bool isUnsigned = spec.element >= Element::U8 && spec.element <= Element::U64;
      storeElement(spec.element, static_cast<double>(isUnsigned ? v + 4 : v), bytes.data() + k * size);
    }
  } else if (spec.fill == "arange") {
    for (u64 k = 0; k < count; ++k) {
      storeElement(spec.element, static_cast<double>(k), bytes.data() + k * size);
    }
  } else if (spec.fill == "zeros" || *end == 0) {
    for (u64 k = 0; k < count; ++k) {
      storeElement(spec.element, spec.fill == "zeros" ? 0 : number, bytes.data() + k * size);
    }
  } else {
    auto data = readNpy(spec.fill, spec);
    if (!data) {
      return data.error();
    }
    bytes = std::move(*data);
  }
  // The host's values of an output count as defined, but not as written: 3 instead of 1.
  u8 *written = spec.isOutput ? a->defined : nullptr;
  if (written) {
    std::memcpy(memory.host(address), bytes.data(), bytes.size());
    std::memset(written, 3, bytes.size());
  } else {
    memory.write(address, bytes.data(), bytes.size());
  }
  return address;
}

errors::Error writeNpy(const std::string &file, const BufferSpec &spec, const std::vector<u8> &bytes) {
  const ElementInfo &e = elementInfo(spec.element);
  // Types that NumPy lacks are written as f32.
  bool widen = !e.npy;
  std::string shape = "(";
  for (u64 d : spec.shape) {
    shape += std::to_string(d) + ",";
  }
  shape += ")";
  std::string header =
      std::string("{'descr': '") + (widen ? "<f4" : e.npy) + "', 'fortran_order': False, 'shape': " + shape + ", }";
  header.resize((header.size() + 10 + 64) / 64 * 64 - 11, ' ');
  header += '\n';
  std::ofstream out(file, std::ios::binary);
  out.write("\x93NUMPY\x01\x00", 8);
  u16 length = static_cast<u16>(header.size());
  out.write(reinterpret_cast<const char *>(&length), 2);
  out << header;
  if (widen) {
    for (size_t k = 0; k < bytes.size(); k += e.bytes) {
      float f = static_cast<float>(loadElement(spec.element, bytes.data() + k));
      out.write(reinterpret_cast<const char *>(&f), 4);
    }
  } else {
    out.write(reinterpret_cast<const char *>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
  out.flush();
  return out ? Error::success() : Error(631, "cannot write '" + file + "'");
}

errors::Result<std::vector<u8>> readNpy(const std::string &file, const BufferSpec &spec) {
  std::ifstream in(file, std::ios::binary);
  std::string data((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (!in && data.empty()) {
    return Error(631, "cannot read '" + file + "'");
  }
  auto broken = [&](const char *why) { return Error(631, "'" + file + "': " + why); };
  if (data.size() < 12 || data.compare(0, 6, "\x93NUMPY") != 0) {
    return broken("no .npy file");
  }
  size_t lengthBytes = data[6] == 1 ? 2 : 4;
  u32 length = 0;
  std::memcpy(&length, data.data() + 8, lengthBytes);
  size_t start = 8 + lengthBytes + length;
  if (start > data.size()) {
    return broken("the header is cut off");
  }
  std::string header = data.substr(8 + lengthBytes, length);
  if (header.find("'fortran_order': False") == std::string::npos) {
    return broken("expected C order");
  }
  u64 count = spec.count();
  u32 size = elementInfo(spec.element).bytes;
  size_t at = header.find("'descr': '");
  std::string type = at == std::string::npos ? "" : header.substr(at + 10, header.find('\'', at + 10) - at - 10);
  const ElementInfo *from = nullptr;
  for (const ElementInfo &e : elements) {
    from = e.npy && type == e.npy ? &e : from;
  }
  if (!from) {
    return broken("unsupported element type");
  }
  if (data.size() - start != count * from->bytes) {
    return broken("the number of elements does not match the shape");
  }
  std::vector<u8> bytes(count * size);
  const u8 *raw = reinterpret_cast<const u8 *>(data.data() + start);
  for (u64 k = 0; k < count; ++k) {
    if (from->element == spec.element) {
      std::memcpy(bytes.data() + k * size, raw + k * size, size);
    } else {
      storeElement(spec.element, loadElement(from->element, raw + k * from->bytes), bytes.data() + k * size);
    }
  }
  return bytes;
}

} // namespace pavage::sim
