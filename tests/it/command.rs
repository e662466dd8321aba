//! Runs the program as a person does, from the package's folder and without a person's settings.

use std::ffi::OsStr;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// What a run gave.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// The program, before its arguments.
pub(crate) fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_carddrift"));
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("CARDDRIFT_") {
            command.env_remove(name);
        }
    }
    // Settings of the person who runs the tests must not matter.
    command.env("HOME", "/nonexistent").env_remove("XDG_CONFIG_HOME").env("TZ", "Asia/Kathmandu");
    command
}

/// Runs it.
pub(crate) fn run<S: AsRef<OsStr>>(arguments: &[S]) -> Ran {
    run_with(arguments, "")
}

/// Runs it with something on standard input.
pub(crate) fn run_with<S: AsRef<OsStr>>(arguments: &[S], input: &str) -> Ran {
    let mut child = program()
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It may end without reading all.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    Ran {
        status: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Compares with a file of expected output; `UPDATE_EXPECT=1` rewrites it.
pub(crate) fn expect(file: &str, got: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, got).unwrap();
        return;
    }
    let want = std::fs::read_to_string(&path).unwrap_or_default();
    if got != want {
        let line = got.lines().zip(want.lines()).take_while(|(a, b)| a == b).count();
        panic!(
            "{file} differs from line {}:\n  got  {:?}\n  want {:?}\nUPDATE_EXPECT=1 rewrites it",
            line + 1,
            got.lines().nth(line),
            want.lines().nth(line),
        );
    }
}
