// BERT through the C interface, without bindgen: a line with the first row of each output.
// rustc embed.rs -L LIBRARY_FOLDER -l mithril_c && ./embed PACKAGE
use std::ffi::{c_char, c_void, CStr, CString};
use std::ptr::{null, null_mut};

#[repr(C)]
struct Device {
    kind: i32,
    id: i32,
}

#[repr(C)]
struct DataType {
    code: u8,
    bits: u8,
    lanes: u16,
}

#[repr(C)]
struct Tensor {
    data: *mut c_void,
    device: Device,
    ndim: i32,
    dtype: DataType,
    shape: *mut i64,
    strides: *mut i64,
    byte_offset: u64,
}

#[repr(C)]
struct ManagedTensor {
    version: [u32; 2],
    context: *mut c_void,
    deleter: extern "C" fn(*mut ManagedTensor),
    flags: u64,
    tensor: Tensor,
}

extern "C" {
    fn mithril_model_open(
        path: *const c_char,
        options: *const c_void,
        model: *mut *mut c_void,
        error: *mut *mut c_void,
    ) -> i32;
    fn mithril_model_output_count(
        model: *const c_void,
        count: *mut usize,
        error: *mut *mut c_void,
    ) -> i32;
    fn mithril_model_run(
        model: *const c_void,
        names: *const *const c_char,
        inputs: *const *const Tensor,
        input_count: usize,
        outputs: *mut *mut ManagedTensor,
        output_count: usize,
        error: *mut *mut c_void,
    ) -> i32;
    fn mithril_model_free(model: *mut c_void);
    fn mithril_last_error() -> *const c_char;
}

fn check(status: i32) {
    if status != 0 {
        let text = unsafe { CStr::from_ptr(mithril_last_error()) };
        eprintln!("{}", text.to_string_lossy());
        std::process::exit(1);
    }
}

fn tensor(data: *mut c_void, code: u8, bits: u8, shape: &mut [i64; 2]) -> Tensor {
    Tensor {
        data,
        device: Device { kind: 1, id: 0 },
        ndim: 2,
        dtype: DataType { code, bits, lanes: 1 },
        shape: shape.as_mut_ptr(),
        strides: null_mut(),
        byte_offset: 0,
    }
}

fn main() {
    let path = CString::new(std::env::args().nth(1).expect("usage: embed PACKAGE")).unwrap();
    let mut model = null_mut();
    check(unsafe { mithril_model_open(path.as_ptr(), null(), &mut model, null_mut()) });
    let (mut ids, mut kinds, mut mask) = ([101i64, 7592, 2088, 102], [0i64; 4], [true; 4]);
    let mut shape = [1i64, 4];
    let inputs = [
        tensor(ids.as_mut_ptr().cast(), 0, 64, &mut shape),
        tensor(kinds.as_mut_ptr().cast(), 0, 64, &mut shape),
        tensor(mask.as_mut_ptr().cast(), 6, 8, &mut shape),
    ];
    let owned: Vec<CString> = ["input_ids", "token_type_ids", "attention_mask"]
        .iter()
        .map(|name| CString::new(*name).unwrap())
        .collect();
    let names: Vec<*const c_char> = owned.iter().map(|name| name.as_ptr()).collect();
    let given: Vec<*const Tensor> = inputs.iter().map(|input| input as *const Tensor).collect();
    let mut count = 0;
    check(unsafe { mithril_model_output_count(model, &mut count, null_mut()) });
    let mut outputs = vec![null_mut(); count];
    let made = outputs.as_mut_ptr();
    check(unsafe {
        mithril_model_run(model, names.as_ptr(), given.as_ptr(), 3, made, count, null_mut())
    });
    for output in outputs {
        unsafe {
            let result = &(*output).tensor;
            let size = *result.shape.add(result.ndim as usize - 1) as usize;
            let values = std::slice::from_raw_parts(result.data as *const f32, size);
            println!("{}", values.iter().map(f32::to_string).collect::<Vec<_>>().join(" "));
            ((*output).deleter)(output);
        }
    }
    unsafe { mithril_model_free(model) };
}
