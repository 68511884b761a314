//===- Mutator.cpp - Mutated bytecode files -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Mutator.h"
#include "Bytecode/Format.h"
#include "Bytecode/Output.h"
#include "Bytecode/Varint.h"
#include <optional>

namespace cuda_tile::fuzz {

using bytecode::Output;

namespace {

constexpr size_t kHeaderSize = 12;

struct Section {
  uint8_t id; // with the alignment flag
  uint64_t alignment = 0;
  Bytes payload;
};

std::optional<uint64_t> takeVarint(llvm::ArrayRef<uint8_t> &bytes) {
  uint64_t value;
  size_t length;
  if (bytecode::decodeVarint(bytes, value, length) !=
      bytecode::VarintStatus::Ok)
    return std::nullopt;
  bytes = bytes.drop_front(length);
  return value;
}

/// The sections of a file, up to the first error.
std::vector<Section> split(llvm::ArrayRef<uint8_t> file) {
  std::vector<Section> sections;
  llvm::ArrayRef<uint8_t> rest = file.drop_front(kHeaderSize);
  while (!rest.empty() && rest.front() != 0) {
    Section section{rest.front()};
    rest = rest.drop_front();
    std::optional<uint64_t> size = takeVarint(rest), alignment = 0;
    if (section.id & bytecode::kSectionHasAlignment)
      alignment = takeVarint(rest);
    if (!size || !alignment || *alignment > 64)
      break;
    section.alignment = *alignment;
    size_t position = rest.data() - file.data();
    size_t padding =
        *alignment ? (*alignment - position % *alignment) % *alignment : 0;
    if (*size > rest.size() || padding > rest.size() - *size)
      break;
    llvm::ArrayRef<uint8_t> payload = rest.slice(padding, *size);
    section.payload.assign(payload.begin(), payload.end());
    rest = rest.drop_front(padding + *size);
    sections.push_back(std::move(section));
  }
  return sections;
}

Bytes join(llvm::ArrayRef<uint8_t> header,
           const std::vector<Section> &sections) {
  Output out;
  out.writeBytes(header);
  for (const Section &section : sections) {
    out.writeByte(section.id);
    out.writeVarint(section.payload.size());
    if (section.id & bytecode::kSectionHasAlignment) {
      out.writeVarint(section.alignment);
      if (section.alignment)
        out.align(section.alignment);
    }
    out.writeBytes(section.payload);
  }
  out.writeByte(0);
  return Bytes(out.bytes().begin(), out.bytes().end());
}

/// Position and size of the varint with the size of the last function's body;
/// none if it is not found.
std::optional<std::pair<size_t, size_t>> findBodySize(const Bytes &payload) {
  for (size_t i = 1; i < payload.size(); ++i) {
    llvm::ArrayRef<uint8_t> rest = llvm::ArrayRef(payload).drop_front(i);
    std::optional<uint64_t> size = takeVarint(rest);
    if (size && *size == rest.size())
      return std::pair(i, payload.size() - i - rest.size());
  }
  return std::nullopt;
}

} // namespace

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

uint64_t Mutator::interestingNumber(uint64_t old) {
  switch (below(8)) {
  case 0:
    return old + 1;
  case 1:
    return old - 1;
  case 2:
    return below(16);
  case 3:
    return 0x7F + below(3);
  case 4:
    return (uint64_t(1) << below(64)) - below(2);
  case 5:
    return ~uint64_t(0) - below(2);
  case 6:
    return old * 2;
  default:
    return random();
  }
}

void Mutator::changeBytes(Bytes &bytes) {
  for (uint64_t i = 0, count = oneIn(4) ? 3 : 1; i < count; ++i) {
    uint8_t &byte = bytes[below(bytes.size())];
    byte = oneIn(2) ? byte ^ (1 << below(8))
                    : static_cast<uint8_t>(interestingNumber(byte));
  }
}

/// Replaces a possible varint by another one, which may be longer.
void Mutator::changeVarint(Bytes &bytes) {
  size_t position = below(bytes.size());
  llvm::ArrayRef<uint8_t> rest = llvm::ArrayRef(bytes).drop_front(position);
  std::optional<uint64_t> old = takeVarint(rest);
  if (!old)
    return changeBytes(bytes);
  Output varint;
  varint.writeVarint(interestingNumber(*old));
  auto begin = bytes.begin() + position;
  bytes.erase(begin, bytes.end() - rest.size());
  bytes.insert(bytes.begin() + position, varint.bytes().begin(),
               varint.bytes().end());
}

/// Changes four or eight aligned bytes: offsets, extents.
void Mutator::changeWord(Bytes &bytes) {
  size_t width = oneIn(2) ? 4 : 8;
  if (bytes.size() < width)
    return changeBytes(bytes);
  size_t position = below(bytes.size() / width) * width;
  uint64_t value = interestingNumber(bytes[position]);
  for (size_t i = 0; i < width; ++i)
    bytes[position + i] = static_cast<uint8_t>(value >> (8 * i));
}

/// Removes, repeats or moves a range.
void Mutator::changeSize(Bytes &bytes) {
  size_t begin = below(bytes.size());
  size_t size =
      1 + below(std::min<size_t>(bytes.size() - begin, oneIn(4) ? 64 : 8));
  Bytes part(bytes.begin() + begin, bytes.begin() + begin + size);
  uint64_t what = below(3);
  if (what != 0)
    bytes.erase(bytes.begin() + begin, bytes.begin() + begin + size);
  if (what != 1) {
    size_t position = below(bytes.size() + 1);
    bytes.insert(bytes.begin() + position, part.begin(), part.end());
  }
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

void Mutator::changePayload(Bytes &payload, bool isFunctions) {
  if (payload.empty())
    return;
  auto bodySize = isFunctions ? findBodySize(payload) : std::nullopt;
  Bytes body = payload;
  if (bodySize)
    body.erase(body.begin(), body.begin() + bodySize->first + bodySize->second);
  Bytes &target = bodySize && !body.empty() && !oneIn(4) ? body : payload;
  switch (below(4)) {
  case 0:
    changeBytes(target);
    break;
  case 1:
    changeVarint(target);
    break;
  case 2:
    changeWord(target);
    break;
  default:
    changeSize(target);
    break;
  }
  if (&target == &payload)
    return;
  Output varint;
  varint.writeVarint(body.size());
  payload.resize(bodySize->first);
  payload.insert(payload.end(), varint.bytes().begin(), varint.bytes().end());
  payload.insert(payload.end(), body.begin(), body.end());
}

Bytes Mutator::mutate(llvm::ArrayRef<uint8_t> file,
                      llvm::ArrayRef<uint8_t> other) {
  Bytes raw(file.begin(), file.end());
  std::vector<Section> sections;
  if (file.size() > kHeaderSize)
    sections = split(file);
  if (sections.empty() || oneIn(16)) {
    if (raw.empty())
      raw.push_back(0);
    oneIn(2) ? changeSize(raw) : changeVarint(raw);
    return raw;
  }
  Bytes header(raw.begin(), raw.begin() + kHeaderSize);
  if (oneIn(16))
    header[9] = static_cast<uint8_t>(1 + below(6)); // another version
  for (uint64_t i = 0, count = oneIn(4) ? 3 : 1; i < count; ++i) {
    Section &section = sections[below(sections.size())];
    uint8_t id = section.id & ~bytecode::kSectionHasAlignment;
    changePayload(section.payload,
                  id == static_cast<uint8_t>(bytecode::SectionId::Function));
  }
  if (oneIn(8) && other.size() > kHeaderSize) {
    // Replaces a section by one of another file.
    std::vector<Section> foreign = split(other);
    if (!foreign.empty()) {
      Section &taken = foreign[below(foreign.size())];
      for (Section &section : sections)
        if (section.id == taken.id)
          section.payload = taken.payload;
    }
  }
  if (oneIn(32))
    std::swap(sections[below(sections.size())],
              sections[below(sections.size())]);
  if (oneIn(64))
    sections.push_back(sections[below(sections.size())]);
  if (oneIn(64))
    sections.erase(sections.begin() + below(sections.size()));
  return join(header, sections);
}

} // namespace cuda_tile::fuzz
