/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Browsers start no workers from pages that are opened as files, and the search of the
 * theme runs in one. So there a hidden frame of the same page takes its place: it loads
 * the worker's script, and messages are handed over as events. The theme looks for the
 * class by this name. */
if (location.protocol === "file:") {
  class IFrameWorker extends EventTarget {
    constructor(url) {
      super();
      this.waiting = [];
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.frame.worker = this;
      this.frame.srcdoc =
        "<script>self.postMessage = data => frameElement.worker.receive(data)</script>" +
        `<script src="${url}"></script>`;
      this.frame.addEventListener("load", () => {
        const messages = this.waiting;
        this.waiting = null;
        messages.forEach((data) => this.postMessage(data));
      });
      document.body.appendChild(this.frame);
    }

    postMessage(data) {
      if (this.waiting) this.waiting.push(data);
      else
        this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data }));
    }

    receive(data) {
      this.dispatchEvent(new MessageEvent("message", { data }));
    }

    terminate() {
      this.frame.remove();
    }
  }
  window.IFrameWorker = window.Worker = IFrameWorker;
}
