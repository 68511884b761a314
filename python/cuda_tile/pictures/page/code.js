// Texts of all levels side by side: what comes from one source line is lit together.

class Pane {
  constructor(data, element, view) {
    this.data = data;
    this.element = element;
    this.view = view;
    this.lines = data.places.length ? data.text.split("\n") : [];
    this.rule = DATA.rules[data.language] && new RegExp(DATA.rules[data.language], "g");
    this.byPlace = new Map(); // place -> rows
    data.places.forEach((places, row) => {
      for (const place of places) {
        if (!this.byPlace.has(place)) this.byPlace.set(place, []);
        this.byPlace.get(place).push(row);
      }
    });
    this.most = 1;
    for (const counts of Object.values(data.counts)) this.most = Math.max(this.most, counts[0]);
    this.digits = Math.max(2, ...[data.numbers[data.numbers.length - 1] || ""].map((n) => n.length));
    const body = element.querySelector(".rows");
    this.cursor = -1;
    let width = 0;
    for (const line of this.lines) width = Math.max(width, line.length);
    this.rows = new Rows(body, width, this.lines.length, (row, n) => this.fill(row, n));
    body.addEventListener("mouseover", (event) => view.hover(this, this.rows.at(event)));
    body.addEventListener("mouseleave", () => view.hover(this, -1));
    body.addEventListener("click", (event) => view.choose(this, this.rows.at(event), true));
    body.addEventListener("keydown", (event) => view.key(this, event));
  }

  fill(row, n) {
    const number = span("no", this.data.numbers[n]);
    number.style.width = this.digits + "ch";
    row.append(number);
    if (this.data.counted) {
      const counts = this.data.counts[n];
      const cell = span("count", counts ? short(counts[0]) : "");
      cell.style.width = "6.5ch";
      if (counts) {
        const share = Math.log1p(counts[0]) / Math.log1p(this.most);
        cell.style.background = `rgba(var(--heat), ${(0.32 * share).toFixed(3)})`;
      }
      row.append(cell);
    }
    const text = span("text", "");
    writeCode(text, this.lines[n], this.rule);
    if (this.data.asides[n]) text.append(span("aside", "   " + this.data.asides[n]));
    row.append(text);
    this.paint(row, n);
  }

  // Sets the classes of a row: lit, called from, under the cursor, found.
  paint(row, n) {
    const places = this.data.places[n], active = this.view.active;
    const at = active === -1 ? -1 : places.indexOf(active);
    const isLinked = places.length > 0 && DATA.linked.has(places[0]);
    row.classList.toggle("from", isLinked);
    if (isLinked) row.style.setProperty("--edge", `hsl(${(places[0] * 137.5) % 360} 45% 62%)`);
    row.classList.toggle("lit", at >= 0);
    row.classList.toggle("call", at < 0 && places.some((p) => this.view.callers.has(p)) && places.length === 1);
    row.classList.toggle("cursor", n === this.cursor);
    row.classList.toggle("found", this.view.isFound(this, n));
  }

  repaint() {
    for (const [n, row] of this.rows.shown) this.paint(row, n);
    const ruler = this.element.querySelector(".ruler");
    ruler.replaceChildren();
    let last = null; // the mark that grows while rows follow each other
    for (const n of this.byPlace.get(this.view.active) || []) {
      if (last && n - last.end <= this.lines.length / 150) {
        last.end = n + 1;
      } else {
        if (last) this.mark(ruler, last);
        last = { start: n, end: n + 1 };
      }
    }
    if (last) this.mark(ruler, last);
  }

  mark(ruler, range) {
    const mark = document.createElement("i");
    mark.style.top = (100 * range.start) / this.lines.length + "%";
    mark.style.height = (100 * (range.end - range.start)) / this.lines.length + "%";
    ruler.append(mark);
  }
}

function short(count) {
  if (count < 100000) return String(count);
  return count < 1e8 ? Math.round(count / 1e3) + "k" : Math.round(count / 1e6) + "M";
}

function isSource(pane) {
  return pane.data.name.startsWith("source");
}

class CodeView {
  constructor(root) {
    this.root = root;
    this.active = -1; // the place that is lit
    this.pinned = -1;
    this.callers = new Set();
    this.found = [];
    this.foundAt = -1;
    this.needle = "";
    this.panes = DATA.panes.map(
      (data) => new Pane(data, document.getElementById("pane-" + data.name), this));
    this.panes.forEach((pane, number) => {
      // A file that is only named, behind one that is there, takes room for little.
      if (number && pane.data.isOnlyNamed && !this.panes[0].data.isOnlyNamed) this.toggle(number);
    });
    this.status = root.querySelector(".status");
    this.search = root.querySelector("input");
    this.search.addEventListener("input", () => this.find(this.search.value));
    this.search.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.next(event.shiftKey ? -1 : 1);
      if (event.key === "Escape") { this.search.value = ""; this.find(""); this.focus(0); }
    });
    root.querySelectorAll(".chips button").forEach((button, number) => {
      button.addEventListener("click", () => this.toggle(number));
    });
  }

  draw() {
    for (const pane of this.panes) pane.rows.draw();
    if (this.begun) return;
    this.begun = true; // a source begins where its code does
    for (const pane of this.panes.filter(isSource)) {
      const first = pane.data.places.findIndex((places) => DATA.linked.has(places[0]));
      pane.rows.container.scrollTop = Math.max(0, first - 3) * ROW;
      pane.rows.draw();
    }
  }

  get visible() { return this.panes.filter((pane) => !pane.element.hidden); }

  toggle(number) {
    const pane = this.panes[number];
    if (!pane) return;
    pane.element.hidden = !pane.element.hidden;
    const button = this.root.querySelectorAll(".chips button")[number];
    button.setAttribute("aria-pressed", String(!pane.element.hidden));
    this.draw();
  }

  focus(number) {
    const pane = this.visible[number];
    if (pane) pane.element.querySelector(".rows").focus({ preventScroll: true });
  }

  light(pane, row) {
    const places = row < 0 ? [] : pane.data.places[row];
    const active = places.length ? places[0] : this.pinned;
    const callers = active === this.pinned && !places.length ? [] : places.slice(1);
    if (active === this.active && callers.length === this.callers.size) return;
    this.active = active;
    this.callers = new Set(callers);
    for (const each of this.panes) each.repaint();
  }

  hover(pane, row) {
    this.light(pane, row);
    this.tell(row < 0 ? this.lastPane : pane, row < 0 ? (this.lastPane || {}).cursor : row);
  }

  // Puts the cursor on a row, keeps its place lit, and scrolls the others to it.
  choose(pane, row, scrolls) {
    if (row < 0) return;
    for (const each of this.panes) each.cursor = each === pane ? row : -1;
    this.lastPane = pane;
    this.pinned = pane.data.places[row].length ? pane.data.places[row][0] : -1;
    this.active = -2; // so that everything is painted again
    this.light(pane, row);
    pane.rows.reveal(row);
    for (const each of scrolls ? this.panes : []) {
      const rows = each.byPlace.get(this.pinned);
      if (each !== pane && rows) each.rows.reveal(rows[0]);
    }
    this.tell(pane, row);
  }

  clear() {
    this.pinned = -1;
    this.active = -2;
    for (const pane of this.panes) pane.cursor = -1;
    this.light(this.panes[0], -1);
    this.tell(null, -1);
  }

  tell(pane, row) {
    this.status.replaceChildren();
    if (!pane || row === undefined || row < 0) {
      this.status.append(span("", "Point at a line, or move with the arrow keys: what comes from the same source line is lit. ? shows all keys."));
      return;
    }
    const add = (label, value) => {
      const part = document.createElement("span");
      part.append(label + " ");
      const strong = document.createElement("b");
      strong.textContent = value;
      part.append(strong);
      this.status.append(part);
    };
    const places = pane.data.places[row];
    add("from", places.length ? places.map((p) => DATA.places[p]).join(" inlined at ") : "no source line");
    if (places.length) {
      const lines = this.panes
        .filter((each) => !isSource(each) && each.byPlace.has(places[0]))
        .map((each) => `${each.byPlace.get(places[0]).length} ${each.data.title}`);
      if (lines.length) add("lines:", lines.join(" · "));
    }
    const counts = pane.data.counts[row];
    if (counts) add("in the run:", counts.map((c, i) => c ? `${short(c)} ${DATA.countNames[i]}` : "").filter(Boolean).join(" · "));
  }

  find(needle) {
    this.needle = needle.toLowerCase();
    this.found = [];
    this.foundSet = new Map(this.panes.map((pane) => [pane, new Set()]));
    if (this.needle) {
      for (const pane of this.visible) {
        pane.lines.forEach((line, row) => {
          if (line.toLowerCase().includes(this.needle)) {
            this.found.push([pane, row]);
            this.foundSet.get(pane).add(row);
          }
        });
      }
    }
    this.foundAt = -1;
    for (const pane of this.panes) pane.repaint();
    this.root.querySelector("output").textContent = this.needle ? `${this.found.length} lines` : "";
  }

  isFound(pane, row) {
    return Boolean(this.needle) && this.foundSet.get(pane).has(row);
  }

  next(step) {
    if (!this.found.length) return;
    this.foundAt = (this.foundAt + step + this.found.length) % this.found.length;
    const [pane, row] = this.found[this.foundAt];
    this.choose(pane, row, false);
    this.root.querySelector("output").textContent = `${this.foundAt + 1} of ${this.found.length}`;
  }

  key(pane, event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(pane.rows.container.clientHeight / ROW) - 2);
    const steps = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1, PageDown: page, PageUp: -page, Home: -1e9, End: 1e9 };
    if (event.key in steps) {
      const to = pane.cursor < 0 && Math.abs(steps[event.key]) === 1 ? Math.ceil(pane.rows.container.scrollTop / ROW) : pane.cursor + steps[event.key];
      this.choose(pane, Math.min(pane.lines.length - 1, Math.max(0, to)), true);
    } else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      this.move(pane, event.key === "ArrowRight" ? 1 : -1);
    } else if (event.key === "]" || event.key === "[") {
      this.again(pane, event.key === "]" ? 1 : -1);
    } else if (event.key === "Escape") {
      this.clear();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  // To the pane beside, at what is lit there.
  move(pane, step) {
    const panes = this.visible, to = panes[panes.indexOf(pane) + step];
    if (!to) return;
    to.element.querySelector(".rows").focus({ preventScroll: true });
    const rows = to.byPlace.get(this.pinned);
    this.choose(to, rows ? rows[0] : Math.max(0, Math.ceil(to.rows.container.scrollTop / ROW)), false);
  }

  // To the next lit line of the pane that is not beside this one.
  again(pane, step) {
    const rows = pane.byPlace.get(this.pinned) || [];
    let n = pane.cursor;
    while (rows.includes(n)) n += step;
    const next = step > 0 ? rows.find((row) => row > n) : rows.filter((row) => row < n).pop();
    if (next !== undefined) this.choose(pane, next, false);
  }
}
