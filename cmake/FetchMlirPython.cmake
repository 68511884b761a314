# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The sources of MLIR's Python bindings, which no Debian package holds.
#
# They lie in the first 9 272 540 bytes (xz blocks 1 to 6 of 173) of the upstream
# tarball in Debian's source pool, so only that part is fetched, from the archive
# that apt is configured for. apt may use plain http: the hash decides.

set(_tarball llvm-toolchain-22_22.1.8.orig.tar.xz)
set(_last_byte 9272539)
set(_sha256 bd254a21ee32f4723cfe6a312e318a26217ecba3add74604b323bbf0273baa16)

# Sets `out` to the base addresses of the package archives that apt knows.
function(_cuda_tile_archives out)
  execute_process(
    COMMAND apt-get indextargets --format "$(REPO_URI)" "Created-By: Packages"
    OUTPUT_VARIABLE archives
    OUTPUT_STRIP_TRAILING_WHITESPACE
    ERROR_QUIET
    RESULT_VARIABLE result
  )
  if(NOT result EQUAL 0)
    set(archives "")
  endif()
  string(REPLACE "\n" ";" archives "${archives}")
  list(TRANSFORM archives REPLACE "/+$" "")
  list(REMOVE_DUPLICATES archives)
  set(${out} "${archives}" PARENT_SCOPE)
endfunction()

# Downloads the checked part of the tarball to `file`; stops with the reasons of
# every archive that did not have it.
function(_cuda_tile_download file)
  _cuda_tile_archives(archives)
  set(reasons "")
  if(NOT archives)
    set(reasons "apt names no archive")
  endif()
  foreach(archive IN LISTS archives)
    set(url "${archive}/pool/main/l/llvm-toolchain-22/${_tarball}")
    file(
      DOWNLOAD "${url}"
      "${file}"
      RANGE_START 0
      RANGE_END ${_last_byte}
      STATUS status
      TIMEOUT 300
      INACTIVITY_TIMEOUT 30
    )
    list(GET status 0 code)
    list(GET status 1 text)
    if(NOT code EQUAL 0)
      list(APPEND reasons "${url}: ${text}")
      continue()
    endif()
    file(SHA256 "${file}" found)
    if(found STREQUAL _sha256)
      return()
    endif()
    list(APPEND reasons "${url}: expected sha256 ${_sha256}, got ${found}")
  endforeach()
  list(JOIN reasons "\n  " reasons)
  message(
    FATAL_ERROR
    "could not fetch the sources of MLIR's Python bindings:\n  ${reasons}\n"
    "Check the network, or pass -DCUDA_TILE_MLIR_SRC=<llvm-project tree of version "
    "${CUDA_TILE_MLIR_TESTED}>"
  )
endfunction()

# Sets `out` to a tree that holds mlir/lib/Bindings/Python and mlir/python: the
# user's (CUDA_TILE_MLIR_SRC) or one unpacked below the build directory.
function(cuda_tile_fetch_mlir_python out)
  if(CUDA_TILE_MLIR_SRC)
    if(NOT EXISTS "${CUDA_TILE_MLIR_SRC}/mlir/lib/Bindings/Python/IRCore.cpp")
      message(
        FATAL_ERROR
        "expected an llvm-project tree in CUDA_TILE_MLIR_SRC, got "
        "'${CUDA_TILE_MLIR_SRC}' without mlir/lib/Bindings/Python"
      )
    endif()
    set(${out} "${CUDA_TILE_MLIR_SRC}" PARENT_SCOPE)
    return()
  endif()

  set(tree "${CMAKE_BINARY_DIR}/mlir-python-src")
  if(NOT EXISTS "${tree}/complete")
    message(STATUS "Fetching the sources of MLIR's Python bindings (9 MB)")
    _cuda_tile_download("${tree}/part.tar.xz")
    find_package(Python3 3.10 COMPONENTS Interpreter REQUIRED)
    execute_process(
      COMMAND
        "${Python3_EXECUTABLE}" "${CMAKE_SOURCE_DIR}/cmake/unpack_mlir_python.py"
        "${tree}/part.tar.xz" "${tree}"
      RESULT_VARIABLE result
      ERROR_VARIABLE reason
    )
    if(NOT result EQUAL 0)
      message(FATAL_ERROR "could not unpack ${tree}/part.tar.xz: ${reason}")
    endif()
    file(REMOVE "${tree}/part.tar.xz")
    file(TOUCH "${tree}/complete")
  endif()
  set(${out} "${tree}" PARENT_SCOPE)
endfunction()
