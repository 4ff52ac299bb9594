// Toasts go by themselves, but not while someone points at them, and those with an undo stay longer.
(() => {
  "use strict";
  const region = document.getElementById("toasts");
  if (!region) return;
  const PLAIN_MS = 6000;
  const UNDO_MS = 15000;

  const start = (toast) => {
    if (toast.dataset.started) return;
    toast.dataset.started = "yes";
    const life = toast.querySelector("form, a") ? UNDO_MS : PLAIN_MS;
    let timer = 0;
    const wait = () => { clearTimeout(timer); timer = setTimeout(() => toast.remove(), life); };
    const stay = () => clearTimeout(timer);
    toast.addEventListener("mouseenter", stay);
    toast.addEventListener("mouseleave", wait);
    toast.addEventListener("focusin", stay);
    toast.addEventListener("focusout", wait);
    // What went wrong stays until it was read.
    if (toast.dataset.tone !== "bad" && toast.dataset.tone !== "error") wait();
  };

  const all = () => region.querySelectorAll("[data-toast]").forEach(start);
  all();
  new MutationObserver(all).observe(region, { childList: true });
  region.addEventListener("click", (event) => {
    if (event.target.closest("[data-close]")) event.target.closest("[data-toast]").remove();
  });

  // The server could not answer at all, or broke while it did.
  const failed = () => {
    const note = document.getElementById("toast-failed");
    if (note && region.childElementCount < 3) region.append(note.content.cloneNode(true));
  };
  document.addEventListener("htmx:sendError", failed);
  document.addEventListener("htmx:timeout", failed);
  document.addEventListener("htmx:responseError", (event) => { if (event.detail.xhr.status >= 500) failed(); });
})();
