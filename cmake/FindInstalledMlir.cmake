# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Finds the installed MLIR, checks its version and that it has shared libraries.
# Sets MLIR_CMAKE_DIR, LLVM_CMAKE_DIR, the include directories and
# CUDA_TILE_LLVM_LIBDIR (where libMLIR.so lies, for run paths).

set(CUDA_TILE_MLIR_TESTED 22.1.8)

set(_asked "${MLIR_DIR}")
find_package(MLIR 22.1 CONFIG QUIET HINTS /usr/lib/llvm-22/lib/cmake/mlir)
# CMake looks elsewhere where MLIR_DIR does not fit, and then forgets it.
if(_asked AND MLIR_FOUND AND NOT MLIR_DIR STREQUAL _asked)
  unset(MLIR_DIR CACHE)
  message(
    FATAL_ERROR
    "expected MLIR 22.1 in MLIR_DIR, got '${_asked}' without it. Pass "
    "-DMLIR_DIR=<prefix>/lib/cmake/mlir of version ${CUDA_TILE_MLIR_TESTED}"
  )
endif()
if(NOT MLIR_FOUND)
  set(_seen "none was found")
  if(MLIR_CONSIDERED_VERSIONS)
    set(_seen "found ${MLIR_CONSIDERED_VERSIONS} at ${MLIR_CONSIDERED_CONFIGS}")
  endif()
  message(
    FATAL_ERROR
    "expected an installed MLIR 22.1, ${_seen}. On Debian install llvm-22-dev, "
    "libmlir-22-dev and mlir-22-tools; elsewhere pass -DMLIR_DIR=<prefix>/lib/cmake/mlir"
  )
endif()

# The bindings are compiled against the installed headers, so another 22.1 works as
# long as their API stays; distributions may move on before this file does.
if(NOT LLVM_PACKAGE_VERSION VERSION_EQUAL CUDA_TILE_MLIR_TESTED)
  message(
    WARNING
    "MLIR ${LLVM_PACKAGE_VERSION} in ${MLIR_DIR} was not tested, ${CUDA_TILE_MLIR_TESTED} "
    "was. Should the build fail, pass -DMLIR_DIR= of that version, or "
    "-DCUDA_TILE_MLIR_SRC=<llvm-project tree of ${LLVM_PACKAGE_VERSION}>"
  )
endif()
foreach(_library MLIR LLVM)
  if(NOT TARGET ${_library})
    message(
      FATAL_ERROR
      "expected MLIR with shared libraries, got ${MLIR_DIR} without lib${_library}.so; "
      "build LLVM with LLVM_BUILD_LLVM_DYLIB=ON and LLVM_LINK_LLVM_DYLIB=ON"
    )
  endif()
endforeach()
message(STATUS "MLIR ${LLVM_PACKAGE_VERSION} in ${MLIR_DIR}")

# AddMLIRPython links every extension to the static LLVMSupport, which would give
# each its own copy of LLVM's global state (and needs libraries that the Debian
# packages do not pull in). Its symbols are all in libLLVM.
get_target_property(_configurations LLVMSupport IMPORTED_CONFIGURATIONS)
foreach(_configuration IN LISTS _configurations)
  get_target_property(_libllvm LLVM IMPORTED_LOCATION_${_configuration})
  set_target_properties(
    LLVMSupport
    PROPERTIES
      IMPORTED_LOCATION_${_configuration} "${_libllvm}"
      INTERFACE_LINK_LIBRARIES LLVM
  )
  get_filename_component(CUDA_TILE_LLVM_LIBDIR "${_libllvm}" DIRECTORY)
endforeach()

# The tools that write code run on this machine, whichever one it is written for.
if(CMAKE_CROSSCOMPILING)
  foreach(_tool mlir-tblgen mlir-pdll llvm-tblgen)
    find_program(
      CUDA_TILE_${_tool}
      NAMES ${_tool}-22 ${_tool}
      HINTS /usr/lib/llvm-22/bin
      NO_CMAKE_FIND_ROOT_PATH
      REQUIRED
    )
    get_target_property(_configurations ${_tool} IMPORTED_CONFIGURATIONS)
    foreach(_configuration IN LISTS _configurations)
      set_target_properties(
        ${_tool}
        PROPERTIES IMPORTED_LOCATION_${_configuration} "${CUDA_TILE_${_tool}}"
      )
    endforeach()
  endforeach()
endif()

list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
# No copies of the bindings' sources and no CMake exports in the installation.
set(LLVM_INSTALL_TOOLCHAIN_ONLY ON)
