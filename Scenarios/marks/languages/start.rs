// A program that marks its own launch with liblaunchmarks.so.
//
//   rustc -O start.rs -l launchmarks
//   launchlab stages --collect probe --collect marks --ready mark -- ./start
use std::ffi::{c_char, CStr, CString};

extern "C" {
    fn launch_mark(name: *const c_char);
    fn launch_interval_begin(name: *const c_char) -> u32;
    fn launch_interval_end(interval: u32);
    fn launch_ready();
}

/// Times a part of the launch.
fn interval<T>(name: &CStr, work: impl FnOnce() -> T) -> T {
    let interval = unsafe { launch_interval_begin(name.as_ptr()) };
    let result = work();
    unsafe { launch_interval_end(interval) };
    result
}

fn main() {
    let name = CString::new("database").unwrap();
    let sum: u64 = interval(&name, || (0..1_000).sum());
    assert_eq!(sum, 499_500);
    let frame = CString::new("first frame: ✓").unwrap();
    unsafe {
        launch_mark(frame.as_ptr());
        launch_ready();
    }
}
