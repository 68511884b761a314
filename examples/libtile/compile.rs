// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! compile KERNEL GPU CUBIN: a Rust program that compiles a kernel with libtile.

use std::ffi::{c_char, c_int, c_void, CStr, CString};

#[link(name = "tile")]
extern "C" {
    fn cuda_tile_create(python: *const c_char) -> *mut c_void;
    fn cuda_tile_destroy(compiler: *mut c_void);
    fn cuda_tile_compile(
        compiler: *mut c_void,
        kernel: *const u8,
        size: usize,
        name: *const c_char,
        gpu: *const c_char,
        options: *const c_char,
    ) -> *mut c_void;
    fn cuda_tile_status(result: *const c_void) -> c_int;
    fn cuda_tile_message(result: *const c_void) -> *const c_char;
    fn cuda_tile_place(result: *const c_void) -> *const c_char;
    fn cuda_tile_data(result: *const c_void, size: *mut usize) -> *const u8;
    fn cuda_tile_launch_record(result: *const c_void) -> *const c_char;
    fn cuda_tile_free(result: *mut c_void);
}

/// A child process that has the compiler loaded.
struct Compiler(*mut c_void);

/// What a compilation gives: the cubin and its launch records.
struct Compiled {
    cubin: Vec<u8>,
    launch: String,
}

impl Compiler {
    fn new() -> Self {
        Compiler(unsafe { cuda_tile_create(std::ptr::null()) })
    }

    /// Compiles a kernel; an error has its place and what to do.
    fn compile(&self, kernel: &[u8], name: &str, gpu: &str) -> Result<Compiled, String> {
        let name = CString::new(name).map_err(|error| error.to_string())?;
        let gpu = CString::new(gpu).map_err(|error| error.to_string())?;
        let options = CString::new(r#"{"abi": "cuda"}"#).unwrap();
        unsafe {
            let result = cuda_tile_compile(
                self.0,
                kernel.as_ptr(),
                kernel.len(),
                name.as_ptr(),
                gpu.as_ptr(),
                options.as_ptr(),
            );
            let text = |words| CStr::from_ptr(words).to_string_lossy().into_owned();
            let answer = if cuda_tile_status(result) == 0 {
                let mut size = 0;
                let data = cuda_tile_data(result, &mut size);
                Ok(Compiled {
                    cubin: std::slice::from_raw_parts(data, size).to_vec(),
                    launch: text(cuda_tile_launch_record(result)),
                })
            } else {
                let place = text(cuda_tile_place(result));
                Err(format!("{}: error: {}", place, text(cuda_tile_message(result))))
            };
            cuda_tile_free(result);
            answer
        }
    }
}

impl Drop for Compiler {
    fn drop(&mut self) {
        unsafe { cuda_tile_destroy(self.0) }
    }
}

fn run(words: &[String]) -> Result<(), String> {
    let [_, kernel, gpu, cubin] = words else {
        return Err("usage: compile KERNEL GPU CUBIN".to_string());
    };
    let data = std::fs::read(kernel).map_err(|error| format!("{}: {}", kernel, error))?;
    let compiled = Compiler::new().compile(&data, kernel, gpu)?;
    std::fs::write(cubin, &compiled.cubin).map_err(|error| format!("{}: {}", cubin, error))?;
    println!("{}", compiled.launch);
    Ok(())
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    if let Err(said) = run(&words) {
        eprintln!("{}", said);
        std::process::exit(1);
    }
}
