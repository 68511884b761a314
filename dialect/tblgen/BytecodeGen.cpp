//===- BytecodeGen.cpp - Bytecode op records from ODS ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For each op, a table describes its record in file order: attributes in order
// of declaration, then operands, each with its first version and, if optional,
// its bit in the record's flags. Reader and writer use the same tables, so
// there is no code per op.
//
//===----------------------------------------------------------------------===//

#include "BytecodeGen.h"
#include "mlir/TableGen/Attribute.h"
#include "mlir/TableGen/EnumInfo.h"
#include "mlir/TableGen/Format.h"
#include "mlir/TableGen/Operator.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/TableGen/Error.h"
#include "llvm/TableGen/TableGenBackend.h"

using llvm::formatv;
using llvm::Record;
using llvm::StringRef;
using mlir::tblgen::EnumInfo;
using mlir::tblgen::NamedAttribute;
using mlir::tblgen::NamedTypeConstraint;
using mlir::tblgen::Operator;

namespace cuda_tile::tblgen {

namespace {

/// An attribute, operand or result of an op.
struct Field {
  std::string name;
  std::string since; // "13.1"
  int flagBit = -1;  // -1: always there
  // Attributes: initializer of AttributeField::codec and after.
  std::string codec;
  std::string defaultValue; // expression over `odsBuilder`; empty: none
  // Operands and results.
  StringRef arity = "One";
};

/// The record of one op.
struct OpRecord {
  const Record *def;
  std::string name;
  int64_t opcode;
  std::string since;
  std::vector<Field> attributes, operands, results;
  unsigned regions;
  bool sizedOperands;
};

using Enums = llvm::MapVector<StringRef, const Record *>;

} // namespace

//===----------------------------------------------------------------------===//
// Reading ODS
//===----------------------------------------------------------------------===//

static std::pair<unsigned, unsigned> parseVersion(StringRef text,
                                                  const Record &op) {
  std::pair<unsigned, unsigned> version;
  auto [major, minor] = text.split('.');
  if (major.getAsInteger(10, version.first) ||
      minor.getAsInteger(10, version.second))
    llvm::PrintFatalError(&op, "expected a version such as \"13.1\", got \"" +
                                   text + "\"");
  return version;
}

/// The version in the `CudaTile_Since` around entry `index` of `dag`, if any.
static std::string getSince(const llvm::DagInit *dag, unsigned index,
                            StringRef opSince) {
  if (const auto *def = llvm::dyn_cast<llvm::DefInit>(dag->getArg(index)))
    if (def->getDef()->isSubClassOf("CudaTile_Since"))
      return def->getDef()->getValueAsString("since").str();
  return opSince.str();
}

/// Encoding of the value of `attribute`; empty if there is none.
static std::string getCodec(mlir::tblgen::Attribute attribute, Enums &enums) {
  mlir::tblgen::Attribute base = attribute.getBaseAttr();
  const Record &def = base.getDef();
  if (def.isSubClassOf("EnumAttr")) {
    const Record *info = def.getValueAsDef("enum");
    StringRef name = EnumInfo(info).getEnumClassName();
    enums.insert({name, info});
    return formatv("AttributeCodec::Enum, &k{0}Codec, 0", name);
  }
  StringRef storage = base.getStorageType();
  storage.consume_front("::");
  if (storage == "mlir::IntegerAttr")
    return formatv("AttributeCodec::Integer, nullptr, {0}",
                   def.getValueAsDef("valueType")->getValueAsInt("bitwidth"));
  StringRef codec =
      llvm::StringSwitch<StringRef>(storage)
          .Case("mlir::UnitAttr", "Unit")
          .Case("mlir::BoolAttr", "Bool")
          .Case("mlir::StringAttr", "String")
          .Case("mlir::FlatSymbolRefAttr", "SymbolRef")
          .Case("mlir::TypeAttr", "Type")
          .Case("mlir::ArrayAttr", "Array")
          .Case("mlir::DenseBoolArrayAttr", "BoolArray")
          .Case("mlir::DenseI32ArrayAttr", "I32Array")
          .Case("mlir::DenseI64ArrayAttr", "I64Array")
          .Case("mlir::DenseIntOrFPElementsAttr", "Constant")
          .Case("cuda_tile::OptimizationHintsAttr", "OptimizationHints")
          .Case("cuda_tile::AssumePredicateAttrInterface", "SelfContained")
          .Case("cuda_tile::BytecodeTestValueAttr", "SelfContained")
          .Default("");
  return codec.empty() ? ""
                       : ("AttributeCodec::" + codec + ", nullptr, 0").str();
}

static Field getAttribute(const Operator &op, const NamedAttribute &attribute,
                          Enums &enums) {
  Field field;
  field.name = attribute.name.str();
  field.codec = getCodec(attribute.attr, enums);
  if (field.codec.empty())
    llvm::PrintFatalError(&op.getDef(), "attribute '" + field.name +
                                            "' of type " +
                                            attribute.attr.getStorageType() +
                                            " has no encoding in bytecode");
  if (attribute.attr.hasDefaultValue()) {
    mlir::tblgen::FmtContext context;
    context.withBuilder("odsBuilder");
    field.defaultValue = std::string(mlir::tblgen::tgfmt(
        attribute.attr.getConstBuilderTemplate(), &context,
        mlir::tblgen::tgfmt(attribute.attr.getDefaultValue(), &context)));
  }
  // A unit attribute is its flag; any other with a default is always written.
  bool isUnit = StringRef(field.codec).starts_with("AttributeCodec::Unit,");
  if (isUnit ||
      (attribute.attr.isOptional() && !attribute.attr.hasDefaultValue()))
    field.flagBit = 0; // numbered below
  return field;
}

static Field getValue(const NamedTypeConstraint &value) {
  Field field;
  field.name = value.name.str();
  if (value.isOptional())
    field.arity = "Optional";
  else if (value.isVariadic())
    field.arity = "Variadic";
  return field;
}

/// Numbers the flags: older fields first, so that a file of an older version
/// has the same bits; of one version attributes before operands.
static void numberFlags(OpRecord &record) {
  using Version = std::pair<unsigned, unsigned>;
  std::vector<std::tuple<Version, size_t, Field *>> flags;
  for (std::vector<Field> *fields : {&record.attributes, &record.operands})
    for (Field &field : *fields)
      if (field.flagBit >= 0)
        flags.emplace_back(parseVersion(field.since, *record.def), flags.size(),
                           &field);
  llvm::sort(flags);
  for (auto [bit, flag] : llvm::enumerate(flags))
    std::get<Field *>(flag)->flagBit = bit;
}

static OpRecord getRecord(const Record *def, Enums &enums) {
  Operator op(*def);
  OpRecord record;
  record.def = def;
  record.name = op.getOperationName();
  record.opcode = def->getValueAsInt("opcode");
  record.since = def->getValueAsString("since").str();
  record.regions = op.getNumRegions();
  record.sizedOperands =
      op.getTrait("::mlir::OpTrait::AttrSizedOperandSegments");

  const llvm::DagInit *arguments = def->getValueAsDag("arguments");
  for (int i = 0, e = op.getNumArgs(); i < e; ++i) {
    std::string since = getSince(arguments, i, record.since);
    mlir::tblgen::Argument argument = op.getArg(i);
    if (auto *attribute = llvm::dyn_cast<NamedAttribute *>(argument)) {
      record.attributes.push_back(getAttribute(op, *attribute, enums));
      record.attributes.back().since = since;
    } else if (auto *value = llvm::dyn_cast<NamedTypeConstraint *>(argument)) {
      record.operands.push_back(getValue(*value));
      record.operands.back().since = since;
      // Without sized groups, the number of operands determines it.
      if (value->isOptional() && record.sizedOperands)
        record.operands.back().flagBit = 0; // numbered below
    } else {
      llvm::PrintFatalError(def, "bytecode has no properties");
    }
  }
  const llvm::DagInit *results = def->getValueAsDag("results");
  for (int i = 0, e = op.getNumResults(); i < e; ++i) {
    record.results.push_back(getValue(op.getResult(i)));
    record.results.back().since = getSince(results, i, record.since);
  }
  numberFlags(record);
  return record;
}

//===----------------------------------------------------------------------===//
// Writing tables
//===----------------------------------------------------------------------===//

static std::string versionInit(StringRef text, const Record &op) {
  auto [major, minor] = parseVersion(text, op);
  return formatv("{{{0}, {1}}", major, minor);
}

/// The versions of those cases of an enumeration that are newer than it.
static std::string newCasesInit(const EnumInfo &info, const Record *def) {
  std::string cases;
  for (const auto &enumCase : info.getAllCases()) {
    const Record &record = enumCase.getDef();
    if (!record.isSubClassOf("CudaTile_CaseSince"))
      continue;
    cases += formatv("    {{{0}, \"{1}\", {2}},\n", enumCase.getValue(),
                     enumCase.getStr(),
                     versionInit(record.getValueAsString("since"), *def));
  }
  return cases;
}

static void emitEnum(StringRef name, const Record *def, llvm::raw_ostream &os) {
  EnumInfo info(def);
  std::string cases, newCases = newCasesInit(info, def);
  for (const auto &enumCase : info.getAllCases())
    cases += formatv("{0}{1} {2}", cases.empty() ? "" : ", ",
                     enumCase.getValue(), enumCase.getStr());
  os << formatv(
      "static mlir::Attribute decode{0}(mlir::MLIRContext *context, "
      "uint64_t value) {{\n"
      "  if (value > UINT32_MAX)\n"
      "    return {{};\n"
      "  auto symbol = {1}::{2}(static_cast<uint32_t>(value));\n"
      "  return symbol ? {1}::{0}Attr::get(context, *symbol)\n"
      "                : mlir::Attribute();\n"
      "}\n"
      "static std::optional<uint64_t> encode{0}(mlir::Attribute "
      "attribute) {{\n"
      "  auto value = llvm::dyn_cast<{1}::{0}Attr>(attribute);\n"
      "  return value ? std::optional<uint64_t>(static_cast<uint64_t>("
      "value.getValue()))\n"
      "               : std::nullopt;\n"
      "}\n",
      name, info.getCppNamespace(), info.getUnderlyingToSymbolFnName());
  if (!newCases.empty())
    os << formatv("static constexpr EnumCase k{0}NewCases[] = {{\n{1}};\n",
                  name, newCases);
  os << formatv("static constexpr EnumCodec k{0}Codec = {{\n"
                "    \"{0}\", \"{1}\", {2}, decode{0}, encode{0}};\n\n",
                name, cases,
                newCases.empty() ? "{}" : formatv("k{0}NewCases", name).str());
}

static void emitFields(const OpRecord &record, StringRef kind,
                       const std::vector<Field> &fields,
                       llvm::raw_ostream &os) {
  if (fields.empty())
    return;
  StringRef name = record.def->getName();
  os << formatv("static constexpr {0}Field k{1}{0}s[] = {{\n", kind, name);
  for (const Field &field : fields) {
    std::string how =
        kind == "Attribute" ? field.codec : ("Arity::" + field.arity).str();
    os << formatv("    {{\"{0}\", {1}, {2}, {3}", field.name,
                  versionInit(field.since, *record.def), field.flagBit, how);
    if (!field.defaultValue.empty())
      os << formatv(", default{0}_{1}", name, field.name);
    os << "},\n";
  }
  os << "};\n";
}

/// A function per attribute that has a default.
static void emitDefaults(const OpRecord &record, llvm::raw_ostream &os) {
  for (const Field &field : record.attributes)
    if (!field.defaultValue.empty())
      os << formatv("static mlir::Attribute default{0}_{1}(mlir::MLIRContext "
                    "*context) {{\n"
                    "  mlir::Builder odsBuilder(context);\n"
                    "  return {2};\n"
                    "}\n",
                    record.def->getName(), field.name, field.defaultValue);
}

static void emitTable(const std::vector<OpRecord> &records,
                      llvm::raw_ostream &os) {
  os << "\n/// All ops, by opcode.\n"
     << "static constexpr OpRecord kOpRecords[] = {\n";
  for (const OpRecord &record : records) {
    StringRef name = record.def->getName();
    auto array = [&](StringRef kind, const std::vector<Field> &fields) {
      return fields.empty() ? std::string("{}")
                            : formatv("k{0}{1}s", name, kind).str();
    };
    os << formatv(
        "    {{{0}, \"{1}\", {2}, {3}, {4}, {5}, {6}, {7}},\n", record.opcode,
        record.name, versionInit(record.since, *record.def),
        array("Attribute", record.attributes),
        array("Operand", record.operands), array("Result", record.results),
        record.regions, record.sizedOperands);
  }
  os << "};\n";
}

/// All records by opcode; enumerations that they use go to `enums`.
static std::vector<OpRecord> getRecords(const llvm::RecordKeeper &keeper,
                                        Enums &enums) {
  std::vector<OpRecord> records;
  for (const Record *def : keeper.getAllDerivedDefinitions("CudaTile_Op")) {
    // They stand in sections of their own.
    if (def->getName() == "CudaTile_ModuleOp" ||
        def->getName() == "CudaTile_EntryOp" ||
        def->getName() == "CudaTile_TestingFuncOp" ||
        def->getName() == "CudaTile_GlobalOp")
      continue;
    records.push_back(getRecord(def, enums));
  }
  llvm::sort(records, [](const OpRecord &left, const OpRecord &right) {
    return left.opcode < right.opcode;
  });
  for (size_t i = 1; i < records.size(); ++i)
    if (records[i - 1].opcode == records[i].opcode)
      llvm::PrintFatalError(records[i].def,
                            "opcode " + llvm::Twine(records[i].opcode) +
                                " is taken by " + records[i - 1].name);
  return records;
}

bool emitOpRecords(const llvm::RecordKeeper &keeper, llvm::raw_ostream &os) {
  Enums enums;
  std::vector<OpRecord> records = getRecords(keeper, enums);
  llvm::emitSourceFileHeader("Bytecode op records", os, keeper);
  for (auto [name, def] : enums)
    emitEnum(name, def, os);
  for (const OpRecord &record : records) {
    emitDefaults(record, os);
    emitFields(record, "Attribute", record.attributes, os);
    emitFields(record, "Operand", record.operands, os);
    emitFields(record, "Result", record.results, os);
  }
  emitTable(records, os);
  return false;
}

bool emitOpCodes(const llvm::RecordKeeper &keeper, llvm::raw_ostream &os) {
  Enums enums;
  llvm::emitSourceFileHeader("Bytecode opcodes", os, keeper);
  os << "enum class Opcode : uint32_t {\n";
  for (const OpRecord &record : getRecords(keeper, enums))
    os << formatv("  {0} = {1:X},\n", Operator(*record.def).getCppClassName(),
                  record.opcode);
  os << "};\n";
  return false;
}

bool emitOpSpec(const llvm::RecordKeeper &keeper, llvm::raw_ostream &os) {
  Enums enums;
  for (const OpRecord &record : getRecords(keeper, enums)) {
    os << formatv("{0} {1:X} {2}\n", record.name, record.opcode, record.since);
    auto print = [&](StringRef kind, const std::vector<Field> &fields) {
      for (const Field &field : fields) {
        os << formatv("  {0} {1} {2}", kind, field.name, field.since);
        if (field.flagBit >= 0)
          os << formatv(" flag {0}", field.flagBit);
        os << "\n";
      }
    };
    print("attribute", record.attributes);
    print("operand", record.operands);
    print("result", record.results);
  }
  return false;
}

} // namespace cuda_tile::tblgen
