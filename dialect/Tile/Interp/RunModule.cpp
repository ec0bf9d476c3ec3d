// Functions of a module, from numbers to numbers. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Tile/Interp/RunModule.h"

#include "dialect/Tile/Interp/State.h"
#include "dialect/Tile/TileTypes.h"
#include "runtime/Artifact/PrintTile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace pavage::tile {

/// So that an endless loop in a test ends.
static constexpr uint64_t maxTestOps = 100'000'000;

static void appendElements(std::string &out, const Datum &datum, ArrayRef<int64_t> shape, int64_t &element) {
  if (shape.empty()) {
    uint64_t bits = datum.bits(element);
    artifact::Dtype dtype = dtypeOf(datum.type, /*isSigned=*/true);
    out += datum.isPoison(element) ? "poison" : artifact::formatElement(dtype, &bits);
    ++element;
    return;
  }
  out += '[';
  for (int64_t i = 0; i < shape.front(); ++i) {
    out += i == 0 ? "" : ", ";
    appendElements(out, datum, shape.drop_front(), element);
  }
  out += ']';
}

std::string formatDatum(const Datum &datum) {
  std::string out;
  int64_t element = 0;
  appendElements(out, datum, shapeOf(datum.type), element);
  return out;
}

bool equalData(const Datum &a, const Datum &b) {
  if (a.type != b.type || a.bytes.size() != b.bytes.size()) {
    return false;
  }
  bool isFloat = isa<FloatType>(elementTypeOf(a.type));
  for (int64_t i = 0, lanes = a.numElements(); i < lanes; ++i) {
    bool areNan = isFloat && a.number(i) != a.number(i) && b.number(i) != b.number(i);
    if (a.bits(i) != b.bits(i) && !areNan) {
      return false;
    }
  }
  return true;
}

namespace {
/// One function with its arguments and arrays.
class Run {
public:
  explicit Run(func::FuncOp function) : function(function) {}

  /// Reads the test attributes; false after a diagnostic.
  bool prepare() {
    InterpOptions options;
    if (auto grid = function->getAttrOfType<DenseI32ArrayAttr>(kTestGridAttr)) {
      if (grid.size() != 3) {
        function.emitError("expected three extents in '") << kTestGridAttr << "', got " << grid.size();
        return false;
      }
      llvm::copy(grid.asArrayRef(), options.grid.begin());
    }
    options.maxOps = maxTestOps;
    options.print = [this](StringRef text) { printed += text; };
    arrays.resize(function.getNumArguments());
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      if (!prepareArgument(i, options)) {
        function.emitError("expected '") << kTestAttr << "' of argument " << i << " to hold a value of its type";
        return false;
      }
    }
    interp.emplace(std::move(options));
    return true;
  }

  /// Runs and prints; false when an array is not as expected.
  bool run(raw_ostream &os) {
    interp->runGrid(function, arguments);
    os << "@" << function.getName() << "\n" << printed;
    for (auto [index, array] : llvm::enumerate(arrays)) {
      if (array.type) {
        os << "  arg " << index << ": " << formatDatum(array) << "\n";
      }
    }
    for (auto [index, datum] : llvm::enumerate(interp->returned())) {
      os << "  result " << index << ": " << formatDatum(datum) << "\n";
    }
    for (const Finding &finding : interp->findings()) {
      os << (finding.isError ? "  error " : "  note ") << stringifyFindingKind(finding.kind) << " at ";
      if (auto file = dyn_cast<FileLineColLoc>(finding.location)) {
        os << file.getLine() << ":" << file.getColumn();
      } else {
        os << finding.location;
      }
      os << " in program (" << finding.program[0] << ", " << finding.program[1] << ", " << finding.program[2]
         << "): " << finding.text << "\n";
    }
    return checkExpected();
  }

private:
  bool checkExpected() {
    for (auto [index, array] : llvm::enumerate(arrays)) {
      Attribute value = function.getArgAttr(index, kTestExpectAttr);
      if (!value) {
        continue;
      }
      auto typed = dyn_cast<TypedAttr>(value);
      if (!array.type) {
        function.emitError("expected '") << kTestExpectAttr << "' at an array, got it at argument " << index;
        return false;
      }
      Datum expected(array.type);
      if (!typed || typed.getType() != array.type || !expected.read(value) || !equalData(array, expected)) {
        function.emitError("expected argument ") << index << " to hold " << value << ", got " << formatDatum(array);
        return false;
      }
    }
    return true;
  }

  bool prepareArgument(unsigned index, InterpOptions &options) {
    if (auto alias = function.getArgAttrOfType<IntegerAttr>(index, kTestAliasAttr)) {
      uint64_t other = alias.getValue().getLimitedValue();
      bool fits = other < index && function.getArgumentTypes()[other] == function.getArgumentTypes()[index];
      if (!fits || !arrays[other].type) {
        return false;
      }
      options.arrays.push_back(options.arrays[recordOf[other]]);
      options.arrays.back().argument = static_cast<int32_t>(index);
      options.arrays.back().name = "arg " + std::to_string(index);
      arguments.push_back(arguments[other]);
      return true;
    }
    Type type = function.getArgumentTypes()[index];
    if (Interp::State({}).lanesOf(type) < 0) {
      return false;
    }
    Attribute value = function.getArgAttr(index, kTestAttr);
    if (auto pointer = dyn_cast<PtrType>(type)) {
      auto dense = dyn_cast<DenseElementsAttr>(value);
      if (!dense || !isa<RankedTensorType>(dense.getType()) || dense.getElementType() != pointer.getPointee()) {
        return false;
      }
      Datum &array = arrays[index] = Datum(dense.getType());
      ArrayRecord record;
      record.base = reinterpret_cast<uint64_t>(array.bytes.data());
      record.itemSize = elementBytes(array.type);
      record.shape.assign(dense.getType().getShape().begin(), dense.getType().getShape().end());
      record.name = "arg " + std::to_string(index);
      record.readOnly = function.getArgAttr(index, kTestReadOnlyAttr) != nullptr;
      record.argument = static_cast<int32_t>(index);
      recordOf[index] = options.arrays.size();
      options.arrays.push_back(std::move(record));
      arguments.push_back(Datum::scalar(type, reinterpret_cast<uint64_t>(array.bytes.data())));
      return array.read(value);
    }
    auto typed = dyn_cast<TypedAttr>(value);
    return typed && typed.getType() == type && arguments.emplace_back(type).read(value);
  }

  func::FuncOp function;
  SmallVector<Datum> arguments;
  std::vector<Datum> arrays; ///< contents that pointer arguments point to
  llvm::DenseMap<unsigned, size_t> recordOf;
  std::optional<Interp> interp;
  std::string printed;
};
} // namespace

bool runModule(ModuleOp module, raw_ostream &os) {
  for (auto function : module.getOps<func::FuncOp>()) {
    bool isRunnable = !function.isExternal() && function.getBody().hasOneBlock();
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      isRunnable &= function.getArgAttr(i, kTestAttr) || function.getArgAttr(i, kTestAliasAttr);
    }
    if (!isRunnable) {
      continue;
    }
    Run run(function);
    if (!run.prepare() || !run.run(os)) {
      return false;
    }
  }
  return true;
}

} // namespace pavage::tile
