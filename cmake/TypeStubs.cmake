# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Type stubs of the extension modules, made by nanobind and completed by us, so that
# type checkers and editors see through `cuda_tile._mlir`. Reads CUDA_TILE_PACKAGE_DIR.

# The rules that complete them are for what nanobind prints under the Python of .venv;
# under another version it prints other things. The types are the same.
set(
  CUDA_TILE_STUBS
  ""
  CACHE PATH
  "_mlir folder of another build to take type stubs from (empty: generate)"
)
if(CUDA_TILE_STUBS)
  foreach(_folder dialects _mlir_libs _mlir_libs/_mlir)
    file(GLOB _stubs "${CUDA_TILE_STUBS}/${_folder}/*.pyi")
    if(NOT _stubs)
      message(FATAL_ERROR "expected stubs in ${CUDA_TILE_STUBS}/${_folder}, got none")
    endif()
    install(
      FILES ${_stubs}
      COMPONENT CudaTilePythonModules
      DESTINATION ${CUDA_TILE_PACKAGE_INSTALL}/${_folder}
    )
  endforeach()
  return()
endif()

set(
  _stubgen
  "${Python_EXECUTABLE}"
  -m
  nanobind.stubgen
  --quiet
  --include-private
)
set(_tidy "${CMAKE_CURRENT_SOURCE_DIR}/bindings/tidy_stubs.py")
set(_libs "${CUDA_TILE_PACKAGE_DIR}/_mlir_libs")

# Imported bare: inside the package, Python code has already replaced `Context`.
set(_core_stubs "")
foreach(name __init__ ir passmanager rewrite)
  list(APPEND _core_stubs "${_libs}/_mlir/${name}.pyi")
endforeach()
add_custom_command(
  OUTPUT ${_core_stubs}
  COMMAND
    ${CMAKE_COMMAND} -E env "PYTHONPATH=${CMAKE_BINARY_DIR}/python" ${_stubgen} --import
    "${_libs}" --module _mlir --recursive --output-dir "${_libs}"
  COMMAND "${Python_EXECUTABLE}" "${_tidy}" ${_core_stubs}
  DEPENDS "${_tidy}" CudaTilePythonModules CudaTilePythonModules.extension._mlir.dso
  COMMENT "Generating type stubs of _mlir"
)

set(_extension_stub "${_libs}/_cuda_tile.pyi")
add_custom_command(
  OUTPUT ${_extension_stub}
  COMMAND
    ${CMAKE_COMMAND} -E env "PYTHONPATH=${CMAKE_BINARY_DIR}/python" ${_stubgen} --module
    cuda_tile._mlir._mlir_libs._cuda_tile --output-file "${_extension_stub}"
  COMMAND "${Python_EXECUTABLE}" "${_tidy}" "${_extension_stub}"
  DEPENDS
    "${_tidy}"
    CudaTilePythonModules
    CudaTilePythonModules.extension._cuda_tile.dso
  COMMENT "Generating type stubs of _cuda_tile"
)

# The op classes are Python, made by mlir-tblgen without types.
set(_op_stubs "")
foreach(_dialect cuda_tile tileas)
  set(_generated "${CUDA_TILE_PACKAGE_DIR}/dialects/_${_dialect}_ops_gen.py")
  set(_op_stub "${CUDA_TILE_PACKAGE_DIR}/dialects/_${_dialect}_ops_gen.pyi")
  set(_op_types "${CMAKE_CURRENT_SOURCE_DIR}/bindings/op_stubs.py")
  add_custom_command(
    OUTPUT "${_op_stub}"
    COMMAND "${Python_EXECUTABLE}" "${_op_types}" "${_generated}" "${_op_stub}"
    DEPENDS
      "${_op_types}"
      "${CMAKE_CURRENT_BINARY_DIR}/dialects/_${_dialect}_ops_gen.py"
      CudaTilePythonModules
    COMMENT "Generating type stubs of the ops of ${_dialect}"
  )
  list(APPEND _op_stubs "${_op_stub}")
endforeach()

add_custom_target(
  CudaTilePythonStubs
  ALL
  DEPENDS ${_core_stubs} ${_extension_stub} ${_op_stubs}
)
install(
  FILES ${_op_stubs}
  COMPONENT CudaTilePythonModules
  DESTINATION ${CUDA_TILE_PACKAGE_INSTALL}/dialects
)
install(
  FILES ${_core_stubs}
  COMPONENT CudaTilePythonModules
  DESTINATION ${CUDA_TILE_PACKAGE_INSTALL}/_mlir_libs/_mlir
)
install(
  FILES ${_extension_stub}
  COMPONENT CudaTilePythonModules
  DESTINATION ${CUDA_TILE_PACKAGE_INSTALL}/_mlir_libs
)
