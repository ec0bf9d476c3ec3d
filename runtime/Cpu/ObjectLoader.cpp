// ELF64 x86-64 relocatable objects: layout, relocation, protection. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
//   | code | stubs | pad | constants | table | pad | data, bss |      one mapping, page-aligned parts
//     r-x               r--                     rw-
//
// A function outside the object may be farther than 32 bits away. So each one has an entry in the address table, which
// GOT relocations refer to, and a stub `jmp *entry(%rip)`, to which calls go.
#include "runtime/Cpu/ObjectLoader.h"

#include "runtime/Cpu/Symbols.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <elf.h>
#include <optional>
#include <sys/mman.h>

namespace pavage::cpu {

using errors::Code;
using errors::Error;
using errors::Result;

static constexpr uint64_t pageSize = 4096;
static constexpr uint64_t stubSize = 8;           // ff 25 disp32, two bytes of padding
static constexpr uint64_t largestImage = 1 << 30; // all within reach of 32-bit displacements

LoadedObject &LoadedObject::operator=(LoadedObject &&other) noexcept {
  std::swap(map, other.map);
  std::swap(size, other.size);
  std::swap(functions, other.functions);
  return *this;
}

LoadedObject::~LoadedObject() {
  if (map != nullptr) {
    munmap(map, size);
  }
}

void *LoadedObject::function(std::string_view name) const {
  for (const auto &[key, address] : functions) {
    if (key == name) {
      return address;
    }
  }
  return nullptr;
}

static Error bad(const std::string &what) { return Error(Code::BadObject, what); }

static uint64_t roundUp(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }

static bool isGotRelocation(uint32_t type) {
  return type == R_X86_64_GOTPCREL || type == R_X86_64_GOTPCRELX || type == R_X86_64_REX_GOTPCRELX;
}

/// Bytes that a relocation writes; 0 for an unknown one.
static uint64_t widthOf(uint32_t type) {
  switch (type) {
  case R_X86_64_64:
  case R_X86_64_PC64:
    return 8;
  case R_X86_64_PC32:
  case R_X86_64_PLT32:
  case R_X86_64_32:
  case R_X86_64_32S:
  case R_X86_64_GOTPCREL:
  case R_X86_64_GOTPCRELX:
  case R_X86_64_REX_GOTPCRELX:
    return 4;
  default:
    return 0;
  }
}

/// One loading. Offsets in the image are fixed before it is mapped.
class ObjectLoader {
public:
  explicit ObjectLoader(std::string_view object) : bytes(object) {}

  Result<LoadedObject> load() {
    using Step = Error (ObjectLoader::*)();
    for (Step step : {&ObjectLoader::readHeader, &ObjectLoader::readSections, &ObjectLoader::readSymbols,
                      &ObjectLoader::scanRelocations, &ObjectLoader::layOut, &ObjectLoader::map,
                      &ObjectLoader::relocate, &ObjectLoader::protect}) {
      if (Error error = (this->*step)()) {
        return error;
      }
    }
    collectFunctions();
    return std::move(result);
  }

private:
  enum Part { CodePart, ConstantPart, DataPart, NotLoaded };

  struct Section {
    Elf64_Shdr header;
    Part part = NotLoaded;
    uint64_t offset = 0; ///< in the image
  };

  struct Symbol {
    Elf64_Sym entry;
    void *outer = nullptr; ///< address, if it is not of this object and is used
    uint32_t stub = 0;     ///< index, if outer
    int32_t slot = -1;     ///< index in the address table, if it has one
  };

  std::string_view bytes;
  Elf64_Ehdr header;
  std::vector<Section> sections;
  std::vector<Symbol> symbols;
  std::string_view names; ///< string table of the symbols
  uint32_t slotCount = 0, stubCount = 0;
  uint64_t stubsAt = 0, constantsAt = 0, tableAt = 0, dataAt = 0, end = 0;
  bool needsLowAddresses = false;
  LoadedObject result;

  /// A copy of the T at `offset`; the object need not be aligned.
  template <typename T> std::optional<T> read(uint64_t offset) const {
    if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) {
      return std::nullopt;
    }
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof(T));
    return value;
  }

  std::optional<std::string_view> contents(const Elf64_Shdr &section) const {
    if (section.sh_offset > bytes.size() || bytes.size() - section.sh_offset < section.sh_size) {
      return std::nullopt;
    }
    return bytes.substr(section.sh_offset, section.sh_size);
  }

  static std::string_view stringAt(std::string_view table, uint64_t offset) {
    if (offset >= table.size()) {
      return {};
    }
    std::string_view rest = table.substr(offset);
    return rest.substr(0, rest.find('\0'));
  }

  uint64_t addressOf(uint64_t offset) const { return reinterpret_cast<uint64_t>(result.map) + offset; }

  Error readHeader();
  Error readSections();
  Error classify(Section &section, size_t index, std::string_view name);
  Error readSymbols();
  template <typename Visit> Error eachRelocation(Visit visit);
  Error scanRelocations();
  Error scan(const Section &target, const Elf64_Rela &relocation);
  Error layOut();
  Error map();
  Error relocate();
  Error apply(const Section &target, const Elf64_Rela &relocation);
  Error protect();
  void collectFunctions();
};

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

Error ObjectLoader::readHeader() {
  auto found = read<Elf64_Ehdr>(0);
  if (!found || std::memcmp(found->e_ident, ELFMAG, SELFMAG) != 0) {
    return bad("expected an ELF object, got " + std::to_string(bytes.size()) + " bytes that are none");
  }
  header = *found;
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
      header.e_machine != EM_X86_64) {
    return bad("expected a 64-bit x86-64 object, got one for another machine");
  }
  if (header.e_type != ET_REL) {
    return bad("expected a relocatable object, got a linked one");
  }
  if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shoff > bytes.size()) {
    return bad("expected section headers inside the object, got none");
  }
  return Error::success();
}

Error ObjectLoader::readSections() {
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    auto found = read<Elf64_Shdr>(header.e_shoff + uint64_t(i) * sizeof(Elf64_Shdr));
    if (!found) {
      return bad("the section headers reach outside the object");
    }
    if (found->sh_type != SHT_NOBITS && found->sh_type != SHT_NULL && !contents(*found)) {
      return bad("section " + std::to_string(i) + " reaches outside the object");
    }
    sections.push_back({*found});
  }
  std::string_view sectionNames;
  if (header.e_shstrndx < sections.size() && sections[header.e_shstrndx].header.sh_type == SHT_STRTAB) {
    sectionNames = *contents(sections[header.e_shstrndx].header);
  }
  for (size_t i = 0; i < sections.size(); ++i) {
    if (Error error = classify(sections[i], i, stringAt(sectionNames, sections[i].header.sh_name))) {
      return error;
    }
  }
  return Error::success();
}

Error ObjectLoader::classify(Section &section, size_t index, std::string_view name) {
  const Elf64_Shdr &h = section.header;
  auto refuse = [&](const std::string &got) {
    return bad("expected only code and data to load, got section " + std::to_string(index) + " " + got);
  };
  // Notes and unwind tables are of no use here: nothing unwinds through a kernel.
  if ((h.sh_flags & SHF_ALLOC) == 0 || h.sh_type == SHT_NOTE || h.sh_type == SHT_X86_64_UNWIND || name == ".eh_frame") {
    return Error::success();
  }
  if ((h.sh_flags & SHF_TLS) != 0) {
    return refuse("with thread-local data");
  }
  if (h.sh_type != SHT_PROGBITS && h.sh_type != SHT_NOBITS) {
    return refuse("of type " + std::to_string(h.sh_type));
  }
  if (h.sh_addralign > pageSize || (h.sh_addralign & (h.sh_addralign - 1)) != 0) {
    return refuse("with alignment " + std::to_string(h.sh_addralign));
  }
  bool isCode = (h.sh_flags & SHF_EXECINSTR) != 0, isWritable = (h.sh_flags & SHF_WRITE) != 0;
  if (isCode && isWritable) {
    return refuse("of code that is writable");
  }
  section.part = isCode ? CodePart : isWritable ? DataPart : ConstantPart;
  return Error::success();
}

Error ObjectLoader::readSymbols() {
  const Elf64_Shdr *table = nullptr;
  for (const Section &section : sections) {
    if (section.header.sh_type == SHT_SYMTAB) {
      if (table != nullptr) {
        return bad("expected one symbol table, got several");
      }
      table = &section.header;
    }
  }
  if (table == nullptr) {
    return Error::success();
  }
  if (table->sh_entsize != sizeof(Elf64_Sym) || table->sh_link >= sections.size() ||
      sections[table->sh_link].header.sh_type != SHT_STRTAB) {
    return bad("the symbol table is malformed");
  }
  names = *contents(sections[table->sh_link].header);
  for (uint64_t i = 0; i < table->sh_size / sizeof(Elf64_Sym); ++i) {
    Elf64_Sym entry = *read<Elf64_Sym>(table->sh_offset + i * sizeof(Elf64_Sym));
    if (entry.st_shndx < SHN_LORESERVE && entry.st_shndx >= sections.size()) {
      return bad("symbol " + std::to_string(i) + " is in section " + std::to_string(entry.st_shndx) +
                 ", which does not exist");
    }
    symbols.push_back({entry});
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Relocations, first look: what has to be in the image
//===----------------------------------------------------------------------===//

template <typename Visit> Error ObjectLoader::eachRelocation(Visit visit) {
  for (const Section &section : sections) {
    const Elf64_Shdr &h = section.header;
    if (h.sh_type != SHT_RELA && h.sh_type != SHT_REL) {
      continue;
    }
    if (h.sh_info >= sections.size()) {
      return bad("relocations for a section that does not exist");
    }
    const Section &target = sections[h.sh_info];
    if (target.part == NotLoaded) {
      continue;
    }
    if (h.sh_type == SHT_REL || h.sh_entsize != sizeof(Elf64_Rela) || target.header.sh_type != SHT_PROGBITS) {
      return bad("expected relocations with addends for a section with bytes, got others");
    }
    for (uint64_t i = 0; i < h.sh_size / sizeof(Elf64_Rela); ++i) {
      Elf64_Rela relocation = *read<Elf64_Rela>(h.sh_offset + i * sizeof(Elf64_Rela));
      if (ELF64_R_TYPE(relocation.r_info) == R_X86_64_NONE) {
        continue;
      }
      if (Error error = visit(target, relocation)) {
        return error;
      }
    }
  }
  return Error::success();
}

Error ObjectLoader::scanRelocations() {
  return eachRelocation(
      [this](const Section &target, const Elf64_Rela &relocation) { return scan(target, relocation); });
}

Error ObjectLoader::scan(const Section &target, const Elf64_Rela &relocation) {
  uint32_t type = ELF64_R_TYPE(relocation.r_info), index = ELF64_R_SYM(relocation.r_info);
  uint64_t width = widthOf(type);
  if (width == 0) {
    return Error(Code::UnsupportedRelocation,
                 "expected a relocation of position-independent code, got type " + std::to_string(type));
  }
  if (relocation.r_offset > target.header.sh_size || target.header.sh_size - relocation.r_offset < width) {
    return bad("a relocation lies outside its section");
  }
  if (index == 0 || index >= symbols.size()) {
    return bad("a relocation refers to symbol " + std::to_string(index) + ", which does not exist");
  }
  Symbol &symbol = symbols[index];
  unsigned kind = ELF64_ST_TYPE(symbol.entry.st_info);
  std::string name(stringAt(names, symbol.entry.st_name));
  if (kind == STT_TLS || kind == STT_GNU_IFUNC) {
    return Error(Code::UnsupportedRelocation,
                 "expected a function or data, got symbol '" + name + "' of type " + std::to_string(kind));
  }
  if (symbol.entry.st_shndx == SHN_UNDEF) {
    if (symbol.outer == nullptr) {
      symbol.outer = findSymbol(name);
      if (symbol.outer == nullptr) {
        return Error(Code::UnknownSymbol, "expected a function that kernels may call, got '" + name + "'");
      }
      symbol.stub = stubCount++;
      symbol.slot = static_cast<int32_t>(slotCount++);
    }
  } else if (symbol.entry.st_shndx < SHN_LORESERVE) {
    const Section &home = sections[symbol.entry.st_shndx];
    if (home.part == NotLoaded || symbol.entry.st_value > home.header.sh_size) {
      return bad("symbol '" + name + "' lies outside what is loaded");
    }
    needsLowAddresses |= type == R_X86_64_32 || type == R_X86_64_32S;
  } else if (symbol.entry.st_shndx != SHN_ABS) {
    return bad("expected symbol '" + name + "' in a section, got index " + std::to_string(symbol.entry.st_shndx));
  }
  if (isGotRelocation(type) && symbol.slot < 0) {
    symbol.slot = static_cast<int32_t>(slotCount++);
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// The image
//===----------------------------------------------------------------------===//

Error ObjectLoader::layOut() {
  // A sanitized caller looks at the bytes before a function it calls through a pointer: there must be some.
  uint64_t at = 64;
  auto place = [&](Part part) {
    for (Section &section : sections) {
      if (section.part == part) {
        at = roundUp(at, std::max<uint64_t>(section.header.sh_addralign, 1));
        section.offset = at;
        at += std::min(section.header.sh_size, largestImage);
        if (at > largestImage) {
          return false;
        }
      }
    }
    return true;
  };
  bool fits = place(CodePart);
  stubsAt = roundUp(at, 16);
  at = stubsAt + stubCount * stubSize;
  constantsAt = at = roundUp(at, pageSize);
  fits = fits && place(ConstantPart);
  tableAt = roundUp(at, 8);
  at = tableAt + uint64_t(slotCount) * 8;
  dataAt = at = roundUp(at, pageSize);
  fits = fits && place(DataPart);
  end = roundUp(at, pageSize);
  return fits ? Error::success() : bad("expected at most 1 GB of code and data, got more");
}

Error ObjectLoader::map() {
  int low = needsLowAddresses ? MAP_32BIT : 0;
  void *memory = mmap(nullptr, end, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | low, -1, 0);
  if (memory == MAP_FAILED) {
    return Error(Code::NoExecutableMemory,
                 "expected " + std::to_string(end) + " bytes for compiled code, got none: " + std::strerror(errno));
  }
  result.map = memory;
  result.size = end;
  char *image = static_cast<char *>(memory);
  for (const Section &section : sections) {
    if (section.part != NotLoaded && section.header.sh_type == SHT_PROGBITS && section.header.sh_size != 0) {
      std::memcpy(image + section.offset, bytes.data() + section.header.sh_offset, section.header.sh_size);
    }
  }
  for (const Symbol &symbol : symbols) {
    if (symbol.slot < 0) {
      continue;
    }
    uint64_t slotAt = tableAt + uint64_t(symbol.slot) * 8;
    uint64_t address = symbol.entry.st_value;
    if (symbol.outer != nullptr) {
      address = reinterpret_cast<uint64_t>(symbol.outer);
      uint64_t stubAt = stubsAt + symbol.stub * stubSize;
      auto distance = static_cast<uint32_t>(slotAt - (stubAt + 6));
      const unsigned char jump[2] = {0xff, 0x25};
      std::memcpy(image + stubAt, jump, sizeof(jump));
      std::memcpy(image + stubAt + 2, &distance, sizeof(distance));
    } else if (symbol.entry.st_shndx != SHN_ABS) {
      address += addressOf(sections[symbol.entry.st_shndx].offset);
    }
    std::memcpy(image + slotAt, &address, sizeof(address));
  }
  return Error::success();
}

Error ObjectLoader::relocate() {
  return eachRelocation(
      [this](const Section &target, const Elf64_Rela &relocation) { return apply(target, relocation); });
}

Error ObjectLoader::apply(const Section &target, const Elf64_Rela &relocation) {
  uint32_t type = ELF64_R_TYPE(relocation.r_info);
  const Symbol &symbol = symbols[ELF64_R_SYM(relocation.r_info)];
  uint64_t offset = target.offset + relocation.r_offset;
  uint64_t symbolAddress = symbol.entry.st_value;
  if (isGotRelocation(type)) {
    symbolAddress = addressOf(tableAt + uint64_t(symbol.slot) * 8);
  } else if (symbol.outer != nullptr) {
    bool isNear = type == R_X86_64_PC32 || type == R_X86_64_PLT32;
    symbolAddress = isNear ? addressOf(stubsAt + symbol.stub * stubSize) : reinterpret_cast<uint64_t>(symbol.outer);
  } else if (symbol.entry.st_shndx != SHN_ABS) {
    symbolAddress += addressOf(sections[symbol.entry.st_shndx].offset);
  }
  uint64_t value = symbolAddress + static_cast<uint64_t>(relocation.r_addend);
  bool isAbsolute = type == R_X86_64_64 || type == R_X86_64_32 || type == R_X86_64_32S;
  if (!isAbsolute) {
    value -= addressOf(offset);
  }
  bool fits = true;
  if (type == R_X86_64_32) {
    fits = value <= UINT32_MAX;
  } else if (widthOf(type) == 4) {
    fits = static_cast<int64_t>(value) == static_cast<int32_t>(value);
  }
  if (!fits) {
    return Error(Code::UnsupportedRelocation, "a relocation of type " + std::to_string(type) +
                                                  " cannot reach its symbol '" +
                                                  std::string(stringAt(names, symbol.entry.st_name)) + "'");
  }
  std::memcpy(static_cast<char *>(result.map) + offset, &value, widthOf(type));
  return Error::success();
}

Error ObjectLoader::protect() {
  char *image = static_cast<char *>(result.map);
  bool isDone = mprotect(image, constantsAt, PROT_READ | PROT_EXEC) == 0 &&
                (dataAt == constantsAt || mprotect(image + constantsAt, dataAt - constantsAt, PROT_READ) == 0);
  return isDone ? Error::success()
                : Error(Code::NoExecutableMemory,
                        std::string("expected memory that can be made executable, got: ") + std::strerror(errno));
}

void ObjectLoader::collectFunctions() {
  for (const Symbol &symbol : symbols) {
    unsigned type = ELF64_ST_TYPE(symbol.entry.st_info), binding = ELF64_ST_BIND(symbol.entry.st_info);
    if (binding == STB_LOCAL || (type != STT_FUNC && type != STT_NOTYPE) || symbol.entry.st_shndx == SHN_UNDEF ||
        symbol.entry.st_shndx >= SHN_LORESERVE) {
      continue;
    }
    const Section &home = sections[symbol.entry.st_shndx];
    if (home.part == CodePart && symbol.entry.st_value < home.header.sh_size) {
      result.functions.emplace_back(stringAt(names, symbol.entry.st_name),
                                    reinterpret_cast<void *>(addressOf(home.offset + symbol.entry.st_value)));
    }
  }
}

Result<LoadedObject> loadObject(std::string_view bytes) { return ObjectLoader(bytes).load(); }

} // namespace pavage::cpu
