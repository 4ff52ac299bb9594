// The palette: a text field and a list of links that the server fills. Without scripts its link leads to a page.
(() => {
  "use strict";
  const dialog = document.getElementById("palette");
  if (!dialog) return;
  const input = dialog.querySelector("input");
  const hits = document.getElementById("hits");
  let index = 0;

  input.setAttribute("role", "combobox");
  input.setAttribute("aria-expanded", "true");
  input.setAttribute("aria-controls", "hits");
  input.setAttribute("aria-autocomplete", "list");
  hits.setAttribute("aria-label", "Results");

  const links = () => [...hits.querySelectorAll("a")];
  const select = (wanted) => {
    const all = links();
    index = all.length ? (wanted + all.length) % all.length : 0;
    all.forEach((link, i) => {
      link.id = `hit-${i}`;
      link.tabIndex = -1;
      link.setAttribute("role", "option");
      link.setAttribute("aria-selected", String(i === index));
    });
    if (all.length) {
      hits.setAttribute("role", "listbox");
      input.setAttribute("aria-activedescendant", all[index].id);
      all[index].scrollIntoView({ block: "nearest" });
    } else {
      hits.removeAttribute("role");
      input.removeAttribute("aria-activedescendant");
    }
  };

  const open = () => {
    if (dialog.open) { dialog.close(); return; }
    document.querySelectorAll("[popover]:popover-open").forEach((el) => el.hidePopover());
    dialog.showModal();
    input.select();
    htmx.trigger(input, "opened");
  };

  document.addEventListener("dw:palette", open);
  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-palette]") || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    open();
  });
  hits.addEventListener("htmx:afterSwap", () => select(0));
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      select(index + (event.key === "ArrowDown" ? 1 : -1));
    } else if (event.key === "Enter" && !event.isComposing) {
      event.preventDefault();
      const chosen = links()[index];
      if (chosen) chosen.click();
    } else if (event.key === "Escape") {
      event.preventDefault(); // a search field would empty itself first, and take a second Escape to close
      dialog.close();
    }
  });
  hits.addEventListener("click", () => dialog.close());
})();
