/* The page on submitting: its commands for the board of the list or of the address (?board=). */

const form = document.querySelector(".wb-for");
const select = form.querySelector("select");
const asked = new URLSearchParams(location.search).get("board");
const bring = form.querySelector(".wb-bring");
const checker = document.querySelector(".wb-checklink");
const plain = checker.getAttribute("href");

function show() {
  for (const one of document.querySelectorAll(".wb-name")) one.textContent = select.value;
  const command = select.selectedOptions[0].dataset.bring;
  bring.hidden = !command;
  bring.querySelector("code").textContent = command || "";
  checker.href = `${plain}?board=${select.value}`;
}

if ([...select.options].some((one) => one.value === asked)) select.value = asked;
form.hidden = !select.options.length;
select.addEventListener("change", show);
if (select.value) show();
