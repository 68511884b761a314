# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compiles for Linux on aarch64 with the clang of this machine. tools/wheel makes the
# folder of Debian's arm64 packages that CMAKE_SYSROOT names, and passes this file.

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
foreach(_language C CXX)
  set(CMAKE_${_language}_COMPILER_TARGET aarch64-linux-gnu)
endforeach()
foreach(_kind EXE SHARED MODULE)
  set(CMAKE_${_kind}_LINKER_FLAGS_INIT -fuse-ld=lld)
endforeach()
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(_kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${_kind} BOTH)
endforeach()
