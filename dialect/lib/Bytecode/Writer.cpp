//===- Writer.cpp - Writing a file ----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the sections in the order of cuTile's files. Functions come first:
// they fill the tables of the other sections.
//
//===----------------------------------------------------------------------===//

#include "Functions.h"
#include "Globals.h"
#include "Producer.h"
#include "cuda_tile/Bytecode/Bytecode.h"
#include "cuda_tile/IR/CudaTile.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace cuda_tile {
namespace bytecode {
namespace {

/// Writes one file.
class FileWriter {
public:
  FileWriter(::cuda_tile::ModuleOp module, Version version,
             BytecodeLocations locations)
      : module(module), pools(module.getContext(), version, locations) {}

  LogicalResult write(uint16_t versionTag);
  ArrayRef<uint8_t> bytes() const { return file.bytes(); }

private:
  Block &body() { return module.getBody().front(); }
  void writeHeader(uint16_t versionTag);
  void writeSection(SectionId id, const Output &payload);
  LogicalResult writeTables();
  void writeProducerSection();

  ::cuda_tile::ModuleOp module;
  Pools pools;
  Output file;
};

} // namespace

//===----------------------------------------------------------------------===//
// Restrictions of versions
//===----------------------------------------------------------------------===//

/// Fails with a remark that names `op` and an error at the module that says
/// why.
static LogicalResult refuse(Operation *op, const Twine &why) {
  op->emitRemark("invalid op: ") << op->getName();
  return op->getParentOfType<::cuda_tile::ModuleOp>().emitOpError(why);
}

/// Compilers before 13.3 refuse the atomic addition of bf16. Later ones accept
/// it in older files too, and so does the reader.
static LogicalResult checkAtomic(Operation *op, Version version) {
  auto atomic = dyn_cast<AtomicRMWTkoOp>(op);
  if (!atomic || version >= kBF16AtomicsVersion ||
      atomic.getMode() != AtomicRMWMode::ADDF ||
      !atomic.getArg().getType().getElementType().isBF16())
    return success();
  return op->emitError("mode 'addf' of bf16 requires bytecode version ")
         << kBF16AtomicsVersion.str() << "+, but targeting " << version.str();
}

static LogicalResult checkModule(::cuda_tile::ModuleOp module,
                                 Version version) {
  if (module.getBody().empty())
    return module.emitError("module has no body.");
  for (Operation &op : module.getBody().front())
    if (!isa<GlobalOp, FunctionOpInterface>(op))
      return refuse(&op,
                    "only function and global ops are allowed in the body");
  StringRef dialect = CudaTileDialect::getDialectNamespace();
  WalkResult result = module.getBody().walk([&](Operation *op) -> WalkResult {
    if (op->getName().getDialectNamespace() != dialect)
      return refuse(op,
                    "only ops from the '" + dialect + "' dialect are allowed");
    if (failed(checkRounding(op, version, "but targeting")) ||
        failed(checkAtomic(op, version)))
      return WalkResult::interrupt();
    // The body of a reduction is pure.
    if (isa<ReduceOp, ScanOp>(op->getParentOp()) && !mayCombine(op))
      return refuse(op, "only pure operations allowed");
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

void FileWriter::writeHeader(uint16_t versionTag) {
  file.writeBytes(kMagic);
  file.writeByte(pools.version.major);
  file.writeByte(pools.version.minor);
  file.writeFixed(versionTag);
}

void FileWriter::writeSection(SectionId id, const Output &payload) {
  unsigned alignment = kSections[static_cast<size_t>(id)].alignment;
  file.writeByte(static_cast<uint8_t>(id) |
                 (alignment ? kSectionHasAlignment : 0));
  file.writeVarint(payload.size());
  if (alignment) {
    file.writeVarint(alignment);
    file.align(alignment);
  }
  file.writeBytes(payload.bytes());
}

LogicalResult FileWriter::writeTables() {
  auto writeTable = [&](SectionId id, const auto &table) -> LogicalResult {
    Output payload;
    if (failed(table.write(payload)))
      return module.emitError("expected a ")
             << kSections[static_cast<size_t>(id)].name
             << " section of less than 4 GiB";
    writeSection(id, payload);
    return success();
  };
  if (failed(writeTable(SectionId::Constant, pools.constants)))
    return failure();
  if (!pools.debug.empty() && failed(writeTable(SectionId::Debug, pools.debug)))
    return failure();
  if (failed(writeTable(SectionId::Type, pools.types)))
    return failure();
  writeProducerSection();
  return writeTable(SectionId::String, pools.strings);
}

/// Producer and module name do not affect the program, so versions without the
/// section drop them.
void FileWriter::writeProducerSection() {
  Producer producer;
  producer.module = module.getSymName().str();
  producer.producer = module.getProducer().value_or("").str();
  SectionId id = SectionId::Producer;
  if (pools.version < kSections[static_cast<size_t>(id)].since ||
      !isProducerNeeded(producer))
    return;
  Output payload;
  writeProducer(producer, pools.strings, payload);
  writeSection(id, payload);
}

LogicalResult FileWriter::write(uint16_t versionTag) {
  writeHeader(versionTag);
  Output globals, functions;
  if (failed(checkModule(module, pools.version)) || failed(verify(module)) ||
      failed(writeFunctions(body(), pools, functions)) ||
      failed(writeGlobals(body(), pools, globals)))
    return failure();
  writeSection(SectionId::Function, functions);
  if (globals.size() > 0)
    writeSection(SectionId::Global, globals);
  if (failed(writeTables()))
    return failure();
  file.writeByte(static_cast<uint8_t>(SectionId::End));
  return success();
}

} // namespace bytecode

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

std::string BytecodeVersion::str() const {
  std::string text = std::to_string(major) + "." + std::to_string(minor);
  return tag ? text + "." + std::to_string(tag) : text;
}

bool BytecodeVersion::isSupported() const {
  // Other tags mean content that this library does not have.
  return tag == 0 && bytecode::isSupported({major, minor});
}

std::optional<BytecodeVersion> BytecodeVersion::parse(StringRef text) {
  SmallVector<StringRef> parts;
  text.split(parts, '.');
  BytecodeVersion version;
  if (parts.size() < 2 || parts.size() > 3 ||
      parts[0].getAsInteger(10, version.major) ||
      parts[1].getAsInteger(10, version.minor) ||
      (parts.size() == 3 && parts[2].getAsInteger(10, version.tag)))
    return std::nullopt;
  return version;
}

SmallVector<BytecodeVersion> getBytecodeVersions() {
  SmallVector<BytecodeVersion> versions;
  for (uint8_t minor = bytecode::kFirstVersion.minor;
       minor <= bytecode::kLastVersion.minor; ++minor)
    versions.push_back({bytecode::kFirstVersion.major, minor});
  return versions;
}

void printBytecodeVersions(raw_ostream &os) {
  auto print = [&](bytecode::Version first, bytecode::Version last) {
    for (uint8_t minor = first.minor; minor <= last.minor; ++minor)
      os << bytecode::Version{first.major, minor}.str() << "\n";
  };
  print(bytecode::kFirstVersion, bytecode::kLastOpenVersion);
#ifdef CUDA_TILE_TESTING
  print(bytecode::kFirstTestVersion, bytecode::kLastTestVersion);
#endif // CUDA_TILE_TESTING
  print(bytecode::kFirstNewerVersion, bytecode::kLastVersion);
}

LogicalResult writeBytecode(raw_ostream &os, ::cuda_tile::ModuleOp module,
                            BytecodeVersion version,
                            BytecodeLocations locations) {
  if (!version.isSupported())
    return module.emitError("unsupported version requested ")
           << version.str() << ", must be in range ["
           << bytecode::kFirstVersion.str() << ", "
           << bytecode::kLastOpenVersion.str() << "], or newer ["
           << bytecode::kFirstNewerVersion.str() << ", "
           << bytecode::kLastVersion.str() << "]";
  bytecode::FileWriter writer(module, {version.major, version.minor},
                              locations);
  if (failed(writer.write(version.tag)))
    return failure();
  os << llvm::toStringRef(writer.bytes());
  return success();
}

::cuda_tile::ModuleOp findTileModule(Operation *op) {
  if (auto module = dyn_cast<::cuda_tile::ModuleOp>(op))
    return module;
  auto outer = dyn_cast<::mlir::ModuleOp>(op);
  if (!outer) {
    op->emitError("expected a CUDA Tile IR module, but got a ")
        << op->getName();
    return {};
  }
  auto modules = outer.getOps<::cuda_tile::ModuleOp>();
  if (llvm::hasSingleElement(modules) &&
      llvm::hasSingleElement(*outer.getBody()))
    return *modules.begin();
  outer.emitError("expected a single CUDA Tile IR module in the MLIR module");
  return {};
}

} // namespace cuda_tile
