"use strict";
// Rows of a long text: only those in view are in the document.

const ROW = 18;
const MARGIN = 30; // rows beyond the edges, so that scrolling shows no gaps

class Rows {
  // `count` rows; `fill(row, number)` writes one. The container scrolls.
  constructor(container, width, count, fill) {
    this.container = container;
    this.count = count;
    this.fill = fill;
    this.shown = new Map();
    this.space = document.createElement("div");
    this.space.className = "space";
    this.space.style.height = count * ROW + "px";
    this.space.style.width = `calc(${width}ch + 130px)`;
    container.append(this.space);
    container.addEventListener("scroll", () => this.draw(), { passive: true });
    new ResizeObserver(() => this.draw()).observe(container);
  }

  draw() {
    const first = Math.max(0, Math.floor(this.container.scrollTop / ROW) - MARGIN);
    const height = this.container.clientHeight;
    if (!height) return; // in a hidden view
    const end = Math.min(this.count, first + Math.ceil(height / ROW) + 2 * MARGIN);
    for (const [number, row] of this.shown) {
      if (number < first || number >= end) {
        row.remove();
        this.shown.delete(number);
      }
    }
    const fresh = document.createDocumentFragment();
    for (let number = first; number < end; number++) {
      if (this.shown.has(number)) continue;
      const row = document.createElement("div");
      row.className = "row";
      row.dataset.row = number;
      row.style.top = number * ROW + "px";
      this.fill(row, number);
      this.shown.set(number, row);
      fresh.append(row);
    }
    this.space.append(fresh);
  }

  clear() {
    for (const row of this.shown.values()) row.remove();
    this.shown.clear();
  }

  // Scrolls so that a row is in view, in the middle if it was not.
  reveal(number) {
    const top = number * ROW, height = this.container.clientHeight;
    const now = this.container.scrollTop;
    if (top < now || top + ROW > now + height) {
      this.container.scrollTop = Math.max(0, top - height / 2);
    }
    this.draw();
  }

  // The number of the row that an event happened in, or -1.
  at(event) {
    const row = event.target.closest(".row");
    return row ? Number(row.dataset.row) : -1;
  }
}

function span(kind, text) {
  const part = document.createElement("span");
  part.className = kind;
  part.textContent = text;
  return part;
}

// Writes a line of code in the colours of its language.
function writeCode(target, text, rule) {
  let last = 0;
  for (const found of rule ? text.matchAll(rule) : []) {
    const kind = Object.keys(found.groups).find((name) => found.groups[name] !== undefined);
    if (found.index > last) target.append(text.slice(last, found.index));
    target.append(span("t-" + kind, found[0]));
    last = found.index + found[0].length;
  }
  target.append(text.slice(last));
}
