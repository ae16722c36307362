// SPDX-License-Identifier: BSD-3-Clause
// Browsers start no workers for pages that are opened from disk. There the search, which
// is a worker, runs in a hidden frame instead.
"use strict";

if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.inside = new Promise((done) => {
        const frame = document.createElement("iframe");
        frame.hidden = true;
        frame.srcdoc = "<!doctype html>";
        frame.addEventListener("load", () => {
          const inside = frame.contentWindow;
          inside.postMessage = (data) => this.tell(data);
          const script = inside.document.createElement("script");
          script.src = url;
          script.addEventListener("load", () => done(inside));
          inside.document.body.append(script);
        });
        document.body.append(frame);
      });
    }

    tell(data) {
      this.dispatchEvent(new MessageEvent("message", { data }));
    }

    async postMessage(data) {
      const inside = await this.inside;
      inside.dispatchEvent(new MessageEvent("message", { data }));
    }
  };
}
