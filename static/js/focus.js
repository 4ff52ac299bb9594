// After a swap the focus goes where the answer says: to the first [data-focus] of what came in. Swapped-in dialogs open.
(() => {
  "use strict";
  const place = (root) => {
    const dialog = root.matches?.("dialog[data-modal]") ? root : root.querySelector?.("dialog[data-modal]");
    if (dialog && !dialog.open) {
      dialog.showModal();
      dialog.addEventListener("close", () => dialog.remove(), { once: true });
    }
    const target = root.matches?.("[data-focus]") ? root : root.querySelector?.("[data-focus]");
    if (!target) return;
    if (!target.matches("a[href], button, input, select, textarea, [tabindex]")) target.tabIndex = -1;
    target.focus({ preventScroll: !!target.closest(".work") && !target.matches("input, textarea, select") });
  };

  // A whole page that comes where a piece was asked for (the log-in page, once a session is over) is gone to instead.
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { xhr, requestConfig } = event.detail;
    const whole = xhr.status < 300 && /^\s*<!doctype/i.test(xhr.responseText);
    if (!whole || requestConfig.elt.closest("[hx-select], [hx-boost]")) return;
    event.detail.shouldSwap = false;
    if (new URL(xhr.responseURL).searchParams.has("next")) location.reload(); // so that it leads back to this page
    else location.assign(xhr.responseURL);
  });

  // Whoever walks a list stays in the list; only an answer to something done moves the focus.
  let walking = false;
  document.addEventListener("htmx:beforeSwap", (event) => { walking = !!event.detail.requestConfig.elt.closest("[data-list]"); });
  document.addEventListener("htmx:load", (event) => { if (event.target !== document.body && !walking) place(event.target); });

  // A new item is read from its top, and on a phone it takes the place of the list.
  document.addEventListener("htmx:afterSwap", (event) => {
    const work = event.target.closest?.(".work");
    if (!work) return;
    const scroll = work.querySelector(".scroll");
    if (scroll) scroll.scrollTop = 0;
    const desk = work.closest(".desk");
    if (desk && event.target === work) {
      desk.toggleAttribute("data-open", work.childElementCount > 0);
      if (matchMedia("(width <= 820px)").matches) scrollTo(0, 0);
    }
  });

  // A page that failed validation starts at its first mistake.
  const wrong = document.querySelector("main .notice[data-focus], main [aria-invalid=true]");
  if (wrong && !wrong.closest("[data-specimen]")) wrong.focus();
  // So does a link to one message of a conversation.
  document.querySelector(".bubble.is-target:not([data-specimen] *)")?.scrollIntoView({ block: "center" });

  // On a phone the tab one is at may lie past the edge of its row.
  document.querySelector(".tabs [aria-current]:not([data-specimen] *)")?.scrollIntoView({ block: "nearest", inline: "center" });

  // A chat stays at its end unless someone scrolled up to read.
  const follow = (box) => {
    let atEnd = true;
    box.scrollTop = box.scrollHeight;
    box.addEventListener("scroll", () => { atEnd = box.scrollHeight - box.scrollTop - box.clientHeight < 60; }, { passive: true });
    new MutationObserver(() => { if (atEnd) box.scrollTop = box.scrollHeight; }).observe(box, { childList: true, subtree: true });
  };
  document.querySelectorAll("[data-follow]").forEach(follow);
})();
