//! A headless Chromium, spoken to over its debugging pipe: no port, no network, a fresh profile.

use serde_json::{Value, json};
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// Flags without which it would look for updates, or draw with a device that is not there.
const FLAGS: &str = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
    --disable-background-networking --disable-component-update --disable-sync \
    --remote-debugging-pipe";

/// A browser with one page.
pub(crate) struct Browser {
    child: Child,
    to: File,
    from: BufReader<File>,
    session: Option<String>,
    id: u64,
    /// What it told beside answers.
    pub events: Vec<Value>,
    /// Where downloads go.
    pub downloads: TempDir,
    _profile: TempDir,
}

impl Browser {
    /// Starts it; `None`, and a line that says so, when there is no Chromium.
    pub fn start() -> Option<Self> {
        let there = Command::new("chromium")
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        if !there.is_ok_and(|status| status.success()) {
            #[expect(clippy::print_stdout, reason = "a test that does not look must say so")]
            {
                println!("SKIPPED: no chromium here, so no browser has looked at the page");
            }
            return None;
        }
        let profile = tempfile::tempdir().unwrap();
        let (to, from) = (profile.path().join("to"), profile.path().join("from"));
        assert!(Command::new("mkfifo").args([&to, &from]).status().unwrap().success());
        // Its pipe is on the descriptors 3 and 4. A browser that hangs is ended.
        let script = format!(
            "exec timeout 300 chromium {FLAGS} --user-data-dir=\"$1/profile\" about:blank 3<\"$1/to\" 4>\"$1/from\""
        );
        let child = Command::new("sh")
            .args(["-c", &script, "sh", profile.path().to_str().unwrap()])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut browser = Self {
            child,
            to: OpenOptions::new().write(true).open(to).unwrap(),
            from: BufReader::new(File::open(from).unwrap()),
            session: None,
            id: 0,
            events: Vec::new(),
            downloads: tempfile::tempdir().unwrap(),
            _profile: profile,
        };
        browser.attach();
        Some(browser)
    }

    fn attach(&mut self) {
        let folder = self.downloads.path().to_str().unwrap().to_owned();
        self.call(
            "Browser.setDownloadBehavior",
            &json!({"behavior": "allow", "downloadPath": folder, "eventsEnabled": true}),
        );
        let target = self.call("Target.createTarget", &json!({"url": "about:blank"}));
        let attached = self.call(
            "Target.attachToTarget",
            &json!({"targetId": target["targetId"], "flatten": true}),
        );
        self.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            self.call(&format!("{domain}.enable"), &json!({}));
        }
    }

    fn read(&mut self) -> Value {
        let mut message = Vec::new();
        self.from.read_until(0, &mut message).unwrap();
        assert_eq!(message.pop(), Some(0), "the browser has gone away");
        serde_json::from_slice(&message).unwrap()
    }

    /// Asks for something and waits for the answer.
    pub fn call(&mut self, method: &str, params: &Value) -> Value {
        self.id += 1;
        let mut message = json!({"id": self.id, "method": method, "params": params});
        if let Some(session) = self.session.as_deref().filter(|_| !method.starts_with("Browser.")) {
            message["sessionId"] = json!(session);
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.to.write_all(&bytes).unwrap();
        loop {
            let mut answer = self.read();
            if answer["id"] == json!(self.id) {
                assert!(answer.get("error").is_none(), "{method}: {answer}");
                return answer["result"].take();
            }
            self.events.push(answer);
        }
    }

    /// Waits for an event.
    pub fn wait(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        let mut next = 0;
        loop {
            if let Some(event) = self.events.get(next) {
                if wanted(event) {
                    return self.events.remove(next);
                }
                next += 1;
            } else {
                let event = self.read();
                self.events.push(event);
            }
        }
    }

    /// The value of an expression in the page.
    pub fn eval(&mut self, expression: &str) -> Value {
        let mut answer = self.call(
            "Runtime.evaluate",
            &json!({"expression": expression, "returnByValue": true, "awaitPromise": true}),
        );
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer}");
        answer["result"]["value"].take()
    }

    /// Opens a file in a window of this width, light or dark.
    pub fn open(&mut self, path: &Path, width: u32, dark: bool) {
        let scheme = if dark { "dark" } else { "light" };
        self.call(
            "Emulation.setDeviceMetricsOverride",
            &json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false}),
        );
        self.call(
            "Emulation.setEmulatedMedia",
            &json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]}),
        );
        self.call("Page.navigate", &json!({"url": format!("file://{}", path.display())}));
        self.wait(|e| e["method"] == "Page.loadEventFired");
        self.drawn();
    }

    /// Waits until what was asked for is drawn.
    pub fn drawn(&mut self) {
        self.eval(
            "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
        );
    }

    /// Sends a mouse event.
    pub fn mouse(&mut self, kind: &str, (x, y): (f64, f64), more: &Value) {
        let mut params = json!({"type": kind, "x": x, "y": y});
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.call("Input.dispatchMouseEvent", &params);
        self.drawn();
    }

    /// Presses and releases the left button.
    pub fn click(&mut self, at: (f64, f64)) {
        let left = json!({"button": "left", "clickCount": 1});
        self.mouse("mousePressed", at, &left);
        self.mouse("mouseReleased", at, &left);
    }

    /// Presses a key.
    pub fn key(&mut self, key: &str) {
        let text = match key {
            "Enter" => "\r",
            one if one.len() == 1 => one,
            _ => "",
        };
        let code = match key {
            "Tab" => 9,
            "Enter" => 13,
            _ => 0,
        };
        self.call(
            "Input.dispatchKeyEvent",
            &json!({"type": "keyDown", "key": key, "text": text, "windowsVirtualKeyCode": code}),
        );
        self.call("Input.dispatchKeyEvent", &json!({"type": "keyUp", "key": key}));
        self.drawn();
    }

    /// Pages that are opened from now on are on a screen that is touched.
    pub fn without_mouse(&mut self) {
        self.call("Emulation.setTouchEmulationEnabled", &json!({"enabled": true}));
    }

    /// Touches and lets go.
    pub fn tap(&mut self, (x, y): (f64, f64)) {
        let points = json!([{"x": x, "y": y}]);
        self.call(
            "Input.dispatchTouchEvent",
            &json!({"type": "touchStart", "touchPoints": points}),
        );
        self.call("Input.dispatchTouchEvent", &json!({"type": "touchEnd", "touchPoints": []}));
        self.drawn();
    }

    /// The middle of the first element that a selector finds, scrolled into view.
    pub fn middle(&mut self, selector: &str) -> (f64, f64) {
        // Sections are laid out when they come near: what is above may grow once it is there.
        self.eval(&format!(
            "document.querySelector({selector:?}).scrollIntoView({{ block: 'center', behavior: 'instant' }})"
        ));
        self.drawn();
        let found = self.eval(&format!(
            "(() => {{ const b = document.querySelector({selector:?}).getBoundingClientRect(); \
             return [b.left + b.width / 2, b.top + b.height / 2]; }})()"
        ));
        (found[0].as_f64().unwrap(), found[1].as_f64().unwrap())
    }

    /// Clicks a download and reads the file.
    pub fn download(&mut self, selector: &str) -> String {
        let at = self.middle(selector);
        self.click(at);
        let name = self.wait(|e| e["method"] == "Browser.downloadWillBegin");
        self.wait(|e| {
            e["method"] == "Browser.downloadProgress" && e["params"]["state"] == "completed"
        });
        let name = name["params"]["suggestedFilename"].as_str().unwrap().to_owned();
        std::fs::read_to_string(self.downloads.path().join(name)).unwrap()
    }

    /// What must not happen: errors, dialogs, requests for anything but files of this machine.
    pub fn complaints(&self) -> Vec<String> {
        let bad = |event: &&Value| match event["method"].as_str().unwrap_or_default() {
            "Runtime.exceptionThrown"
            | "Runtime.consoleAPICalled"
            | "Log.entryAdded"
            | "Page.javascriptDialogOpening" => true,
            "Network.requestWillBeSent" => {
                let url = event["params"]["request"]["url"].as_str().unwrap_or_default();
                !url.starts_with("file://") && !url.starts_with("blob:")
                    || event["params"]["type"] != "Document"
            }
            _ => false,
        };
        self.events.iter().filter(bad).map(Value::to_string).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.to.write_all(b"{\"id\":0,\"method\":\"Browser.close\"}\0");
        let _ = self.child.wait();
    }
}
