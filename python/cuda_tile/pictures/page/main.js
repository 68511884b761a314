// What each pass changed, tabs, theme and keys.

// Places that code came from.
DATA.linked = new Set(
  DATA.panes.filter((data) => !data.name.startsWith("source")).flatMap((data) => data.places.flat()));

class PassesView {
  constructor(root) {
    this.buttons = [...root.querySelectorAll(".list button")];
    this.rule = new RegExp(DATA.rules.mlir, "g");
    this.lines = [];
    this.container = root.querySelector(".rows");
    this.buttons.forEach((button, number) => {
      button.addEventListener("click", () => this.show(number));
    });
    root.querySelector(".list").addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1 }[event.key];
      if (!step) return;
      const next = this.buttons[this.buttons.indexOf(document.activeElement) + step];
      if (next) { next.focus(); next.click(); }
      event.preventDefault();
    });
    const first = DATA.passes.findIndex((pass) => pass.lines.length);
    if (this.buttons.length) this.show(Math.max(0, first));
  }

  show(number) {
    this.buttons.forEach((button, n) => button.setAttribute("aria-selected", String(n === number)));
    this.lines = DATA.passes[number].lines;
    this.container.replaceChildren();
    this.container.scrollTop = 0;
    let width = 30;
    for (const line of this.lines) width = Math.max(width, line[3].length);
    const count = Math.max(1, this.lines.length);
    this.rows = new Rows(this.container, width, count, (row, n) => this.fill(row, n));
    this.rows.draw();
  }

  fill(row, n) {
    if (!this.lines.length) {
      row.classList.add("gap");
      row.append(span("text", "  nothing changed"));
      return;
    }
    const [kind, before, after, text] = this.lines[n];
    const names = { "+": "plus", "-": "minus", "@": "gap" };
    if (names[kind]) row.classList.add(names[kind]);
    for (const number of [before, after]) {
      const cell = span("no", number || "");
      cell.style.width = "5ch";
      row.append(cell);
    }
    const cell = span("text", kind === "@" ? "  ⋯ " : kind === "=" ? "  " : kind + " ");
    writeCode(cell, text, kind === "@" ? null : this.rule);
    row.append(cell);
  }

  draw() { if (this.rows) this.rows.draw(); }
}

const tabs = [...document.querySelectorAll("nav button")];
const views = {
  code: new CodeView(document.getElementById("view-code")),
  passes: new PassesView(document.getElementById("view-passes")),
};

function openTab(number) {
  if (!tabs[number]) return;
  tabs.forEach((tab, n) => {
    const is = n === number;
    tab.setAttribute("aria-selected", String(is));
    tab.tabIndex = is ? 0 : -1;
    document.getElementById(tab.getAttribute("aria-controls")).hidden = !is;
    const view = views[tab.dataset.view];
    if (is && view) view.draw();
  });
}

function nextTheme() {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = root.dataset.theme || (dark ? "dark" : "light");
  root.dataset.theme = now === "dark" ? "light" : "dark";
}

tabs.forEach((tab, number) => {
  tab.addEventListener("click", () => openTab(number));
  tab.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const to = (number + step + tabs.length) % tabs.length;
    openTab(to);
    tabs[to].focus();
    event.stopPropagation();
  });
});
const help = document.querySelector("dialog");
document.getElementById("theme").addEventListener("click", nextTheme);
document.getElementById("keys").addEventListener("click", () => help.showModal());
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input")) return;
  const isCode = tabs[0].getAttribute("aria-selected") === "true";
  if (event.key === "t") nextTheme();
  else if (event.key === "?") help.showModal();
  else if (event.key === "/") { openTab(0); views.code.search.focus(); }
  else if (isCode && event.key >= "1" && event.key <= "9") views.code.toggle(Number(event.key) - 1);
  else if (event.key === "g") { const at = tabs.findIndex((tab) => tab.getAttribute("aria-selected") === "true"); openTab((at + 1) % tabs.length); }
  else if (isCode && event.key === "n") views.code.next(1);
  else if (isCode && event.key === "p") views.code.next(-1);
  else if (isCode && ["ArrowDown", "ArrowUp", "j", "k"].includes(event.key) && !document.activeElement.closest(".rows, nav")) {
    views.code.focus(0);
    views.code.key(views.code.visible[0], event);
    return;
  } else return;
  event.preventDefault();
});
openTab(0);
views.code.tell(null, -1);
