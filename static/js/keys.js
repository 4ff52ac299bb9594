// Keys press what is already on the page: a button or link with data-key="a", or after g one with data-go="i".
// Nothing here can do what a click could not.
(() => {
  "use strict";
  const CHORD_MS = 1200;
  let chordUntil = 0;

  const typing = (el) => !!el && (el.isContentEditable || /^(TEXTAREA|SELECT)$/.test(el.tagName)
    || (el.tagName === "INPUT" && !/^(checkbox|radio|button|submit)$/.test(el.type)));
  const overlay = () => document.querySelector("dialog[open]:modal, [popover]:popover-open");

  // True when a single letter must not act: someone types, holds a modifier, has a dialog open or switched keys off.
  const ignores = (event) => event.defaultPrevented || event.isComposing || event.repeat
    || event.ctrlKey || event.metaKey || event.altKey || typing(event.target)
    || !!overlay() || document.documentElement.dataset.keys === "off";

  const usable = (el) => !el.disabled && el.getAttribute("aria-disabled") !== "true";
  const find = (attribute, key) => {
    const all = [...document.querySelectorAll(`[${attribute}="${CSS.escape(key)}"]`)].filter(usable);
    // What a closed "More" menu holds still has its key; what is hidden otherwise has not.
    return all.findLast((el) => el.checkVisibility()) || all.find((el) => el.closest("details:not([open])")?.checkVisibility());
  };

  const open = (id) => {
    const dialog = document.getElementById(id);
    if (dialog && !dialog.open) dialog.showModal();
  };

  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "k") {
      event.preventDefault();
      document.dispatchEvent(new CustomEvent("dw:palette"));
      return;
    }
    if (ignores(event) || event.key.length !== 1) return;
    const now = Date.now();
    if (now < chordUntil) {
      chordUntil = 0;
      const goal = find("data-go", event.key.toLowerCase());
      if (goal) { event.preventDefault(); goal.click(); return; }
    } else if (event.key === "g" && document.querySelector("[data-go]")) {
      chordUntil = now + CHORD_MS;
      return;
    }
    const target = find("data-key", event.key) || (event.shiftKey ? null : find("data-key", event.key.toLowerCase()));
    if (target) {
      event.preventDefault();
      if (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) && typing(target)) target.focus();
      else target.click();
    } else if (event.key === "?") {
      event.preventDefault();
      open("keys");
    }
  });

  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-help]")) open("keys");
  });

  // Ctrl+Enter sends the form one is typing in; in a chat Enter alone does, and Shift+Enter begins a line.
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    const chat = event.target.matches?.("[data-enter-sends]") && !event.shiftKey;
    if (!(event.ctrlKey || event.metaKey || chat)) return;
    const form = typing(event.target) && event.target.form;
    if (form) { event.preventDefault(); form.requestSubmit(); }
  });

  window.dw = { ignores, typing };
})();
