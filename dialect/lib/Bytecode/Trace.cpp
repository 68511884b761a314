//===- Trace.cpp - Records the reads of a file ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Trace.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

namespace cuda_tile::bytecode {

//===----------------------------------------------------------------------===//
// Recording
//===----------------------------------------------------------------------===//

int Trace::addPlace(int outer, llvm::StringRef kind,
                    std::optional<uint64_t> index, llvm::StringRef name) {
  // The header of a section and its payload are read at different times.
  auto key = std::make_tuple(outer, kind.str(), index.value_or(~uint64_t(0)),
                             index ? std::string() : name.str());
  auto [place, isNew] = known.try_emplace(key, static_cast<int>(places.size()));
  if (isNew)
    places.push_back({outer, kind.str(), index, name.str(),
                      outer == kNoPlace ? 0 : places[outer].depth + 1});
  return place->second;
}

void Trace::setPlaceName(int place, llvm::StringRef name) {
  places[place].name = name.str();
}

void Trace::addRead(int place, uint64_t offset, uint64_t size,
                    std::string field, std::string value) {
  // Fields are named as errors name them, some of which are sentences.
  while (llvm::StringRef(field).ends_with("."))
    field.pop_back();
  reads.push_back(
      {place, offset, size, std::move(field), std::move(value), {}});
}

void Trace::explain(uint64_t offset, std::string meaning) {
  for (Read &read : llvm::reverse(reads))
    if (read.offset == offset) {
      read.meaning = std::move(meaning);
      return;
    }
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

/// Sorts outer reads before their parts and merges reads of the same bytes,
/// keeping the value if one of them has one.
llvm::SmallVector<const Trace::Read *> Trace::inFileOrder() const {
  llvm::SmallVector<const Read *> sorted;
  for (const Read &read : reads)
    sorted.push_back(&read);
  auto order = [](const Read *read) {
    return std::make_tuple(read->offset, ~read->size);
  };
  llvm::stable_sort(sorted, [&](const Read *left, const Read *right) {
    return order(left) < order(right);
  });
  llvm::SmallVector<const Read *> unique;
  for (const Read *read : sorted) {
    if (unique.empty() || order(unique.back()) != order(read))
      unique.push_back(read);
    else if (unique.back()->value.empty())
      unique.back() = read->value.empty() ? unique.back() : read;
  }
  return unique;
}

class Trace::Printer {
public:
  Printer(const Trace &trace, llvm::raw_ostream &os,
          llvm::ArrayRef<uint8_t> file)
      : trace(trace), os(os), file(file) {}

  void print(const Read &read, bool hasParts);
  /// Prints the bytes from `position` to `end`, which were not read.
  void printGap(uint64_t end);

private:
  static constexpr unsigned kBytesPerLine = 8;
  static constexpr unsigned kMaxLines = 4;

  unsigned indent(int place) const {
    return place == kNoPlace ? 0 : trace.places[place].depth + 1;
  }
  void printHeadings(int place);
  void printLine(uint64_t offset, uint64_t size, unsigned depth,
                 llvm::StringRef text);

  const Trace &trace;
  llvm::raw_ostream &os;
  llvm::ArrayRef<uint8_t> file;
  int current = kNoPlace;
  uint64_t position = 0;
};

/// Prints an offset, up to eight bytes, and their meaning.
void Trace::Printer::printLine(uint64_t offset, uint64_t size, unsigned depth,
                               llvm::StringRef text) {
  os << llvm::format_hex_no_prefix(offset, 6) << "  ";
  for (unsigned i = 0; i < kBytesPerLine; ++i)
    if (i < size)
      os << llvm::format_hex_no_prefix(file[offset + i], 2) << " ";
    else if (!text.empty())
      os << "   ";
  if (!text.empty())
    os.indent(1 + 2 * depth) << text;
  os << "\n";
}

/// Prints the enclosing places of `place` that the last one did not have.
void Trace::Printer::printHeadings(int place) {
  if (place == current)
    return;
  llvm::SmallVector<int> last, chain;
  for (int i = current; i != kNoPlace; i = trace.places[i].outer)
    last.push_back(i);
  for (int i = place; i != kNoPlace && !llvm::is_contained(last, i);
       i = trace.places[i].outer)
    chain.push_back(i);
  for (int i : llvm::reverse(chain)) {
    const PlaceNode &node = trace.places[i];
    os.indent(8 + 3 * kBytesPerLine + 1 + 2 * node.depth) << node.kind;
    if (node.index)
      os << " " << *node.index;
    if (!node.name.empty())
      os << " " << node.name;
    os << "\n";
  }
  current = place;
}

void Trace::Printer::printGap(uint64_t end) {
  if (end > position)
    printLine(position, std::min<uint64_t>(end - position, kBytesPerLine), 0,
              "(" + std::to_string(end - position) + " bytes not read)");
  position = std::max(position, end);
}

void Trace::Printer::print(const Read &read, bool hasParts) {
  printGap(read.offset);
  printHeadings(read.place);
  std::string text = read.field;
  if (!read.value.empty())
    text += ": " + read.value;
  else if (read.size > kBytesPerLine)
    text += ": " + std::to_string(read.size) + " bytes";
  if (!read.meaning.empty())
    text += " = " + read.meaning;
  // For a read with parts, only the parts show their bytes.
  uint64_t size = hasParts ? 0 : read.size;
  printLine(read.offset, size, indent(read.place), text);
  for (unsigned line = 1; line * kBytesPerLine < size; ++line) {
    if (line == kMaxLines) {
      os << "        ...\n";
      break;
    }
    printLine(read.offset + line * kBytesPerLine, size - line * kBytesPerLine,
              0, "");
  }
  if (!hasParts)
    position = std::max(position, read.offset + read.size);
}

void Trace::print(llvm::raw_ostream &os, llvm::ArrayRef<uint8_t> file) const {
  Printer printer(*this, os, file);
  llvm::SmallVector<const Read *> sorted = inFileOrder();
  for (auto [index, read] : llvm::enumerate(sorted)) {
    bool hasParts = index + 1 < sorted.size() &&
                    sorted[index + 1]->offset < read->offset + read->size;
    printer.print(*read, hasParts);
  }
  printer.printGap(file.size());
}

} // namespace cuda_tile::bytecode
