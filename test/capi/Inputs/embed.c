//===- embed.c - Kernel files to PTX from C, through Python --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// embed KERNEL GPU OUT: reads a kernel file, text or bytecode, and writes PTX.
// The passes are Python, so a program in C embeds an interpreter; it needs no
// other process. Compile with the flags of `python3-config --includes --embed
// --ldflags`.
//
//===----------------------------------------------------------------------===//

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdio.h>

/* Prints the exception that is set, with its location, and clears it. */
static int fail(void) {
  PyErr_Print();
  return 1;
}

/* cuda_tile.compile(module, gpu, cubin=False), or null. */
static PyObject *compileModule(PyObject *package, PyObject *module,
                               const char *gpu) {
  PyObject *compiled = NULL;
  PyObject *function = PyObject_GetAttrString(package, "compile");
  PyObject *arguments = function ? Py_BuildValue("(Os)", module, gpu) : NULL;
  PyObject *choices =
      arguments ? Py_BuildValue("{s:O}", "cubin", Py_False) : NULL;
  if (choices)
    compiled = PyObject_Call(function, arguments, choices);
  Py_XDECREF(choices);
  Py_XDECREF(arguments);
  Py_XDECREF(function);
  return compiled;
}

/* The PTX of a kernel file, or null with an exception set. */
static PyObject *compile(const char *kernel, const char *gpu) {
  PyObject *package = PyImport_ImportModule("cuda_tile");
  PyObject *module =
      package ? PyObject_CallMethod(package, "load", "s", kernel) : NULL;
  PyObject *compiled = module ? compileModule(package, module, gpu) : NULL;
  PyObject *ptx = compiled ? PyObject_GetAttrString(compiled, "ptx") : NULL;
  Py_XDECREF(compiled);
  Py_XDECREF(module);
  Py_XDECREF(package);
  return ptx;
}

static int write_text(PyObject *text, const char *name) {
  Py_ssize_t size;
  const char *data = PyUnicode_AsUTF8AndSize(text, &size);
  FILE *file = data ? fopen(name, "w") : NULL;
  if (!file) {
    fprintf(stderr, "cannot write '%s'\n", name);
    return 1;
  }
  int isWritten = fwrite(data, 1, (size_t)size, file) == (size_t)size;
  return fclose(file) != 0 || !isWritten;
}

int main(int argc, char **argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: %s KERNEL GPU OUT\n", argv[0]);
    return 2;
  }
  Py_Initialize();
  PyObject *ptx = compile(argv[1], argv[2]);
  int code = ptx ? write_text(ptx, argv[3]) : fail();
  Py_XDECREF(ptx);
  return Py_FinalizeEx() < 0 ? 1 : code;
}
