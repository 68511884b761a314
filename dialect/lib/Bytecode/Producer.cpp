//===- Producer.cpp - The producer section --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Producer.h"

using namespace mlir;

namespace cuda_tile::bytecode {

static constexpr StringLiteral kSeparator = "; ";
static constexpr StringLiteral kModule = "module @";

LogicalResult readProducer(Cursor cursor, const StringTable &strings,
                           Producer &result) {
  StringRef text;
  if (failed(strings.readString(cursor, text, "producer string index")) ||
      failed(cursor.expectEnd("the producer section", kSectionPadding)))
    return failure();
  size_t at = text.rfind(kModule);
  bool isWhole = at == 0;
  if (at != StringRef::npos &&
      (isWhole || text.take_front(at).ends_with(kSeparator))) {
    result.module = text.drop_front(at + kModule.size()).str();
    text = text.take_front(isWhole ? 0 : at - kSeparator.size());
  }
  result.producer = text.str();
  return success();
}

/// Whether the name must be written: otherwise readers would interpret a part
/// of the producer as the name.
static bool isNameNeeded(const Producer &producer) {
  return producer.module != kDefaultModuleName ||
         StringRef(producer.producer).contains(kModule);
}

bool isProducerNeeded(const Producer &producer) {
  return !producer.producer.empty() || isNameNeeded(producer);
}

void writeProducer(const Producer &producer, StringPool &strings, Output &out) {
  std::string text = producer.producer;
  if (isNameNeeded(producer)) {
    if (!text.empty())
      text += kSeparator;
    text += (kModule + producer.module).str();
  }
  out.writeVarint(strings.add(text));
}

} // namespace cuda_tile::bytecode
