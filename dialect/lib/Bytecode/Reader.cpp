//===- Reader.cpp - The file as a whole -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// magic, major version, minor version, tag (u16), sections. A section is its id
// (bit 7: has alignment), the size of its payload, the alignment and padding if
// it has one, the payload. The end section is a single byte, the last of the
// file.
//
//===----------------------------------------------------------------------===//

#include "Functions.h"
#include "Globals.h"
#include "Producer.h"
#include "cuda_tile/Bytecode/Bytecode.h"
#include "cuda_tile/IR/CudaTile.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace cuda_tile {
namespace bytecode {
namespace {

/// Reads one file.
class FileReader {
public:
  FileReader(ArrayRef<uint8_t> file, StringRef name, MLIRContext *context,
             BytecodeReading reading, Trace *trace = nullptr)
      : diagnostics(context, name, reading == BytecodeReading::Strict, trace),
        file(file) {}

  OwningOpRef<::mlir::ModuleOp> read();

private:
  LogicalResult readHeader(Cursor &cursor, Version &version);
  LogicalResult checkTag(uint64_t start, Version version, unsigned tag);
  LogicalResult readSections(Cursor &cursor, Version version);
  LogicalResult readSectionHeader(Cursor &cursor, Version version, bool &isEnd);
  LogicalResult addSection(Cursor section, uint64_t id, uint64_t start);
  LogicalResult checkAlignment(const Cursor &cursor, uint64_t start,
                               const SectionInfo &info,
                               std::optional<uint64_t> alignment);
  LogicalResult readTables(Tables &tables);
  LogicalResult readModule(Tables &tables, OperationState &state);

  /// Runs `read` with a cursor over section `id`, if the file has this section.
  template <typename Read> LogicalResult withSection(SectionId id, Read read) {
    std::optional<Cursor> &section = sections[static_cast<size_t>(id)];
    if (!section)
      return success();
    std::string name =
        (kSections[static_cast<size_t>(id)].name + " section").str();
    Place place(diagnostics, name);
    return read(*section);
  }

  Diagnostics diagnostics;
  ArrayRef<uint8_t> file;
  std::optional<Cursor> sections[kNumSections];
};

} // namespace

//===----------------------------------------------------------------------===//
// Header and sections
//===----------------------------------------------------------------------===//

LogicalResult FileReader::readHeader(Cursor &cursor, Version &version) {
  for (auto [position, expected] : llvm::enumerate(kMagic)) {
    uint64_t byte;
    if (failed(cursor.readByte(byte, "magic number")))
      return failure();
    if (byte != expected)
      return diagnostics.error(position, "invalid magic number at position " +
                                             Twine(position) + ", got " +
                                             Twine(byte) + " expected " +
                                             Twine(unsigned(expected)));
  }
  uint64_t start = cursor.offset(), major, minor;
  ArrayRef<uint8_t> tag;
  if (failed(cursor.readByte(major, "major version")) ||
      failed(cursor.readByte(minor, "minor version")) ||
      failed(cursor.readBytes(tag, 2, "version tag")))
    return failure();
  version = {static_cast<uint8_t>(major), static_cast<uint8_t>(minor)};
  if (!isSupported(version))
    return diagnostics.error(
        start, "unsupported Tile version " + version.str() + "." +
                   Twine(tag[0] | tag[1] << 8) +
                   ", this reader supports versions [" + kFirstVersion.str() +
                   " - " + kLastOpenVersion.str() + "], and newer [" +
                   kFirstNewerVersion.str() + " - " + kLastVersion.str() + "]");
  return checkTag(start + 2, version, tag[0] | tag[1] << 8);
}

/// Bit 0 says that the file has preview content, which is in development.
LogicalResult FileReader::checkTag(uint64_t start, Version version,
                                   unsigned tag) {
  unsigned unknown = tag & ~kTagIsPreview;
  if (unknown)
    return diagnostics.error(start,
                             "header has unrecognized version tag bits (0x" +
                                 Twine::utohexstr(unknown) + ");");
  if (tag == 0)
    return success();
  if (version < kLastVersion)
    return diagnostics.error(
        start, "public-preview bytecode at version " + version.str() + "." +
                   Twine(tag) +
                   " is not readable; preview content is only valid at the "
                   "current version " +
                   kLastVersion.str());
  return diagnostics.error(start,
                           "public-preview bytecode requires at least one "
                           "enabled preview feature; this reader has none");
}

LogicalResult FileReader::checkAlignment(const Cursor &cursor, uint64_t start,
                                         const SectionInfo &info,
                                         std::optional<uint64_t> alignment) {
  if (alignment && !llvm::isPowerOf2_64(*alignment))
    return diagnostics.error(start,
                             "invalid alignment value: " + Twine(*alignment) +
                                 "; expected a power of two");
  if (info.alignment == 0 || (alignment && *alignment >= info.alignment))
    return success();
  return diagnostics.error(
      start, "section " + info.name +
                 " must have alignment that is a multiple of " +
                 Twine(info.alignment) + " bytes, but has " +
                 (alignment ? "alignment of " + Twine(*alignment).str()
                            : std::string("no alignment flag set")));
}

LogicalResult FileReader::readSectionHeader(Cursor &cursor, Version version,
                                            bool &isEnd) {
  uint64_t start = cursor.offset();
  if (cursor.remaining() == 0)
    return cursor.error("unexpected end of data while reading section header; "
                        "expected the end section");
  uint64_t idByte;
  if (failed(cursor.readByte(idByte, "section ID and alignment flag")))
    return failure();
  uint64_t id = idByte & ~uint64_t(kSectionHasAlignment);
  bool hasAlignment = idByte & kSectionHasAlignment;
  if (id >= kNumSections || version < kSections[id].since)
    return diagnostics.error(start, "unknown section ID: " + Twine(id) +
                                        " in bytecode version " +
                                        version.str());
  diagnostics.explain(start, kSections[id].name + " section");
  isEnd = id == static_cast<uint64_t>(SectionId::End);
  if (isEnd && hasAlignment)
    return diagnostics.error(start,
                             "end section should not have alignment flag set");
  if (isEnd && cursor.remaining() > 0)
    return cursor.error("end section is not the last section");
  if (isEnd)
    return success();

  const SectionInfo &info = kSections[id];
  std::string name = (info.name + " section").str();
  Place place(diagnostics, name);
  uint64_t lengthStart = cursor.offset(), length, alignment;
  if (failed(cursor.readVarint(length, "section length")) ||
      (hasAlignment &&
       failed(cursor.readVarint(alignment, "section alignment"))) ||
      failed(checkAlignment(cursor, start, info,
                            hasAlignment ? std::optional(alignment)
                                         : std::nullopt)) ||
      (hasAlignment && failed(cursor.align(alignment, "section"))))
    return failure();
  if (length > cursor.remaining())
    return diagnostics.error(lengthStart, "section length " + Twine(length) +
                                              " exceeds remaining data size " +
                                              Twine(cursor.remaining()));
  return addSection(cursor.slice(length), id, start);
}

/// The content of a section that comes twice is known if both are equal.
LogicalResult FileReader::addSection(Cursor section, uint64_t id,
                                     uint64_t start) {
  auto bytesOf = [&](const Cursor &payload) {
    return file.slice(payload.offset(), payload.remaining());
  };
  std::optional<Cursor> &known = sections[id];
  std::string message =
      ("expected one " + kSections[id].name + " section, got a second one")
          .str();
  if (known && bytesOf(*known) != bytesOf(section))
    return diagnostics.error(start, message);
  if (known)
    return diagnostics.warnUnlessStrict(start, message, "they are equal");
  known = section;
  return success();
}

LogicalResult FileReader::readSections(Cursor &cursor, Version version) {
  for (bool isEnd = false; !isEnd;)
    if (failed(readSectionHeader(cursor, version, isEnd)))
      return failure();
  for (SectionId id : {SectionId::String, SectionId::Function})
    if (!sections[static_cast<size_t>(id)])
      return cursor.error(kSections[static_cast<size_t>(id)].name +
                          " section is mandatory");
  return success();
}

//===----------------------------------------------------------------------===//
// Payloads
//===----------------------------------------------------------------------===//

/// Reads the tables in the order of their dependences.
LogicalResult FileReader::readTables(Tables &tables) {
  return failure(failed(withSection(SectionId::String,
                                    [&](Cursor section) {
                                      return tables.strings.read(section);
                                    })) ||
                 failed(withSection(SectionId::Type,
                                    [&](Cursor section) {
                                      return tables.types.read(section);
                                    })) ||
                 failed(withSection(SectionId::Constant,
                                    [&](Cursor section) {
                                      return tables.constants.read(section);
                                    })) ||
                 failed(withSection(SectionId::Debug, [&](Cursor section) {
                   return tables.debug.read(section);
                 })));
}

LogicalResult FileReader::readModule(Tables &tables, OperationState &state) {
  Producer producer;
  if (failed(withSection(SectionId::Producer, [&](Cursor section) {
        return readProducer(section, tables.strings, producer);
      })))
    return failure();
  MLIRContext *context = diagnostics.getContext();
  state.addAttribute("sym_name", StringAttr::get(context, producer.module));
  if (!producer.producer.empty())
    state.addAttribute("producer", StringAttr::get(context, producer.producer));
  Block &body = state.addRegion()->emplaceBlock();
  return failure(failed(withSection(SectionId::Global,
                                    [&](Cursor section) {
                                      return readGlobals(section, tables, body);
                                    })) ||
                 failed(withSection(SectionId::Function, [&](Cursor section) {
                   return readFunctions(section, tables, body);
                 })));
}

/// cuTile writes floor division of unsigned integers, which is truncation, with
/// a rounding mode that the verifier refuses.
static void truncateUnsignedDivisions(Operation *root) {
  root->walk([](DivIOp op) {
    if (op.getSignedness() == Signedness::Unsigned &&
        op.getRounding() == RoundingMode::NEGATIVE_INF)
      op.setRounding(RoundingMode::ZERO);
  });
}

/// Compilers since 13.4 write any rounding mode for a conversion that does not
/// round.
static void dropRoundingOfExactConversions(Operation *root) {
  root->walk([](FToFOp op) {
    auto element = [](Value value) {
      auto tile = dyn_cast<TileType>(value.getType());
      return tile ? dyn_cast<FloatType>(tile.getElementType()) : FloatType();
    };
    // Nothing is verified yet: the typed accessors want tiles.
    FloatType from = element(op->getOperand(0)), to = element(op->getResult(0));
    if (from && to && from != to && isExactConversion(from, to) &&
        op.getRoundingMode() <= RoundingMode::NEAREST_AWAY)
      op.setRoundingMode(RoundingMode::NEAREST_EVEN);
  });
}

/// Runs the verifier, and rejects what `version` does not have.
static LogicalResult verifyContents(Operation *root, Version version) {
  if (failed(verify(root)))
    return failure();
  return failure(root->walk([&](Operation *op) -> WalkResult {
                       return checkRounding(op, version, "file version is");
                     })
                     .wasInterrupted());
}

OwningOpRef<::mlir::ModuleOp> FileReader::read() {
  Cursor cursor(diagnostics, file, 0, file.size());
  Version version;
  if (failed(readHeader(cursor, version)) ||
      failed(readSections(cursor, version)))
    return {};
  Tables tables(version);
  Location location = UnknownLoc::get(diagnostics.getContext());
  OperationState state(location, ::cuda_tile::ModuleOp::getOperationName());
  if (failed(readTables(tables)) || failed(readModule(tables, state)) ||
      failed(withSection(SectionId::String,
                         [&](Cursor) { return tables.strings.readRest(); })))
    return {};

  OwningOpRef<::mlir::ModuleOp> result(::mlir::ModuleOp::create(location));
  result->getBody()->push_back(Operation::create(state));
  truncateUnsignedDivisions(result.get());
  if (version >= kConversionRoundingVersion)
    dropRoundingOfExactConversions(result.get());
  if (failed(verifyContents(result.get(), version))) {
    (void)diagnostics.error(
        file.size(),
        "verification failed for deserialized cuda_tile::ModuleOp");
    return {};
  }
  return result;
}

} // namespace bytecode

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

bool isBytecode(StringRef data) {
  return data.starts_with(
      StringRef(reinterpret_cast<const char *>(bytecode::kMagic),
                sizeof(bytecode::kMagic)));
}

static ArrayRef<uint8_t> getBytes(llvm::MemoryBufferRef buffer) {
  return {reinterpret_cast<const uint8_t *>(buffer.getBufferStart()),
          buffer.getBufferSize()};
}

OwningOpRef<::mlir::ModuleOp> readBytecode(llvm::MemoryBufferRef buffer,
                                           MLIRContext *context,
                                           BytecodeReading reading) {
  context->getOrLoadDialect<CudaTileDialect>();
  return bytecode::FileReader(getBytes(buffer), buffer.getBufferIdentifier(),
                              context, reading)
      .read();
}

LogicalResult dumpBytecode(llvm::MemoryBufferRef buffer, MLIRContext *context,
                           raw_ostream &os, BytecodeReading reading) {
  context->getOrLoadDialect<CudaTileDialect>();
  ArrayRef<uint8_t> file = getBytes(buffer);
  bytecode::Trace trace;
  OwningOpRef<::mlir::ModuleOp> module =
      bytecode::FileReader(file, buffer.getBufferIdentifier(), context, reading,
                           &trace)
          .read();
  trace.print(os, file);
  return success(static_cast<bool>(module));
}

} // namespace cuda_tile
