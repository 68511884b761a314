# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# MLIR's Python bindings with guards: guard_mlir_python.patch makes exceptions of what
# ends the process with upstream's, such as a use of an erased operation. They keep to
# CPython's stable interface. Their `ir.py` loads NumPy where it is used.
# Sets `out` to the folder of the C++ files, `out_python` to that of the changed Python
# files, and puts the changed headers first.

function(cuda_tile_guard_mlir_python upstream python out out_python)
  set(guarded "${CMAKE_BINARY_DIR}/mlir-python-guarded")
  set(patch "${CMAKE_SOURCE_DIR}/cmake/guard_mlir_python.patch")
  set(folder mlir/Bindings/Python)
  set(changed_headers IRCore NanobindAdaptors NanobindUtils)
  set(
    changed_sources
    IRAttributes
    IRCore
    IRInterfaces
    IRTypes
    Pass
  )
  list(JOIN changed_headers "|" header_names)
  list(JOIN changed_sources "|" source_names)
  set_property(
    DIRECTORY
    APPEND
    PROPERTY
      CMAKE_CONFIGURE_DEPENDS "${patch}" "${CMAKE_SOURCE_DIR}/cmake/apply_patch.py"
  )
  find_file(
    _header
    "${folder}/IRCore.h"
    PATHS ${MLIR_INCLUDE_DIRS}
    NO_DEFAULT_PATH
    NO_CACHE
    REQUIRED
  )
  cmake_path(GET _header PARENT_PATH headers)
  file(
    COPY "${headers}/"
    DESTINATION "${guarded}/include/${folder}"
    REGEX "/(${header_names})\\.h$"
    EXCLUDE
  )
  file(
    COPY "${upstream}/"
    DESTINATION "${guarded}/lib"
    REGEX "/(${source_names})\\.cpp$"
    EXCLUDE
  )
  set(plain "${CMAKE_BINARY_DIR}/mlir-python-plain")
  foreach(each ${changed_headers})
    configure_file(
      "${headers}/${each}.h"
      "${plain}/include/${folder}/${each}.h"
      COPYONLY
    )
  endforeach()
  foreach(each ${changed_sources})
    configure_file("${upstream}/${each}.cpp" "${plain}/lib/${each}.cpp" COPYONLY)
  endforeach()
  configure_file("${python}/ir.py" "${plain}/python/ir.py" COPYONLY)
  find_package(Python3 3.10 COMPONENTS Interpreter REQUIRED)
  execute_process(
    COMMAND
      "${Python3_EXECUTABLE}" "${CMAKE_SOURCE_DIR}/cmake/apply_patch.py" "${patch}"
      "${plain}" "${guarded}"
    RESULT_VARIABLE result
    ERROR_VARIABLE reason
  )
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "could not guard MLIR's Python bindings: ${reason}")
  endif()
  include_directories(BEFORE "${guarded}/include")
  set(${out} "${guarded}/lib" PARENT_SCOPE)
  set(${out_python} "${guarded}/python" PARENT_SCOPE)
endfunction()
