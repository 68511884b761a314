//===- Format.h - The constants of the wire format --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CUDA_TILE_LIB_BYTECODE_FORMAT_H
#define CUDA_TILE_LIB_BYTECODE_FORMAT_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <tuple>

namespace cuda_tile::bytecode {

constexpr uint8_t kMagic[8] = {0x7F, 'T', 'i', 'l', 'e', 'I', 'R', 0x00};
/// Padding byte of writers; readers accept any value.
constexpr uint8_t kPadding = 0xCB;
/// NVIDIA's writers pad the payload of the function section to a multiple of
/// this many bytes.
constexpr uint64_t kSectionPadding = 8;

/// Versions of this number, which only test builds have, add to 13.3.
constexpr uint8_t kTestMajor = 250;

/// Version of a file, or the first version that has some feature.
struct Version {
  uint8_t major = 0;
  uint8_t minor = 0;

  /// Whether files of version `a` have what version `b` brought.
  friend constexpr bool operator>=(Version a, Version b) {
    if (a.major == kTestMajor && b.major != kTestMajor)
      return Version{13, 3} >= b;
    if (b.major == kTestMajor && a.major != kTestMajor)
      return false;
    return a.major != b.major ? a.major > b.major : a.minor >= b.minor;
  }
  friend constexpr bool operator<(Version a, Version b) { return !(a >= b); }
  std::string str() const {
    return std::to_string(major) + "." + std::to_string(minor);
  }
};

constexpr Version kFirstVersion{13, 1};
constexpr Version kLastVersion{13, 5};
/// NVIDIA's open tools, whose messages ours repeat, end with this version.
constexpr Version kLastOpenVersion{13, 3};
constexpr Version kFirstNewerVersion{13, 4};

#ifdef CUDA_TILE_TESTING
/// ops/Testing.td has what they add.
constexpr Version kFirstTestVersion{kTestMajor, 0};
constexpr Version kLastTestVersion{kTestMajor, 1};
#endif // CUDA_TILE_TESTING

/// Whether files of `version` are supported.
constexpr bool isSupported(Version version) {
#ifdef CUDA_TILE_TESTING
  if (version >= kFirstTestVersion && kLastTestVersion >= version)
    return true;
#endif // CUDA_TILE_TESTING
  return version >= kFirstVersion && kLastVersion >= version;
}

/// Versions that changed the encoding of existing features.
/// partition_view: flags first.
constexpr Version kTypeFlagsVersion{13, 3};
/// ptr and tensor_view: flags first.
constexpr Version kPointerFlagsVersion{13, 4};
/// ptr and tensor_view: attributes other than none.
constexpr Version kPointerKindVersion{13, 5};
/// The kind of a multimem reduction as a self-contained attribute.
constexpr Version kMultimemReductionVersion{13, 5};
/// ftof: rounding modes other than nearest_even.
constexpr Version kConversionRoundingVersion{13, 4};
/// atomic_rmw_tko: addf of bf16.
constexpr Version kBF16AtomicsVersion{13, 3};
/// Entry: hints are always present, then attributes of the arguments.
/// Subprogram: flags.
constexpr Version kEntryAttributesVersion{13, 5};
/// Compilers before it refuse hints for the GPU "default".
constexpr Version kDefaultHintsVersion{13, 3};
constexpr Version kGlobalFlagsVersion{13, 3}; // global: visibility, constant

enum class SectionId : uint8_t {
  End = 0,
  String = 1,
  Function = 2,
  Debug = 3,
  Constant = 4,
  Type = 5,
  Global = 6,
  Producer = 7, // since 13.3
};
constexpr unsigned kNumSections = 8;
constexpr uint8_t kSectionHasAlignment = 0x80;

/// First numbers of what only files with preview content have.
constexpr uint64_t kFirstPreviewOpcode = 16386;
constexpr uint64_t kLastPreviewOpcode = 16388;
/// Whether `tag` is that of a preview type.
constexpr bool isPreviewType(uint64_t tag) { return tag >= 209 && tag <= 215; }
/// Whether `tag` is that of a preview attribute.
constexpr bool isPreviewAttribute(uint64_t tag) {
  return tag >= 209 && tag <= 228 && tag != 225;
}

/// Properties of a section, by id.
struct SectionInfo {
  llvm::StringLiteral name;
  unsigned alignment; // 0: none needed
  Version since;
};
constexpr SectionInfo kSections[kNumSections] = {
    {"end", 0, {13, 1}},    {"string", 4, {13, 1}},   {"function", 8, {13, 1}},
    {"debug", 8, {13, 1}},  {"constant", 8, {13, 1}}, {"type", 4, {13, 1}},
    {"global", 0, {13, 1}}, {"producer", 0, {13, 3}},
};

enum class TypeTag : uint64_t {
  I1 = 0,
  I8 = 1,
  I16 = 2,
  I32 = 3,
  I64 = 4,
  F16 = 5,
  BF16 = 6,
  F32 = 7,
  TF32 = 8,
  F64 = 9,
  F8E4M3FN = 10,
  F8E5M2 = 11,
  Pointer = 12,
  Tile = 13,
  TensorView = 14,
  PartitionView = 15,
  Function = 16,
  Token = 17,
  F8E8M0FNU = 18,
  F4E2M1FN = 19,
  GatherScatterView = 20,
  StridedView = 21,
  I4 = 22,
  F8E5M3FNU = 130,
#ifdef CUDA_TILE_TESTING
  BytecodeTestEvolved = 200,
#endif // CUDA_TILE_TESTING
};

enum class AttributeTag : uint64_t {
  Integer = 1,
  Float = 2,
  Bool = 3,
  Type = 4,
  String = 5,
  Array = 6,
  DenseElements = 7,
  DivBy = 8,
  SameElements = 9,
  Dictionary = 10,
  OptimizationHints = 11,
  Bounded = 12,
  MultimemReduction = 13, // since 13.5
#ifdef CUDA_TILE_TESTING
  BytecodeTestValue = 200, // since 250.1
#endif                     // CUDA_TILE_TESTING
};

enum class DebugTag : uint64_t {
  Unknown = 0,
  CompileUnit = 1,
  File = 2,
  LexicalBlock = 3,
  Loc = 4,
  Subprogram = 5,
  CallSite = 6,
};

/// Bit of the tag behind the version.
constexpr unsigned kTagIsPreview = 1;

/// Bits of a function's flag byte.
constexpr uint8_t kFunctionIsPrivate = 1;
constexpr uint8_t kFunctionIsEntry = 2;
constexpr uint8_t kFunctionHasHints = 4;  // before 13.5
constexpr uint8_t kFunctionIsExtern = 4;  // since 13.5: preview
constexpr uint8_t kFunctionIsTesting = 8; // of test builds, before 13.5

/// Limits on nesting, besides that of regions, so that a file cannot exhaust
/// the stack. Real files use less than a tenth of them.
constexpr unsigned kMaxAttributeDepth = 32;
constexpr unsigned kMaxTypeDepth = 16;
constexpr unsigned kMaxDebugDepth = 256;

} // namespace cuda_tile::bytecode

#endif // CUDA_TILE_LIB_BYTECODE_FORMAT_H
