/* Drops a file, given its text and name. */
([text, name]) => {
  const box = new DataTransfer();
  box.items.add(new File([text], name));
  for (const type of ['dragover', 'drop']) {
    document.querySelector('.wb-drop').dispatchEvent(
      new DragEvent(type, {dataTransfer: box, bubbles: true, cancelable: true}));
  }
}
