# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Declares what `cuda_tile._mlir` is made of: upstream's Python files and extension
# modules for the dialects that kernels pass through, and our two dialects.
# Reads _bindings, _python (changed files), _upstream (upstream's trees) and _ours.

declare_mlir_python_sources(CudaTilePython)
declare_mlir_python_sources(CudaTilePython.Core ADD_TO_PARENT CudaTilePython)
declare_mlir_python_sources(CudaTilePython.Dialects ADD_TO_PARENT CudaTilePython)

declare_mlir_python_sources(
  CudaTilePython.Core.Python
  ROOT_DIR "${_upstream}"
  ADD_TO_PARENT CudaTilePython.Core
  SOURCES
    _mlir_libs/__init__.py
    passmanager.py
    rewrite.py
    dialects/_ods_common.py
    extras/types.py
    extras/meta.py
)
declare_mlir_python_sources(
  CudaTilePython.Core.Guarded
  ROOT_DIR "${_python}"
  ADD_TO_PARENT CudaTilePython.Core
  SOURCES ir.py
)
declare_mlir_python_sources(
  CudaTilePython.Core.Site
  ROOT_DIR "${_ours}"
  ADD_TO_PARENT CudaTilePython.Core
  SOURCES
    ir.pyi
    _mlir_libs/_site_initialize_0.py
)

# Declares the Python side of one upstream dialect: `name` in Python, the stem of
# its TableGen file, then options of declare_mlir_dialect_python_bindings.
function(_upstream_dialect name stem)
  declare_mlir_dialect_python_bindings(
    ADD_TO_PARENT CudaTilePython.Dialects
    ROOT_DIR "${_upstream}"
    TD_FILE dialects/${stem}.td
    DIALECT_NAME ${name}
    ${ARGN}
  )
endfunction()

_upstream_dialect(builtin BuiltinOps SOURCES dialects/builtin.py)
_upstream_dialect(arith ArithOps SOURCES dialects/arith.py GEN_ENUM_BINDINGS)
_upstream_dialect(func FuncOps SOURCES dialects/func.py)
_upstream_dialect(scf SCFOps SOURCES dialects/scf.py)
_upstream_dialect(cf ControlFlowOps SOURCES dialects/cf.py)
_upstream_dialect(gpu GPUOps SOURCES_GLOB dialects/gpu/*.py GEN_ENUM_BINDINGS)
_upstream_dialect(nvgpu NVGPUOps SOURCES dialects/nvgpu.py GEN_ENUM_BINDINGS)
_upstream_dialect(memref MemRefOps SOURCES dialects/memref.py)
_upstream_dialect(
  vector
  VectorOps
  SOURCES
  dialects/vector.py
  GEN_ENUM_BINDINGS_TD_FILE
  dialects/VectorAttributes.td
)
_upstream_dialect(math MathOps SOURCES dialects/math.py)
_upstream_dialect(llvm LLVMOps SOURCES dialects/llvm.py GEN_ENUM_BINDINGS)
_upstream_dialect(nvvm NVVMOps SOURCES dialects/nvvm.py GEN_ENUM_BINDINGS)
_upstream_dialect(pdl PDLOps SOURCES dialects/pdl.py)
_upstream_dialect(irdl IRDLOps SOURCES dialects/irdl.py GEN_ENUM_BINDINGS)
_upstream_dialect(index IndexOps SOURCES dialects/index.py GEN_ENUM_BINDINGS)
_upstream_dialect(ub UBOps SOURCES dialects/ub.py)

# Declares the Python side of one of our dialects; further Python files may follow.
function(_own_dialect name stem)
  declare_mlir_dialect_python_bindings(
    ADD_TO_PARENT CudaTilePython.Dialects
    ROOT_DIR "${_ours}"
    TD_FILE dialects/${stem}.td
    DIALECT_NAME ${name}
    SOURCES dialects/${name}.py ${ARGN}
  )
endfunction()

_own_dialect(cuda_tile CudaTileOps dialects/cuda_tile_ops.py)
_own_dialect(tileas TileasOps dialects/cute.py)

# Declares one extension module of upstream's with its C++ files.
function(_upstream_extension module parent)
  declare_mlir_python_extension(
    CudaTilePython.Extension.${module}
    MODULE_NAME ${module}
    ADD_TO_PARENT CudaTilePython.${parent}
    ROOT_DIR "${_bindings}"
    SOURCES ${ARGN}
    PRIVATE_LINK_LIBS LLVMSupport
  )
endfunction()

declare_mlir_python_extension(
  CudaTilePython.Support
  _PRIVATE_SUPPORT_LIB
  MODULE_NAME MLIRPythonSupport
  ADD_TO_PARENT CudaTilePython.Core
  ROOT_DIR "${_bindings}"
  SOURCES
    Globals.cpp
    IRAttributes.cpp
    IRCore.cpp
    IRTypes.cpp
)
_upstream_extension(
  _mlir
  Core
  MainModule.cpp
  IRAffine.cpp
  IRInterfaces.cpp
  Pass.cpp
  Rewrite.cpp
)
foreach(
  dialect
  GPU
  LLVM
  NVGPU
  PDL
  IRDL
)
  _upstream_extension(_mlirDialects${dialect} Dialects Dialect${dialect}.cpp)
endforeach()
_upstream_extension(_mlirGPUPasses Dialects GPUPasses.cpp)
