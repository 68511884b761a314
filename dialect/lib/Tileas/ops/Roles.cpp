//===- Roles.cpp - Warps with different work ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda_tile/Tileas/Tileas.h"

#include "IR/Syntax.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace cuda_tile;
using namespace cuda_tile::tileas;

StringRef RolesOp::getDefaultDialect() { return "cuda_tile"; }

/// The regions run at the same time; for one who follows control flow, each
/// runs, and then what stands behind the op.
void RolesOp::getSuccessorRegions(
    RegionBranchPoint point, SmallVectorImpl<RegionSuccessor> &successors) {
  if (point.isParent())
    for (Region &body : getBodies())
      successors.emplace_back(&body);
  else
    successors.emplace_back(getOperation(), getOperation()->getResults());
}

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

/// `warps = 8`
static ParseResult parseNumber(OpAsmParser &parser, StringRef keyword,
                               SmallVectorImpl<int64_t> &numbers) {
  return failure(parser.parseKeyword(keyword) || parser.parseEqual() ||
                 parser.parseInteger(numbers.emplace_back()));
}

ParseResult RolesOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<Attribute> names;
  SmallVector<int64_t> warps, threads, registers;
  while (succeeded(parser.parseOptionalKeyword("role"))) {
    std::string name;
    if (parser.parseString(&name) || parseNumber(parser, "warps", warps) ||
        parseNumber(parser, "threads", threads) ||
        parseNumber(parser, "registers", registers))
      return failure();
    names.push_back(parser.getBuilder().getStringAttr(name));
    Region *body = result.addRegion();
    if (parser.parseRegion(*body))
      return failure();
    ensureTerminator(*body, parser.getBuilder(), result.location);
  }
  Builder &builder = parser.getBuilder();
  auto &properties = result.getOrAddProperties<Properties>();
  properties.names = builder.getArrayAttr(names);
  properties.warps = builder.getDenseI64ArrayAttr(warps);
  properties.threads = builder.getDenseI64ArrayAttr(threads);
  properties.registers = builder.getDenseI64ArrayAttr(registers);
  return parser.parseOptionalAttrDict(result.attributes);
}

void RolesOp::print(OpAsmPrinter &printer) {
  for (size_t number = 0; number < getBodies().size(); ++number) {
    auto item = [&](StringRef key, ArrayRef<int64_t> values) {
      printer << " " << key << " = "
              << (number < values.size() ? values[number] : 0);
    };
    printer << " role ";
    printer.printAttributeWithoutType(number < getNames().size()
                                          ? getNames()[number]
                                          : StringAttr::get(getContext(), ""));
    item("warps", getWarps());
    item("threads", getThreads());
    item("registers", getRegisters());
    printer << " ";
    printer.printRegion(getBodies()[number], /*printEntryBlockArgs=*/false,
                        /*printBlockTerminators=*/false);
  }
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {getNamesAttrName(), getWarpsAttrName(),
                                 getThreadsAttrName(), getRegistersAttrName()});
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

static constexpr int64_t kMaxWarps = 32, kLanes = 32, kWarpgroup = 4,
                         kMinRegisters = 24, kMaxRegisters = 256,
                         kRegistersOfCta = 65536;

/// What `setmaxnreg` takes (PTX ISA), or 0 for all roles.
static LogicalResult verifyRegisters(RolesOp op) {
  ArrayRef<int64_t> registers = op.getRegisters(), warps = op.getWarps();
  if (llvm::all_of(registers, [](int64_t count) { return count == 0; }))
    return success();
  int64_t total = 0;
  for (auto [count, warpCount] : llvm::zip_equal(registers, warps)) {
    if (count < kMinRegisters || count > kMaxRegisters || count % 8 != 0 ||
        warpCount % kWarpgroup != 0) // C2
      return op.emitOpError("expected registers of all roles to be 0, or "
                            "multiples of 8 from 24 to 256 of warps in fours, "
                            "got ")
             << count << " registers of " << warpCount << " warps";
    total += kLanes * warpCount * count;
  }
  if (total > kRegistersOfCta) // C2
    return op.emitOpError("expected roles to use at most ")
           << kRegistersOfCta << " registers, got " << total;
  return success();
}

LogicalResult RolesOp::verify() {
  size_t count = getBodies().size();
  if (count == 0 || getNames().size() != count || getWarps().size() != count ||
      getThreads().size() != count || getRegisters().size() != count) // C1
    return emitOpError("expected a name, warps, threads and registers for each "
                       "of ")
           << count << " regions, at least one";
  llvm::StringSet<> names;
  int64_t total = 0;
  for (auto [name, warps, threads] :
       llvm::zip_equal(getNames().getAsValueRange<StringAttr>(), getWarps(),
                       getThreads())) {
    if (!names.insert(name).second) // C1
      return emitOpError("expected roles of different names, got '")
             << name << "' twice";
    if (warps < 1 || warps > kMaxWarps) // C1
      return emitOpError("expected role '")
             << name << "' to have 1 to 32 warps, got " << warps;
    if (threads != 1 && threads != kLanes * warps) // C1
      return emitOpError("expected 1 or ")
             << kLanes * warps << " threads of the " << warps
             << " warps of role '" << name << "', got " << threads;
    total += warps;
  }
  if (total > kMaxWarps) // C1
    return emitOpError("expected roles to have at most 32 warps, got ")
           << total;
  return verifyRegisters(*this);
}

/// What a role captures is the same in all threads.
static LogicalResult verifyCaptured(RolesOp op, Region &body) {
  WalkResult walked = body.walk([&](Operation *inner) {
    if (isa<RolesOp>(inner)) { // C5
      inner->emitOpError("expected roles not to be nested");
      return WalkResult::interrupt();
    }
    for (Value operand : inner->getOperands()) {
      if (body.isAncestor(operand.getParentRegion()))
        continue;
      auto tile = dyn_cast<TileType>(operand.getType());
      if ((!tile || tile.getShape().empty()) &&
          !isa<PendingType>(operand.getType()))
        continue;
      inner->emitOpError("expected a role to use scalars, views, rings and "
                         "buffers from outside only, got a value of type ")
          << operand.getType(); // C3
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

LogicalResult RolesOp::verifyRegions() {
  llvm::DenseMap<std::pair<Value, unsigned>, unsigned> regions;
  for (unsigned number = 0; number < getBodies().size(); ++number) {
    Region &body = getBodies()[number];
    if (failed(verifyCaptured(*this, body))) // C3, C5
      return failure();
    WalkResult walked = body.walk([&](Operation *inner) {
      bool fills = isa<AcquireOp, PublishOp>(inner);
      if (!fills && !isa<TakeOp, ReleaseOp>(inner))
        return WalkResult::advance();
      auto [place, isNew] =
          regions.try_emplace({inner->getOperand(0), fills ? 1U : 0U}, number);
      if (isNew || place->second == number)
        return WalkResult::advance();
      inner->emitOpError("expected a ring to be ")
          << (fills ? "filled" : "drained") << " in one role, got two"; // C4
      return WalkResult::interrupt();
    });
    if (walked.wasInterrupted())
      return failure();
  }
  return success();
}
