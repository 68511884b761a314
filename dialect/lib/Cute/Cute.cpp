//===- Cute.cpp - Layouts as attributes -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda_tile/Cute/Cute.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cuda_tile::cute;

#include "cuda_tile/Cute/CuteDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "cuda_tile/Cute/CuteAttrs.cpp.inc"

namespace {

/// Layouts are long and repeated in every type, so they get aliases in text.
struct LayoutAliases : public OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attr, raw_ostream &os) const override {
    if (!isa<LayoutAttr>(attr))
      return AliasResult::NoAlias;
    os << LayoutAttr::getMnemonic();
    return AliasResult::FinalAlias;
  }
};

} // namespace

void CuteDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "cuda_tile/Cute/CuteAttrs.cpp.inc"
      >();
}

void CuteDialect::initialize() {
  registerAttributes();
  addInterfaces<LayoutAliases>();
}

//===----------------------------------------------------------------------===//
// LayoutAttr
//===----------------------------------------------------------------------===//

/// Number of groups; per group its number of bases; per basis its number of
/// terms, and each term as stride, dim.
static SmallVector<int64_t> encode(ArrayRef<LayoutAttr::Group> groups) {
  SmallVector<int64_t> code = {static_cast<int64_t>(groups.size())};
  for (const LayoutAttr::Group &group : groups) {
    code.push_back(group.size());
    for (const LayoutAttr::Basis &basis : group) {
      code.push_back(basis.size());
      for (LayoutAttr::Term term : basis)
        code.append({term.stride, term.dim});
    }
  }
  return code;
}

SmallVector<LayoutAttr::Group> LayoutAttr::getGroups() const {
  ArrayRef<int64_t> code = getEncoded();
  auto next = [&code] {
    int64_t value = code.front();
    code = code.drop_front();
    return value;
  };
  SmallVector<Group> groups(next());
  for (Group &group : groups) {
    group.resize(next());
    for (Basis &basis : group) {
      basis.resize(next());
      for (Term &term : basis) {
        term.stride = next();
        term.dim = next();
      }
    }
  }
  return groups;
}

LayoutAttr LayoutAttr::get(MLIRContext *context, ArrayRef<Group> groups,
                           bool isFlat) {
  assert((!isFlat || groups.size() == 1) && "a flat layout has one group");
  return Base::get(context, encode(groups), isFlat);
}

LayoutAttr LayoutAttr::getChecked(function_ref<InFlightDiagnostic()> emitError,
                                  MLIRContext *context, ArrayRef<Group> groups,
                                  bool isFlat) {
  if (isFlat && groups.size() != 1) {
    emitError() << "expected one group of bases in a flat layout, got "
                << groups.size();
    return {};
  }
  for (const Group &group : groups)
    for (const Basis &basis : group)
      for (Term term : basis) {
        if (term.stride <= 0) {
          emitError() << "expected a positive stride in layout, got "
                      << term.stride;
          return {};
        }
        if (term.dim < 0) {
          emitError() << "expected a dimension of at least 0 in layout, got "
                      << term.dim;
          return {};
        }
      }
  return get(context, groups, isFlat);
}

/// A basis as one number: the concatenated bits of its stride in each
/// dimension. Extents are powers of two with at most 64 bits in total.
static std::optional<uint64_t> packBasis(const LayoutAttr::Basis &basis,
                                         ArrayRef<int64_t> shape,
                                         std::string &misfit) {
  uint64_t packed = 0;
  for (LayoutAttr::Term term : basis) {
    llvm::raw_string_ostream os(misfit);
    if (term.dim >= static_cast<int64_t>(shape.size())) {
      os << "expected dimensions of the layout below rank " << shape.size()
         << ", got " << term.dim;
      return std::nullopt;
    }
    if (term.stride >= shape[term.dim]) {
      os << "expected strides along dimension " << term.dim
         << " of the layout below its extent " << shape[term.dim] << ", got "
         << term.stride;
      return std::nullopt;
    }
    unsigned shift = 0;
    for (int64_t extent : shape.drop_front(term.dim + 1))
      shift += llvm::Log2_64(extent);
    packed ^= static_cast<uint64_t>(term.stride) << shift;
  }
  return packed;
}

/// Rank over F2, by elimination of the highest bit.
static unsigned rankOverF2(SmallVector<uint64_t> rows) {
  unsigned rank = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i])
      continue;
    ++rank;
    uint64_t top = llvm::bit_floor(rows[i]);
    for (size_t j = i + 1; j < rows.size(); ++j)
      if (rows[j] & top)
        rows[j] ^= rows[i];
  }
  return rank;
}

std::string LayoutAttr::findMisfit(ArrayRef<int64_t> shape,
                                   bool bijective) const {
  std::string misfit;
  SmallVector<uint64_t> rows;
  for (const Group &group : getGroups())
    for (const Basis &basis : group) {
      std::optional<uint64_t> row = packBasis(basis, shape, misfit);
      if (!row)
        return misfit;
      rows.push_back(*row);
    }
  unsigned bits = 0;
  for (int64_t extent : shape)
    bits += llvm::Log2_64(extent);
  unsigned rank = rankOverF2(rows);
  llvm::raw_string_ostream os(misfit);
  if (rank != bits)
    os << "expected the layout to reach all " << (uint64_t(1) << bits)
       << " elements, got " << (uint64_t(1) << rank);
  else if (bijective && rows.size() != bits)
    os << "expected the layout to have one offset per element, got "
       << rows.size() << " offset bits for " << (uint64_t(1) << bits)
       << " elements";
  return misfit;
}

//===----------------------------------------------------------------------===//
// ShapeAttr, StrideAttr
//===----------------------------------------------------------------------===//

static LogicalResult verifyTuple(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> values,
                                 ArrayRef<int64_t> dims) {
  if (values.size() != dims.size())
    return emitError() << "expected as many dimensions as values, got "
                       << dims.size() << " and " << values.size();
  for (int64_t value : values)
    if (value <= 0)
      return emitError() << "expected positive values, got " << value;
  for (int64_t dim : dims)
    if (dim < 0)
      return emitError() << "expected dimensions of at least 0, got " << dim;
  return success();
}

LogicalResult ShapeAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                ArrayRef<int64_t> values,
                                ArrayRef<int64_t> dims) {
  return verifyTuple(emitError, values, dims);
}

LogicalResult StrideAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> values,
                                 ArrayRef<int64_t> dims) {
  return verifyTuple(emitError, values, dims);
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

namespace {

/// Parses basis notation. MLIR's lexer cannot, because it treats `@` as the
/// start of a symbol name, which cannot be a number.
class BasisParser {
public:
  BasisParser(DialectAsmParser &parser)
      : parser(parser), rest(parser.getFullSymbolSpec()) {}

  Attribute parse() {
    StringRef mnemonic =
        rest.take_while([](char c) { return llvm::isAlpha(c); });
    rest = rest.drop_front(mnemonic.size());
    Attribute attr = {};
    if (mnemonic == LayoutAttr::getMnemonic())
      attr = parseLayout();
    else if (mnemonic == ShapeAttr::getMnemonic())
      attr = parseTuple<ShapeAttr>();
    else if (mnemonic == StrideAttr::getMnemonic())
      attr = parseTuple<StrideAttr>();
    else
      emitError() << "expected layout, shape or stride, got '" << mnemonic
                  << "'";
    return attr;
  }

private:
  InFlightDiagnostic emitError() {
    return parser.emitError(SMLoc::getFromPointer(rest.data()));
  }

  bool consume(char c) {
    rest = rest.ltrim();
    return rest.consume_front(StringRef(&c, 1));
  }

  ParseResult expect(char c) {
    if (consume(c))
      return success();
    return emitError() << "expected '" << c << "' in basis notation";
  }

  ParseResult parseInteger(int64_t &value) {
    rest = rest.ltrim();
    if (rest.consumeInteger(10, value))
      return emitError() << "expected a number in basis notation";
    return success();
  }

  /// `8@1`; a leading `0` stands alone and gives no term.
  ParseResult parseTerm(LayoutAttr::Basis &basis, bool mayBeZero) {
    rest = rest.ltrim();
    SMLoc loc = SMLoc::getFromPointer(rest.data());
    LayoutAttr::Term term;
    if (parseInteger(term.stride))
      return failure();
    if (term.stride == 0 && mayBeZero &&
        !StringRef(rest).ltrim().starts_with("@"))
      return success();
    if (term.stride <= 0)
      return parser.emitError(loc, "expected a positive stride in layout, got ")
             << term.stride;
    if (expect('@'))
      return failure();
    loc = SMLoc::getFromPointer(rest.data());
    if (parseInteger(term.dim))
      return failure();
    if (term.dim < 0)
      return parser.emitError(
                 loc, "expected a dimension of at least 0 in layout, got ")
             << term.dim;
    basis.push_back(term);
    return success();
  }

  /// `1@0+8@1` or `0`.
  ParseResult parseBasis(LayoutAttr::Basis &basis) {
    if (parseTerm(basis, /*mayBeZero=*/true))
      return failure();
    while (!basis.empty() && consume('+'))
      if (parseTerm(basis, /*mayBeZero=*/false))
        return failure();
    return success();
  }

  /// `(` has been read.
  ParseResult parseGroup(LayoutAttr::Group &group) {
    if (consume(')'))
      return success();
    do {
      if (parseBasis(group.emplace_back()))
        return failure();
    } while (consume(','));
    return expect(')');
  }

  Attribute parseLayout() {
    SMLoc loc = SMLoc::getFromPointer(rest.data());
    SmallVector<LayoutAttr::Group> groups;
    if (expect('<') || expect('('))
      return {};
    rest = rest.ltrim();
    bool isFlat = !rest.starts_with("(");
    if (isFlat) {
      if (parseGroup(groups.emplace_back()))
        return {};
    } else {
      do {
        if (expect('(') || parseGroup(groups.emplace_back()))
          return {};
      } while (consume(','));
      if (expect(')'))
        return {};
    }
    if (expect('>'))
      return {};
    return LayoutAttr::getChecked([&] { return parser.emitError(loc); },
                                  parser.getContext(), groups, isFlat);
  }

  /// `<(128@0, 64@1)>`.
  template <typename Attr> Attribute parseTuple() {
    SMLoc loc = SMLoc::getFromPointer(rest.data());
    LayoutAttr::Group group;
    if (expect('<') || expect('('))
      return {};
    if (parseGroup(group) || expect('>'))
      return {};
    SmallVector<int64_t> values, dims;
    for (const LayoutAttr::Basis &basis : group) {
      if (basis.size() != 1) {
        parser.emitError(loc, "expected one value@dimension per entry");
        return {};
      }
      values.push_back(basis.front().stride);
      dims.push_back(basis.front().dim);
    }
    return Attr::getChecked([&] { return parser.emitError(loc); },
                            parser.getContext(), values, dims);
  }

  DialectAsmParser &parser;
  StringRef rest;
};

} // namespace

static void printGroup(raw_ostream &os, const LayoutAttr::Group &group) {
  os << '(';
  llvm::interleaveComma(group, os, [&](const LayoutAttr::Basis &basis) {
    if (basis.empty())
      os << '0';
    llvm::interleave(
        basis, os,
        [&](LayoutAttr::Term term) { os << term.stride << '@' << term.dim; },
        "+");
  });
  os << ')';
}

static void printTuple(raw_ostream &os, ArrayRef<int64_t> values,
                       ArrayRef<int64_t> dims) {
  os << "<(";
  llvm::interleaveComma(llvm::zip_equal(values, dims), os, [&](auto entry) {
    os << std::get<0>(entry) << '@' << std::get<1>(entry);
  });
  os << ")>";
}

Attribute CuteDialect::parseAttribute(DialectAsmParser &parser, Type) const {
  return BasisParser(parser).parse();
}

void CuteDialect::printAttribute(Attribute attr,
                                 DialectAsmPrinter &printer) const {
  raw_ostream &os = printer.getStream();
  llvm::TypeSwitch<Attribute>(attr)
      .Case([&](LayoutAttr layout) {
        os << LayoutAttr::getMnemonic() << '<';
        SmallVector<LayoutAttr::Group> groups = layout.getGroups();
        if (layout.getIsFlat()) {
          printGroup(os, groups.front());
        } else {
          os << '(';
          llvm::interleaveComma(
              groups, os, [&](const auto &group) { printGroup(os, group); });
          os << ')';
        }
        os << '>';
      })
      .Case([&](ShapeAttr shape) {
        os << ShapeAttr::getMnemonic();
        printTuple(os, shape.getValues(), shape.getDims());
      })
      .Case([&](StrideAttr stride) {
        os << StrideAttr::getMnemonic();
        printTuple(os, stride.getValues(), stride.getDims());
      });
}
