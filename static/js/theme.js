// Theme and single-letter keys change in place; the form behind them tells the server, which keeps a cookie.
(() => {
  "use strict";
  document.addEventListener("submit", async (event) => {
    const form = event.target.closest("form[data-preference]");
    const button = event.submitter;
    if (!form || !button) return;
    event.preventDefault();
    const data = new FormData(form, button);
    document.documentElement.dataset[form.dataset.preference === "keys" ? "keys" : "theme"] = button.value;
    form.querySelectorAll("button").forEach((el) => el.setAttribute("aria-pressed", String(el === button)));
    const answer = await fetch(form.action, { method: "POST", body: data, headers: { "X-In-Place": "1" } }).catch(() => null);
    if (!answer || !answer.ok) HTMLFormElement.prototype.submit.call(form);
  });
})();
