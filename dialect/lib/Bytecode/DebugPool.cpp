//===- DebugPool.cpp - Writing the debug section --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DebugInfo.h"
#include "cuda_tile/IR/CudaTile.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace cuda_tile::bytecode {

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

FailureOr<uint64_t> DebugPool::beginFunction(Operation *newFunction) {
  function = newFunction;
  functionScope = 0;
  numbers.clear();
  WalkResult known = function->walk([](Operation *op) {
    return isa<UnknownLoc>(op->getLoc()) ? WalkResult::advance()
                                         : WalkResult::interrupt();
  });
  hasLocations = known.wasInterrupted();
  if (!hasLocations)
    return 0;
  starts.push_back(locations.size());
  if (failed(add(function->getLoc(), function)))
    return failure();
  return starts.size();
}

LogicalResult DebugPool::add(Location location, Operation *op) {
  if (!hasLocations)
    return success();
  FailureOr<uint64_t> number = addLocation(location, op);
  if (failed(number))
    return failure();
  locations.push_back(*number);
  return success();
}

//===----------------------------------------------------------------------===//
// Locations
//===----------------------------------------------------------------------===//

/// Names the kind of location, as `NameLoc`.
static LogicalResult refuseLocation(Operation *op, LocationAttr location) {
  StringRef name = location.getAbstractAttribute().getName();
  auto kind = llvm::TypeSwitch<LocationAttr, StringRef>(location)
                  .Case<NameLoc>([](auto) { return "NameLoc"; })
                  .Case<FusedLoc>([](auto) { return "FusedLoc"; })
                  .Case<OpaqueLoc>([](auto) { return "OpaqueLoc"; })
                  .Default(name);
  return op->emitError("unsupported location, got ")
         << kind << ", expected DILocAttr or CallSiteLoc";
}

FailureOr<uint64_t> DebugPool::addLocation(LocationAttr location,
                                           Operation *op) {
  auto known = numbers.find(location);
  if (known != numbers.end())
    return known->second;
  auto number =
      llvm::TypeSwitch<LocationAttr, FailureOr<uint64_t>>(location)
          .Case<UnknownLoc>([](UnknownLoc) { return 0; })
          .Case<DILocAttr>([&](DILocAttr scoped) {
            uint64_t scope = addScope(scoped.getScope());
            return addPosition(scoped.getSourceLoc(), scope);
          })
          .Case<FileLineColLoc>([&](FileLineColLoc position) {
            return addPosition(position, getFunctionScope());
          })
          .Case<CallSiteLoc>([&](CallSiteLoc site) -> FailureOr<uint64_t> {
            FailureOr<uint64_t> callee = addLocation(site.getCallee(), op),
                                caller = addLocation(site.getCaller(), op);
            if (failed(callee) || failed(caller))
              return failure();
            Output record;
            record.writeVarint(static_cast<uint64_t>(DebugTag::CallSite));
            record.writeVarint(*callee);
            record.writeVarint(*caller);
            return addRecord(record);
          })
          .Case<NameLoc>([&](NameLoc named) -> FailureOr<uint64_t> {
            if (kinds == BytecodeLocations::Strict)
              return refuseLocation(op, named);
            return addLocation(named.getChildLoc(), op);
          })
          .Case<FusedLoc>([&](FusedLoc fused) -> FailureOr<uint64_t> {
            if (kinds == BytecodeLocations::Strict)
              return refuseLocation(op, fused);
            // The first part with a position represents all.
            for (Location part : fused.getLocations())
              if (findPosition(part))
                return addLocation(part, op);
            return 0;
          })
          .Default([&](LocationAttr) -> FailureOr<uint64_t> {
            return refuseLocation(op, location);
          });
  if (succeeded(number))
    numbers[location] = *number;
  return number;
}

uint64_t DebugPool::addPosition(FileLineColLoc position, uint64_t scope) {
  Output record;
  record.writeVarint(static_cast<uint64_t>(DebugTag::Loc));
  record.writeVarint(scope);
  record.writeVarint(strings.add(position.getFilename()));
  record.writeVarint(position.getLine());
  record.writeVarint(position.getColumn());
  return addRecord(record);
}

//===----------------------------------------------------------------------===//
// Scopes
//===----------------------------------------------------------------------===//

uint64_t DebugPool::addFile(DIFileAttr file) {
  Output record;
  record.writeVarint(static_cast<uint64_t>(DebugTag::File));
  record.writeVarint(strings.add(file.getName()));
  record.writeVarint(strings.add(file.getDirectory()));
  return addRecord(record);
}

uint64_t DebugPool::addCompileUnit(DICompileUnitAttr unit) {
  Output record;
  record.writeVarint(static_cast<uint64_t>(DebugTag::CompileUnit));
  record.writeVarint(addFile(unit.getFile()));
  return addRecord(record);
}

uint64_t DebugPool::addScope(DILocalScopeAttr scope) {
  auto known = numbers.find(scope);
  if (known != numbers.end())
    return known->second;
  Output record;
  if (auto block = dyn_cast<DILexicalBlockAttr>(scope)) {
    record.writeVarint(static_cast<uint64_t>(DebugTag::LexicalBlock));
    record.writeVarint(addScope(block.getScope()));
    record.writeVarint(addFile(block.getFile()));
    record.writeVarint(block.getLine());
    record.writeVarint(block.getColumn());
  } else {
    auto subprogram = cast<DISubprogramAttr>(scope);
    record.writeVarint(static_cast<uint64_t>(DebugTag::Subprogram));
    uint64_t file = addFile(subprogram.getFile());
    uint64_t unit = addCompileUnit(subprogram.getCompileUnit());
    record.writeVarint(file);
    record.writeVarint(subprogram.getLine());
    record.writeVarint(strings.add(subprogram.getName()));
    record.writeVarint(strings.add(subprogram.getLinkageName()));
    record.writeVarint(unit);
    record.writeVarint(subprogram.getScopeLine());
    // Older versions drop the flags, which do not affect the program.
    if (version >= kEntryAttributesVersion)
      record.writeVarint(static_cast<uint64_t>(subprogram.getFlags()));
  }
  return numbers[scope] = addRecord(record);
}

/// The scope of the function itself, or a subprogram of its name in a compile
/// unit of its file.
uint64_t DebugPool::getFunctionScope() {
  if (functionScope)
    return functionScope;
  DILocalScopeAttr scope = findScope(function->getLoc());
  FileLineColLoc position = findPosition(function->getLoc());
  if (!scope && !position)
    return 0;
  if (!scope)
    scope = makeSubprogram(SymbolTable::getSymbolName(function), position);
  return functionScope = addScope(scope);
}

uint64_t DebugPool::addRecord(const Output &record) {
  // Records are numbered from 1.
  auto [number, isNew] =
      numbersByRecord.try_emplace(record.str(), entries.size() + 1);
  if (isNew)
    entries.add(record.bytes());
  return number->second;
}

//===----------------------------------------------------------------------===//
// The section
//===----------------------------------------------------------------------===//

LogicalResult DebugPool::write(Output &out) const {
  out.writeVarint(starts.size());
  out.align(4);
  for (uint32_t start : starts)
    out.writeFixed(start);
  out.writeVarint(locations.size());
  out.align(8);
  for (uint64_t location : locations)
    out.writeFixed(location);
  return success(entries.write<uint32_t>(out));
}

} // namespace cuda_tile::bytecode
