// A list one walks with j/k or the arrows: <ol class="items" data-list> of .item, each with one link and maybe a checkbox.
// The link loads the item (by htmx, or as a page), so moving is clicking. x ticks, Shift with a click ticks a range.
(() => {
  "use strict";
  const rows = (list) => [...list.querySelectorAll(".item")];
  const link = (row) => row && row.querySelector(":scope > a");
  const box = (row) => row && row.querySelector(":scope > input[type=checkbox]");
  const isCurrent = (row) => row.getAttribute("aria-current") === "true" || !!row.querySelector(":scope > a[aria-current]");
  let lastTicked = null;

  const mark = (list, row) => {
    for (const each of rows(list)) {
      const on = each === row;
      const a = link(each);
      each.toggleAttribute("aria-current", on);
      if (on) each.setAttribute("aria-current", "true");
      if (a) {
        if (on) a.setAttribute("aria-current", "true"); else a.removeAttribute("aria-current");
        a.tabIndex = on ? 0 : -1;
      }
    }
  };

  const setUp = (root) => {
    for (const list of root.querySelectorAll("[data-list]")) {
      const all = rows(list);
      const current = all.find(isCurrent);
      // One stop for the Tab key in the whole list, as in any list box.
      all.forEach((row) => { const a = link(row); if (a) a.tabIndex = row === (current || all[0]) ? 0 : -1; });
      (list.closest("form") || list).setAttribute("data-list-ready", "");
      count(list);
    }
  };

  // [data-count] near the list says how many rows are ticked.
  const count = (list) => {
    const scope = list.closest("form") || list.parentElement;
    const ticked = list.querySelectorAll(".item > input:checked").length;
    scope.querySelectorAll("[data-count]").forEach((el) => { el.textContent = ticked; });
  };

  const move = (list, step) => {
    const all = rows(list);
    if (!all.length) return;
    const focused = all.findIndex((row) => row.contains(document.activeElement));
    const at = focused >= 0 ? focused : all.findIndex(isCurrent);
    const row = all[Math.min(all.length - 1, Math.max(0, at + step))];
    if (at >= 0 && row === all[at]) return;
    mark(list, row);
    link(row).focus({ preventScroll: true });
    row.scrollIntoView({ block: "nearest" });
    link(row).click();
  };

  document.addEventListener("keydown", (event) => {
    const list = document.querySelector("[data-list]");
    if (!list || !window.dw) return;
    const inside = list.contains(document.activeElement);
    const arrow = event.key === "ArrowDown" || event.key === "ArrowUp";
    if (arrow && inside && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      move(list, event.key === "ArrowDown" ? 1 : -1);
      return;
    }
    if (dw.ignores(event)) return;
    if (event.key === "j" || event.key === "k") {
      event.preventDefault();
      move(list, event.key === "j" ? 1 : -1);
    } else if (event.key === "x") {
      const all = rows(list);
      const ticker = box(all.find((row) => row.contains(document.activeElement)) || all.find(isCurrent));
      if (ticker) { event.preventDefault(); ticker.click(); }
    }
  });

  // Enter in a line of text presses the button that belongs to it; on a tick it presses none.
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    const id = event.target.dataset?.enter;
    if (id || event.target.matches?.(".item > input")) event.preventDefault();
    if (id) document.getElementById(id).click();
  });

  document.addEventListener("click", (event) => {
    const row = event.target.closest("[data-list] .item");
    if (!row) return;
    const list = row.closest("[data-list]");
    if (!event.target.matches("input[type=checkbox]")) {
      if (event.target.closest("a") && !event.ctrlKey && !event.metaKey) mark(list, row);
      return;
    }
    const all = rows(list);
    if (event.shiftKey && lastTicked && all.includes(lastTicked)) {
      const [from, to] = [all.indexOf(lastTicked), all.indexOf(row)].sort((a, b) => a - b);
      all.slice(from, to + 1).forEach((each) => { const b = box(each); if (b) b.checked = event.target.checked; });
    }
    lastTicked = row;
    count(list);
  });

  document.addEventListener("change", (event) => {
    if (!event.target.matches("[data-all]")) return;
    const list = event.target.closest("form")?.querySelector("[data-list]") || document.querySelector("[data-list]");
    rows(list).forEach((row) => { const b = box(row); if (b) b.checked = event.target.checked; });
    count(list);
  });

  setUp(document);
  document.addEventListener("htmx:load", (event) => setUp(event.target.parentElement || document));
})();
