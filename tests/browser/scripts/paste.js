/* Pastes a text. */
(text) => {
  const box = new DataTransfer();
  box.setData('text/plain', text);
  document.body.dispatchEvent(new ClipboardEvent('paste', {clipboardData: box, bubbles: true}));
}
