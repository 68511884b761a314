//===- DebugPool.cpp - Writing the debug section --------------------------===//

#include "DebugInfo.h"
#include "cuda_tile/IR/CudaTile.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace cuda_tile::bytecode {

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// The position of the function or, if it has none, of the first op with one.
static FileLineColLoc findFirstPosition(Operation *function) {
  if (FileLineColLoc position = findPosition(function->getLoc()))
    return position;
  FileLineColLoc first;
  function->walk([&](Operation *op) {
    first = findPosition(op->getLoc());
    return first ? WalkResult::interrupt() : WalkResult::advance();
  });
  return first;
}

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
          .Case<NameLoc>([&](NameLoc named) {
            return addLocation(named.getChildLoc(), op);
          })
          .Case<FusedLoc>([&](FusedLoc fused) -> FailureOr<uint64_t> {
            // The first part with a position represents all.
            for (Location part : fused.getLocations())
              if (findPosition(part))
                return addLocation(part, op);
            return 0;
          })
          .Default([&](LocationAttr) -> FailureOr<uint64_t> {
            return op->emitError("unsupported location, got ")
                   << location << ", expected DILocAttr or CallSiteLoc";
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
    if (version >= kEntryAttributesVersion)
      record.writeVarint(0); // flags
  }
  return numbers[scope] = addRecord(record);
}

/// The scope of the function itself, or a subprogram of its name in a compile
/// unit of its file.
uint64_t DebugPool::getFunctionScope() {
  if (functionScope)
    return functionScope;
  DILocalScopeAttr scope = findScope(function->getLoc());
  if (!scope)
    scope = makeSubprogram(SymbolTable::getSymbolName(function),
                           findFirstPosition(function));
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
