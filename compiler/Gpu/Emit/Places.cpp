// Which tile op and which line of the author an instruction comes from. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#include "compiler/Gpu/Emit/Places.h"

#include "compiler/Support/Diagnostics.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace pavage::gpu {

// --- numbering -------------------------------------------------------------------------------------------------------

/// What Lower noted about the op that a location belongs to; null when it noted nothing.
static DictionaryAttr noteOf(Location location) {
  if (auto fused = dyn_cast<FusedLoc>(location)) {
    if (auto note = dyn_cast_or_null<DictionaryAttr>(fused.getMetadata()); note && note.contains("op")) {
      return note;
    }
    for (Location part : fused.getLocations()) {
      if (DictionaryAttr note = noteOf(part)) {
        return note;
      }
    }
  }
  if (auto call = dyn_cast<CallSiteLoc>(location)) {
    return noteOf(call.getCallee());
  }
  if (auto named = dyn_cast<NameLoc>(location)) {
    return noteOf(named.getChildLoc());
  }
  return {};
}

unsigned Places::numberOf(Location location) {
  unsigned &number = numbers[location];
  if (number != 0) {
    return number;
  }
  Place place;
  support::Place at = support::placeOf(location);
  if (!at.file.empty() && at.line != 0) {
    place.file = files.insert({at.file, static_cast<unsigned>(files.size() + 1)}).first->second;
    place.line = at.line;
    place.column = at.column;
  }
  if (DictionaryAttr note = noteOf(location)) {
    place.op = static_cast<uint32_t>(allOps.size());
    artifact::Op op;
    op.text = note.getAs<StringAttr>("op").str();
    op.at = {at.file.str(), at.line, at.column};
    if (auto atomics = note.getAs<IntegerAttr>("atomics")) {
      op.atomics = static_cast<uint64_t>(atomics.getInt());
    }
    op.isMasked = note.contains("masked");
    allOps.push_back(std::move(op));
  }
  places.push_back(place);
  return number = static_cast<unsigned>(places.size());
}

Places::Places(ModuleOp module) {
  MLIRContext *context = module.getContext();
  StringAttr nameless = StringAttr::get(context, "places");
  auto file = LLVM::DIFileAttr::get(context, "places", "");
  auto unit = LLVM::DICompileUnitAttr::get(DistinctAttr::create(UnitAttr::get(context)), llvm::dwarf::DW_LANG_C, file,
                                           nameless, /*isOptimized=*/true, LLVM::DIEmissionKind::DebugDirectivesOnly);
  auto type = LLVM::DISubroutineTypeAttr::get(context, llvm::dwarf::DW_CC_normal, {});
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    if (function.isExternal()) {
      continue;
    }
    function.walk([&](Operation *op) {
      if (op != function) {
        op->setLoc(FileLineColLoc::get(nameless, numberOf(op->getLoc()), 0));
      }
    });
    auto program = LLVM::DISubprogramAttr::get(context, DistinctAttr::create(UnitAttr::get(context)), unit, file,
                                               function.getNameAttr(), function.getNameAttr(), file, 0, 0,
                                               LLVM::DISubprogramFlags::Definition, type, {}, {});
    function->setLoc(FusedLoc::get({FileLineColLoc::get(nameless, 0, 0)}, program, context));
  }
}

// --- writing ---------------------------------------------------------------------------------------------------------

void Places::resolve(std::string &ptx, std::vector<artifact::Op> &ops, std::vector<artifact::OpLine> &lines) const {
  std::string text;
  text.reserve(ptx.size());
  llvm::raw_string_ostream out(text);
  uint32_t lineNumber = 0;
  uint32_t currentOp = artifact::OpLine::noOp;
  Place shown;
  auto write = [&](StringRef line) {
    out << line << '\n';
    ++lineNumber;
  };
  StringRef rest = ptx;
  while (!rest.empty()) {
    auto [line, tail] = rest.split('\n');
    rest = tail;
    StringRef word = line.ltrim();
    if (word.starts_with(".file")) {
      continue;
    }
    if (!word.consume_front(".loc\t") && !word.consume_front(".loc ")) { // not .local
      if (word.starts_with("}") && currentOp != artifact::OpLine::noOp) {
        currentOp = artifact::OpLine::noOp;
        lines.push_back({lineNumber + 1, currentOp});
      }
      write(line);
      continue;
    }
    // ".loc FILE NUMBER COLUMN": number 0 is code that LLVM made of several places.
    unsigned file = 0, number = 0;
    word = word.ltrim();
    bool isRead = !word.consumeInteger(10, file);
    word = word.ltrim();
    isRead = isRead && !word.consumeInteger(10, number);
    Place place;
    if (isRead && number > 0 && number <= places.size()) {
      place = places[number - 1];
    }
    bool isNew = place.file != shown.file || place.line != shown.line || place.column != shown.column;
    if (place.file != 0 && isNew) {
      shown = place;
      out << "\t.loc\t" << place.file << ' ' << place.line << ' ' << place.column << '\n';
      ++lineNumber;
    }
    if (place.op != currentOp) {
      currentOp = place.op;
      lines.push_back({lineNumber + 1, currentOp});
    }
  }
  for (auto &[name, index] : files) {
    out << "\t.file\t" << index << " \"";
    out.write_escaped(name) << "\"\n";
  }
  ptx = std::move(text);
  ops = allOps;
}

} // namespace pavage::gpu
