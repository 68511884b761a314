//===- InlinedCode.cpp - Call sites in the line tables of PTX -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "InlinedCode.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"

using namespace cuda_tile::python;
using llvm::DILocation;
using llvm::StringRef;

static constexpr StringRef markPrefix = "<inlined ";
static constexpr StringRef placeDirective = "\t.loc\t";
static constexpr StringRef fileDirective = "\t.file\t";

static std::string pathOf(const DILocation *location) {
  StringRef folder = location->getDirectory();
  StringRef name = location->getFilename();
  return folder.empty() ? name.str() : (folder + "/" + name).str();
}

void InlinedCode::mark(llvm::Module &module) {
  llvm::LLVMContext &context = module.getContext();
  using Key = std::pair<const void *, const void *>;
  llvm::DenseMap<Key, llvm::DILexicalBlockFile *> marks;
  for (llvm::Function &function : module) {
    llvm::DISubprogram *own = function.getSubprogram();
    if (!own)
      continue;
    marks.clear(); // a mark is a scope in one function
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : block) {
        const DILocation *code = instruction.getDebugLoc().get();
        if (!code || !code->getInlinedAt())
          continue;
        llvm::DILexicalBlockFile *&scope =
            marks[{code->getScope(), code->getInlinedAt()}];
        if (!scope) {
          std::string name =
              (markPrefix + llvm::Twine(sites.size()) + ">").str();
          auto *file = llvm::DIFile::get(context, name, "");
          scope = llvm::DILexicalBlockFile::get(context, own, file, 0);
          sites.push_back({code, code->getInlinedAt()});
        }
        instruction.setDebugLoc(DILocation::get(context, code->getLine(),
                                                code->getColumn(), scope));
      }
  }
}

/// Splits `\t.file\t3 "path"`; false for any other line.
static bool parseFile(StringRef line, unsigned &number, StringRef &path) {
  if (!line.consume_front(fileDirective) || line.consumeInteger(10, number))
    return false;
  path = line.trim(" \"");
  return true;
}

/// Reads the `.file` lines, which LLVM writes last.
void InlinedCode::readFiles(StringRef text) {
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    text = rest;
    unsigned number;
    StringRef path;
    if (!parseFile(line, number, path))
      continue;
    if (fileOfNumber.size() <= number)
      fileOfNumber.resize(number + 1);
    fileOfNumber[number] = path.str();
  }
}

/// The place of `text` in `list`, where it is added if it is new.
static unsigned indexOf(std::vector<std::string> &list, StringRef text) {
  auto found = llvm::find(list, text);
  if (found == list.end())
    found = list.insert(found, text.str());
  return found - list.begin();
}

unsigned InlinedCode::fileNumber(StringRef path) {
  return indexOf(files, path) + 1;
}

unsigned InlinedCode::nameNumber(StringRef function) {
  return indexOf(names, function);
}

/// `FILE LINE COLUMN`.
std::string InlinedCode::position(const DILocation *location) {
  return (llvm::Twine(fileNumber(pathOf(location))) + " " +
          llvm::Twine(location->getLine()) + " " +
          llvm::Twine(location->getColumn()))
      .str();
}

/// The whole line for a place, at a call site unless that is null or unknown.
std::string InlinedCode::directive(std::string where, StringRef function,
                                   const DILocation *caller) {
  std::string line = (placeDirective + where).str();
  if (caller && caller->getLine())
    line += ", function_name $L__info_string" +
            llvm::utostr(nameNumber(function)) + ", inlined_at " +
            position(caller);
  return line + "\n";
}

static StringRef functionOf(const DILocation *location) {
  return location->getScope()->getSubprogram()->getName();
}

/// Adds the `.loc` of a call site unless the function has it already.
void InlinedCode::addCallers(std::string &result, const DILocation *caller) {
  // PTX wants a call site in a `.loc` before another one refers to it.
  if (!caller || !caller->getLine())
    return;
  addCallers(result, caller->getInlinedAt());
  std::string line =
      directive(position(caller), functionOf(caller), caller->getInlinedAt());
  if (seen.try_emplace(line).second)
    result += line;
}

/// Adds a `.loc` with its file numbered anew, and what its mark stands for;
/// false for any other line.
bool InlinedCode::spellPlace(std::string &result, StringRef line) {
  unsigned number;
  if (!line.consume_front(placeDirective) || line.consumeInteger(10, number))
    return false;
  StringRef path = fileOfNumber[number];
  std::string spelled;
  unsigned site;
  if (!path.consume_front(markPrefix) || path.consumeInteger(10, site)) {
    spelled =
        directive(llvm::utostr(fileNumber(path)) + line.str(), "", nullptr);
  } else {
    const DILocation *code = sites[site].code, *caller = sites[site].caller;
    addCallers(result, caller);
    spelled = directive(llvm::utostr(fileNumber(pathOf(code))) + line.str(),
                        functionOf(code), caller);
  }
  seen.try_emplace(spelled);
  result += spelled;
  return true;
}

void InlinedCode::addFiles(std::string &result) const {
  for (auto [index, path] : llvm::enumerate(files))
    result +=
        (fileDirective + llvm::Twine(index + 1) + " \"" + path + "\"\n").str();
}

void InlinedCode::addNames(std::string &result) const {
  result += "\t.section\t.debug_str\n\t{\n";
  for (auto [number, name] : llvm::enumerate(names)) {
    result += "$L__info_string" + llvm::utostr(number) + ":\n\t.b8 ";
    for (unsigned char character : name)
      result += llvm::utostr(character) + ",";
    result += "0\n";
  }
  result += "\t}\n";
}

void InlinedCode::spell(llvm::SmallVectorImpl<char> &text) {
  if (sites.empty())
    return;
  StringRef rest(text.data(), text.size());
  readFiles(rest);
  std::string result;
  result.reserve(text.size() * 2);
  while (!rest.empty()) {
    auto [line, next] = rest.split('\n');
    rest = next;
    unsigned number;
    StringRef path;
    if (line == "}")
      seen.clear();
    if (spellPlace(result, line))
      continue;
    if (parseFile(line, number, path))
      continue;
    result += line;
    result += '\n';
  }
  addFiles(result);
  if (!names.empty())
    addNames(result);
  text.assign(result.begin(), result.end());
}
