// Dialogs, menus and the copy button. Dialogs open by command/commandfor, which browsers know by themselves;
// the older ones are helped here.
(() => {
  "use strict";
  if (!("commandForElement" in HTMLButtonElement.prototype)) {
    document.addEventListener("click", (event) => {
      const button = event.target.closest("button[commandfor]");
      const dialog = button && document.getElementById(button.getAttribute("commandfor"));
      if (!dialog) return;
      if (button.getAttribute("command") === "show-modal") dialog.showModal();
      if (button.getAttribute("command") === "close") dialog.close();
    });
  }

  document.addEventListener("click", (event) => {
    // A click beside a dialog closes it; one that holds something typed stays.
    if (event.target.matches("dialog:modal")) {
      const box = event.target.getBoundingClientRect();
      const outside = event.clientX < box.left || event.clientX > box.right || event.clientY < box.top || event.clientY > box.bottom;
      const typed = [...event.target.querySelectorAll("input:not([type=hidden], [type=search]), textarea")].some((el) => el.value !== el.defaultValue);
      if (outside && !typed) event.target.close();
    }
    for (const menu of document.querySelectorAll("details.more[open]")) {
      if (!menu.contains(event.target) || event.target.closest(".menu a, .menu button")) menu.open = false;
    }
  });

  document.addEventListener("keydown", (event) => {
    const menu = event.key === "Escape" && document.querySelector("details.more[open]");
    if (menu) { menu.open = false; menu.querySelector("summary").focus(); }
  });

  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy]");
    if (!button) return;
    const source = document.getElementById(button.dataset.copy);
    const text = source.value ?? source.textContent;
    const label = button.querySelector("span") || button;
    try {
      await navigator.clipboard.writeText(text);
      label.textContent = "Copied";
    } catch {
      if (source.select) source.select();
      label.textContent = "Press Ctrl+C";
    }
    setTimeout(() => { label.textContent = "Copy"; }, 2000);
  });

  document.addEventListener("focusin", (event) => {
    if (event.target.matches("[data-secret]")) event.target.select();
  });
})();
