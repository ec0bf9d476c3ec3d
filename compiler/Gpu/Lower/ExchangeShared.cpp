// Registers to and from shared memory. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Gpu/Lower/Exchange.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using pavage::layout::Layout;
using pavage::layout::Place;
using pavage::layout::SharedMove;
using Predicate = LLVM::ICmpPredicate;

namespace pavage::gpu {

static layout::Vectors scaled(const layout::Vectors &offsets, int64_t by) {
  layout::Vectors result;
  for (layout::Vector offset : offsets) {
    result.push_back(offset * by);
  }
  return result;
}

SharedAddress::SharedAddress(Emitter &e, const SharedMove &move, int64_t elementBytes, Value base, Value moving)
    : e(e), bytes(elementBytes), base(base), threadBits(move.threadBits) {
  thread = e.mapThread(scaled(move.laneOffsets, bytes), scaled(move.warpOffsets, bytes));
  thread = moving ? e.bitXor(thread, moving) : thread;
}

Value SharedAddress::at(uint32_t offset) {
  Value &start = starts[offset & threadBits];
  if (!start) {
    start = e.gep(base, e.b.getI8Type(), e.bitXor(thread, e.i32((offset & threadBits) * bytes)));
  }
  return e.gepBytes(start, (offset & ~threadBits) * bytes);
}

// --- one access ------------------------------------------------------------------------------------------------------

/// Registers of an access in pieces that one machine register holds.
static SmallVector<ArrayRef<uint32_t>> piecesOf(ArrayRef<uint32_t> registers, int64_t elementBytes) {
  size_t each = std::min<size_t>(registers.size(), std::max<int64_t>(1, 4 / elementBytes));
  SmallVector<ArrayRef<uint32_t>> pieces;
  for (size_t first = 0; first < registers.size(); first += each) {
    pieces.push_back(registers.slice(first, each));
  }
  return pieces;
}

static NVVM::LdStMatrixShapeAttr eightByEight(Emitter &e) {
  return NVVM::LdStMatrixShapeAttr::get(e.b.getContext(), 8, 8);
}

static NVVM::MMALayout matrixLayout(const SharedMove &move) {
  return move.kind == SharedMove::Kind::MatrixTransposed ? NVVM::MMALayout::col : NVVM::MMALayout::row;
}

/// null: always. Nothing: never.
static std::optional<Value> inRound(Emitter &e, const SharedMove &move, const SharedMove::Access &access,
                                    uint32_t round) {
  auto isZero = [](layout::Vector part) { return part == 0; };
  if (llvm::all_of(move.laneRounds, isZero) && llvm::all_of(move.warpRounds, isZero)) {
    return access.round == round ? std::optional(Value()) : std::nullopt;
  }
  Value own = e.mapThread(move.laneRounds, move.warpRounds);
  return e.compare(Predicate::eq, own, e.i32(access.round ^ round));
}

void writeShared(Emitter &e, Registers &source, const SharedMove &move, Value base, Value mask, uint32_t round) {
  int64_t bytes = Emitter::bytesOf(source.element);
  SharedAddress address(e, move, bytes, base);
  if (!move.flips.empty()) {
    Values elements;
    for (unsigned reg = 0; reg < source.size(); ++reg) {
      elements.push_back(source.get(reg));
    }
    Registers flipped = Registers::of(e, source.element, flip(e, elements, move.flips));
    SharedMove plain = move;
    plain.flips.clear();
    return writeShared(e, flipped, plain, base, mask, round);
  }
  auto store = [&](const SharedMove::Access &access) {
    Values pieces;
    for (ArrayRef<uint32_t> piece : piecesOf(access.registers, bytes)) {
      pieces.push_back(source.bits(piece));
    }
    Value at = address.at(access.offset);
    if (move.kind != SharedMove::Kind::Vector) {
      NVVM::StMatrixOp::create(e.b, e.loc, at, pieces, matrixLayout(move), eightByEight(e),
                               NVVM::LdStMatrixEltType::B16);
      return;
    }
    Value whole = pieces.size() == 1 ? pieces.front() : e.vectorOf(pieces);
    LLVM::StoreOp::create(e.b, e.loc, whole, at, access.registers.size() * bytes);
  };
  // Accesses under one condition share a branch.
  llvm::MapVector<uint32_t, SmallVector<const SharedMove::Access *>> groups;
  for (const SharedMove::Access &access : move.accesses) {
    groups[access.round].push_back(&access);
  }
  for (auto &[part, accesses] : groups) {
    std::optional<Value> condition = inRound(e, move, *accesses.front(), round);
    if (condition) {
      e.when(e.both(mask, *condition), [&] {
        for (const SharedMove::Access *access : accesses) {
          store(*access);
        }
      });
    }
  }
}

SharedReader::SharedReader(Emitter &e, const SharedMove &move, Type element, Value base, Value moving)
    : e(e), move(move), element(element), address(e, move, Emitter::bytesOf(element), base, moving),
      pieces(move.accesses.size()) {}

Values SharedReader::load(const SharedMove::Access &access) {
  int64_t bytes = Emitter::bytesOf(element);
  Value at = address.at(access.offset);
  auto shares = piecesOf(access.registers, bytes);
  Type piece = e.b.getIntegerType(8 * bytes * shares.front().size());
  if (move.kind != SharedMove::Kind::Vector) {
    unsigned count = move.width;
    Type result =
        count == 1 ? piece : Type(LLVM::LLVMStructType::getLiteral(e.b.getContext(), SmallVector<Type>(count, piece)));
    Value loaded = NVVM::LdMatrixOp::create(e.b, e.loc, result, at, count, matrixLayout(move), eightByEight(e),
                                            NVVM::LdStMatrixEltType::B16);
    Values words;
    for (unsigned word = 0; word < count; ++word) {
      words.push_back(count == 1 ? loaded : LLVM::ExtractValueOp::create(e.b, e.loc, loaded, word));
    }
    return words;
  }
  Type whole = shares.size() == 1 ? piece : Type(VectorType::get({static_cast<int64_t>(shares.size())}, piece));
  Value loaded = LLVM::LoadOp::create(e.b, e.loc, whole, at, access.registers.size() * bytes);
  Values words;
  for (size_t index = 0; index < shares.size(); ++index) {
    words.push_back(shares.size() == 1 ? loaded : e.extract(loaded, index));
  }
  return words;
}

void SharedReader::read(uint32_t round) {
  for (auto [access, held] : llvm::zip(move.accesses, pieces)) {
    std::optional<Value> condition = inRound(e, move, access, round);
    if (!condition) {
      continue;
    }
    if (!*condition) {
      held = load(access);
      continue;
    }
    if (held.empty()) {
      int64_t bytes = Emitter::bytesOf(element);
      auto shares = piecesOf(access.registers, bytes);
      held.assign(shares.size(), e.zero(e.b.getIntegerType(8 * bytes * shares.front().size())));
    }
    held = e.choose(*condition, [&] { return load(access); }, held);
  }
}

Values SharedReader::finish(unsigned size, unsigned perWord) {
  Gathered gathered(e, element, size, perWord);
  for (auto [access, held] : llvm::zip(move.accesses, pieces)) {
    for (auto [registers, bits] : llvm::zip(piecesOf(access.registers, Emitter::bytesOf(element)), held)) {
      gathered.put(registers, bits);
    }
  }
  if (move.flips.empty()) {
    return gathered.words();
  }
  return e.pack(flip(e, gathered.elements(), move.flips), perWord);
}

// --- trips -----------------------------------------------------------------------------------------------------------

layout::SharedUse sharedUse(const Emitter &e) {
  return {.canStoreMatrix = e.target.hasStmatrix, .canLoadMatrix = e.target.hasLdmatrix};
}

Value isFirstOf(Emitter &e, const Layout &layout) {
  Value is;
  for (auto [place, number] : {std::pair(Place::Lane, e.lane), std::pair(Place::Warp, e.warp)}) {
    if (uint32_t copies = layout.copies(place)) {
      is = e.both(is, e.compare(Predicate::eq, e.bitAnd(number, e.i32(copies)), e.i32(0)));
    }
  }
  return is;
}

SmallVector<Values> travel(Emitter &e, MutableArrayRef<Trip> trips) {
  SmallVector<std::unique_ptr<SharedReader>> readers;
  int rounds = 1;
  for (Trip &trip : trips) {
    readers.push_back(std::make_unique<SharedReader>(e, trip.plan.read, trip.source.element, e.shared(trip.offset)));
    rounds = std::max(rounds, trip.plan.rounds.count());
  }
  for (int round = 0; round < rounds; ++round) {
    if (round > 0) {
      e.barrier(); // the round before has been read
    }
    for (Trip &trip : trips) {
      if (round < trip.plan.rounds.count()) {
        writeShared(e, trip.source, trip.plan.write, e.shared(trip.offset), trip.isFirst, round);
      }
    }
    e.barrier();
    for (auto [trip, reader] : llvm::zip(trips, readers)) {
      if (round < trip.plan.rounds.count()) {
        reader->read(round);
      }
    }
  }
  SmallVector<Values> results;
  for (auto [trip, reader] : llvm::zip(trips, readers)) {
    results.push_back(reader->finish(trip.size, trip.perWord));
  }
  return results;
}

SmallVector<Values> exchangeWarps(Emitter &e, const WarpExchange &exchange, ArrayRef<Type> elements,
                                  ArrayRef<Values> sources, int64_t &offset) {
  std::vector<Trip> trips;
  for (auto [element, source] : llvm::zip(elements, sources)) {
    Trip trip{Registers::of(e, element, source),
              layout::planTrip(exchange.writer, exchange.reader, Emitter::bytesOf(element), kScratchLimit, {}),
              offset,
              isFirstOf(e, exchange.writer),
              1u << exchange.reader.numBits(Place::Register),
              1};
    offset = llvm::alignTo(offset + trip.plan.bytes, 16);
    trips.push_back(std::move(trip));
  }
  return travel(e, trips);
}

} // namespace pavage::gpu
