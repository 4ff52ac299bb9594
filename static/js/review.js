// The reviewer's desk. One decision at a time: while one is on its way, nothing else may change the pane it will answer into.
// j and k go on from the last row of the list, the row of what is open is marked, and the undo of a toast stays on the page.
(() => {
  "use strict";
  const work = document.getElementById("work");
  if (!work) return;
  let deciding = false;
  let wanted = "";

  document.addEventListener("htmx:beforeRequest", (event) => {
    if (event.detail.target !== work) return;
    const { verb, path } = event.detail.requestConfig;
    if (deciding) { event.preventDefault(); return; }
    deciding = verb === "post";
    wanted = path;
  });
  // Whoever walks fast sees the item they stopped at, whichever answer comes last.
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.target === work && event.detail.requestConfig.path !== wanted) event.detail.shouldSwap = false;
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    if (event.detail.target === work && event.detail.requestConfig.verb === "post") deciding = false;
  });

  const rowOf = (path) => [...document.querySelectorAll("#pane .item > a")].find((a) => a.pathname === path)?.closest(".item");

  const settle = () => {
    const row = rowOf(location.pathname) || document.querySelector("#pane .item[aria-current]");
    const ends = { j: ["go-next", row?.nextElementSibling], k: ["go-previous", row?.previousElementSibling] };
    for (const [key, [id, neighbour]] of Object.entries(ends)) {
      // Inside the list j and k are the list's own; past its ends they press Next and Previous.
      const go = document.getElementById(id);
      if (go && !neighbour) go.dataset.key = key;
    }
    return row;
  };

  document.addEventListener("htmx:afterSettle", (event) => {
    if (event.target !== work) return;
    const row = settle();
    for (const each of document.querySelectorAll("#pane .item")) {
      const link = each.querySelector(":scope > a");
      for (const el of [each, link]) {
        if (each === row) el.setAttribute("aria-current", "true"); else el.removeAttribute("aria-current");
      }
      link.tabIndex = each === row ? 0 : -1;
    }
    row?.scrollIntoView({ block: "nearest" });
    // What had the focus is gone: a button of the pane before, or on a phone the whole list.
    const at = document.activeElement;
    if (!at || at === document.body || !at.checkVisibility()) document.getElementById("claim")?.focus({ preventScroll: true });
  });

  // What opens to be filled in is filled in at once.
  document.addEventListener("toggle", (event) => {
    if (event.target.matches?.("details.ask[open]")) event.target.querySelector("[data-first]")?.focus();
  }, true);

  // Where there is something to undo, its button took the key already.
  document.addEventListener("keydown", (event) => {
    if (event.key !== "z" || dw.ignores(event)) return;
    const toasts = document.getElementById("toasts");
    if (toasts.childElementCount < 3) toasts.append(document.getElementById("toast-no-undo").content.cloneNode(true));
  });

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.closest("[data-toast]") || !form.action.includes("/reopen/")) return;
    event.preventDefault();
    form.closest("[data-toast]").remove();
    const ends = Object.fromEntries([...document.querySelectorAll("#pane > input")].map((el) => [el.name, el.value]));
    htmx.ajax("POST", form.action, { target: work, values: ends });
  });

  settle();
})();
